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

  /// How many rows that were recorded up to a seal have been rewritten since, by erasures that are on record.
  /// - Throws: ``LedgerError``.
  public func rowsRewritten(since anchor: Anchor) throws -> Int {
    try reading(queue) { database in
      let digester = try RowDigester(database)
      let lists = try Data.fetchCursor(
        database, sql: "SELECT rows FROM main.seal WHERE seal_id > ?", arguments: [anchor.seal])
      var count = 0
      while let list = try lists.next() {
        let sections = (try? SealList.sections([UInt8](list)) { digester[$0] }) ?? []
        count += sections.filter { $0.table.name == "rewritten_row" }.map(\.entries.count).reduce(0, +)
      }
      return count
    }
  }

  static func anchor(
    _ database: Database, _ choice: String, _ arguments: StatementArguments = []
  ) throws -> Anchor? {
    try Row.fetchOne(database, sql: "SELECT seal_id, digest FROM main.seal \(choice)", arguments: arguments).map {
      Anchor(seal: $0["seal_id"], digest: Digest(bytes: [UInt8]($0["digest"] as Data)))
    }
  }

  /// Compares all evidence with the seals.
  func chainFindings() throws -> [AuditFinding] {
    do {
      let file = try Self.openedForAsking(path: path)
      defer { try? file.close() }
      return try file.read { database in
        var audit = try ChainAudit(database)
        try audit.run()
        return audit.findings
      }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
  }
}
