public import AppStore
internal import Foundation
package import GRDB
internal import LedgerSchema

/// The last seal of a ledger at some time. Store it where nobody who can write the file can write. It later proves that
/// everything recorded until then is unchanged.
public struct Anchor: Sendable, Equatable {
  /// The number of the seal, from 1.
  public var seal: Int64
  /// The seal's SHA-256 digest.
  public var digest: ContentDigest
}

extension LedgerReader {
  /// Returns the last seal, or `nil` when nothing was recorded yet.
  /// - Throws: ``LedgerError``.
  public func anchor() throws -> Anchor? {
    try lookUp { try Anchor.read($0, "ORDER BY seal_id DESC LIMIT 1") }
  }

  /// Returns the seal with a digest, or `nil` when this ledger's history does not contain it.
  /// - Throws: ``LedgerError``.
  public func anchor(with digest: ContentDigest) throws -> Anchor? {
    try lookUp { try Anchor.read($0, "WHERE digest = ?", [digest.data]) }
  }

  /// Returns how many rows that a seal or its predecessors cover were rewritten since, by recorded erasures.
  /// - Throws: ``LedgerError``.
  public func rowsRewritten(since anchor: Anchor) throws -> Int {
    try lookUp { try Anchor.keys(of: "rewritten_row", since: anchor, $0).count }
  }
}

extension Anchor {
  /// Returns the keys of a table's rows that were sealed after a seal.
  package static func keys(of table: String, since anchor: Anchor, _ database: Database) throws -> [[SealedKey.Value]] {
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

  package static func read(
    _ database: Database, _ choice: String, _ arguments: StatementArguments = []
  ) throws -> Anchor? {
    try Row.fetchOne(database, sql: "SELECT seal_id, digest FROM main.seal \(choice)", arguments: arguments).map {
      Anchor(seal: $0["seal_id"], digest: ContentDigest(bytes: [UInt8]($0["digest"] as Data)))
    }
  }
}
