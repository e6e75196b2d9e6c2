public import AppStore
internal import Foundation
internal import GRDB

/// The end of the chain of seals at some time: kept where nobody who can write the file can write, it proves later that
/// everything recorded until then is still as it was.
public struct Anchor: Sendable, Equatable {
  /// Which seal, counted from 1.
  public var seal: Int64
  /// The seal's digest.
  public var digest: Digest
}

extension Ledger {
  /// The last seal; `nil` where nothing was recorded yet.
  /// - Throws: ``LedgerError``.
  public func anchor() throws -> Anchor? {
    try reading(queue) { try Self.anchor($0, "ORDER BY seal_id DESC LIMIT 1") }
  }

  /// The seal with a digest; `nil` where this ledger's history has none.
  /// - Throws: ``LedgerError``.
  public func anchor(with digest: Digest) throws -> Anchor? {
    try reading(queue) { try Self.anchor($0, "WHERE digest = ?", [digest.data]) }
  }

  /// Returns how many rows that were recorded up to a seal were rewritten since, by erasures that are on record.
  /// - Throws: ``LedgerError``.
  public func rowsRewritten(since anchor: Anchor) throws -> Int {
    try reading(queue) { try Self.keys(of: "rewritten_row", since: anchor, $0).count }
  }

  /// Returns the erasures that were recorded after a seal and are not acknowledged, as findings.
  func erasureFindings(since anchor: Anchor, _ acknowledged: Set<String>) throws -> [AuditFinding] {
    try reading(queue) { database in
      let keys = try Self.keys(of: "erasure", since: anchor, database)
      return try keys.compactMap { key -> AuditFinding? in
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT pseudonym, author, reason, recorded_at,
              (SELECT COUNT(*) FROM main.rewritten_row w WHERE w.erasure_id = e.erasure_id) AS row_count
            FROM main.erasure e WHERE erasure_id = ?
            """, arguments: StatementArguments(key.map(\.databaseValue)))
        guard let row, !acknowledged.contains(row["pseudonym"]) else { return nil }
        return AuditFinding(
          code: .erasure, place: row["pseudonym"],
          detail: "\(row["author"] as String) erased a customer at \(Instant(milliseconds: row["recorded_at"])) "
            + "(\(row["reason"] as String)), which rewrote \(row["row_count"] as Int) rows. It is not acknowledged")
      }
    }
  }

  /// The keys of a table's rows that were sealed after a seal.
  private static func keys(of table: String, since anchor: Anchor, _ database: Database) throws -> [[SealedKey.Value]] {
    let tables = try SealedTable.all(database)
    let lists = try Data.fetchCursor(
      database, sql: "SELECT rows FROM main.seal WHERE seal_id > ?", arguments: [anchor.seal])
    var keys: [[SealedKey.Value]] = []
    while let list = try lists.next() {
      let sections = (try? SealList.sections([UInt8](list)) { number in tables.first { $0.number == number } }) ?? []
      for section in sections where section.table.name == table { keys += section.entries.map(\.key) }
    }
    return keys
  }

  static func anchor(
    _ database: Database, _ choice: String, _ arguments: StatementArguments = []
  ) throws -> Anchor? {
    try Row.fetchOne(database, sql: "SELECT seal_id, digest FROM main.seal \(choice)", arguments: arguments).map {
      Anchor(seal: $0["seal_id"], digest: Digest(bytes: [UInt8]($0["digest"] as Data)))
    }
  }
}
