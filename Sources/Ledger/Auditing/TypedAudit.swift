internal import AppStore
internal import Foundation
internal import GRDB

/// Compares typed columns with the signed texts that they were read from: whoever writes seals anew still cannot sign.
///
/// The texts are recorded once more, into a ledger in memory, and the rows of both are compared.
struct TypedAudit {
  private let witness: DatabaseQueue

  /// What a payload is believed by.
  private static let beliefs = """
    SELECT p.digest, p.trust, r.digest AS root, r.is_apple FROM main.payload p
    LEFT JOIN main.root_certificate r USING (root_id)
    """

  private static let tables = ["transaction_info", "renewal_info", "app_transaction_info"]

  init() throws {
    witness = try DatabaseQueue()
    try witness.write { _ = try Schema.migrate($0) }
  }

  /// Where a file's columns say something else than signed texts do.
  func findings(of evidence: [Evidence], in file: Database) throws -> [AuditFinding] {
    try witness.writeWithoutTransaction { witness in
      var findings: [AuditFinding] = []
      try witness.inTransaction {
        var recorder = Recorder(database: witness)
        for one in evidence {
          let receivedAt = one.statedAt ?? Instant(milliseconds: 0)
          try recorder.record(Arrival(outcome: .evidence(one), receivedAt: receivedAt, isTold: true, origin: ""))
        }
        findings = try Self.tables.flatMap { try Self.differences($0, witness, file) }
        findings += try Self.beliefFindings(witness, file)
        // Empty again for the next.
        return .rollback
      }
      return findings
    }
  }

  private static func differences(_ table: String, _ witness: Database, _ file: Database) throws -> [AuditFinding] {
    let select = "SELECT w.digest, t.* FROM main.\(table) t JOIN main.apple_object w USING (apple_object_id)"
    return try Row.fetchAll(witness, sql: select).compactMap { said in
      let kept = try Row.fetchOne(
        file, sql: "\(select) WHERE w.digest = ? AND NOT \(Ledger.isErased("apple_object", "w.digest"))",
        arguments: [said["digest"] as Data])
      guard let kept, values(kept) != values(said) else { return nil }
      return AuditFinding(
        code: .changedRow, place: "\(table) apple_object_id = \(kept["apple_object_id"] as Int64)",
        detail: "its columns are not what its signed text says")
    }
  }

  /// Where a payload is said to be believed by another root than its signature leads to. (Of files from before roots were
  /// noted none is said.)
  private static func beliefFindings(_ witness: Database, _ file: Database) throws -> [AuditFinding] {
    try Row.fetchAll(witness, sql: beliefs).compactMap { said in
      let digest: Data = said["digest"]
      let kept = try Row.fetchOne(file, sql: "\(beliefs) WHERE p.digest = ?", arguments: [digest])
      guard let kept, !(kept["root"] as DatabaseValue).isNull, kept != said else { return nil }
      return AuditFinding(
        code: .changedRow, place: "payload \(Digest(bytes: [UInt8](digest)).hexadecimal)",
        detail: "it is not believed by what its signature leads to")
    }
  }

  private static func values(_ row: Row) -> [DatabaseValue] {
    zip(row.columnNames, row.databaseValues).filter { $0.0 != "apple_object_id" }.map(\.1)
  }
}
