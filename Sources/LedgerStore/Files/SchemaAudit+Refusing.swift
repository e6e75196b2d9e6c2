internal import GRDB
internal import LedgerSchema

extension SchemaAudit {
  /// Refuses a file whose schema somebody changed. A changed schema could alter what is recorded.
  /// - Throws: ``LedgerError`` with `altered_schema`.
  func requireUnaltered(_ path: String) throws {
    guard let first = try firstAlteration() else { return }
    throw LedgerError(
      .alteredSchema,
      "Somebody changed the schema of \(path): \(first.object) \(first.detail). Nothing was recorded.", .audit)
  }
}
