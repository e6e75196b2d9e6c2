internal import GRDB
internal import LedgerSchema

extension SchemaAudit {
  /// Refuses a file whose schema was altered: what would be recorded in it might not be what arrived.
  func requireOurs(_ path: String) throws {
    guard let first = try firstAlteration() else { return }
    throw LedgerError(
      .alteredSchema,
      "Somebody changed the schema of \(path): \(first.object) \(first.detail). Nothing was recorded.", .audit)
  }
}
