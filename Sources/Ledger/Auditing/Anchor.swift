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
