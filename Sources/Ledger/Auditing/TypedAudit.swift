internal import AppStore
internal import Foundation
internal import GRDB

/// Compares typed columns with the signed texts that they were read from: whoever writes seals anew still cannot sign.
///
/// The texts are recorded once more, into a ledger in memory, and the rows of both are compared.
struct TypedAudit {
  private let witness: DatabaseQueue

  private static let tables = ["transaction_statement", "renewal_statement", "app_transaction_statement"]

  init() throws {
    witness = try DatabaseQueue()
    try witness.write { _ = try Schema.migrate($0) }
  }

  /// Takes what signed texts say.
  func take(_ evidence: [Evidence]) throws {
    try witness.write { database in
      var recorder = Recorder(database: database)
      for one in evidence {
        try recorder.record(
          Arrival(
            outcome: .evidence(one), receivedAt: one.statedAt ?? Instant(milliseconds: 0), isTold: true, origin: ""))
      }
    }
  }

  /// Where a file's columns say something else.
  func findings(_ file: Database) throws -> [AuditFinding] {
    try witness.read { witness in
      try Self.tables.flatMap { table in
        let select = "SELECT w.digest, t.* FROM main.\(table) t JOIN main.statement w USING (statement_id)"
        return try Row.fetchAll(witness, sql: select).compactMap { said -> AuditFinding? in
          let digest: Data = said["digest"]
          let kept = try Row.fetchOne(
            file,
            sql: "\(select) WHERE w.digest = ? AND NOT \(Ledger.isErased("statement", "w.digest"))",
            arguments: [digest])
          guard let kept, Self.values(kept) != Self.values(said) else { return nil }
          return AuditFinding(
            code: .changedRow, place: "\(table) statement_id = \(kept["statement_id"] as Int64)",
            detail: "its columns are not what its signed text says")
        }
      }
    }
  }

  private static func values(_ row: Row) -> [DatabaseValue] {
    zip(row.columnNames, row.databaseValues).filter { $0.0 != "statement_id" }.map(\.1)
  }
}
