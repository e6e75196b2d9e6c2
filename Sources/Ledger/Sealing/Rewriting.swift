internal import Crypto
internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// What an erasure does to rows that are sealed: the digest of what each was is kept.
struct Rewriting {
  /// A row as it was when it was first touched.
  private struct Touched {
    let digest: [UInt8]
    let erasableDigest: [UInt8]?
    /// What no erasure may rewrite: only of rows that could be removed, or rewritten as a whole, after an earlier
    /// erasure had rewritten them.
    let kept: [UInt8]?
  }

  /// Whether an erasure may rewrite more of a table's rows than their erasable columns: they repeat what a payload or an
  /// app's report held, and decide no access. What such a row was is kept as one digest, as of a row that is removed.
  static func mayRewriteWhole(_ table: SealedTable) -> Bool { Manifest.current[table.name]?.isRewritable == true }

  private let erasure: Int64
  /// `nil` where there was no row with this key.
  private var before: [SealedKey: Touched?] = [:]
  private var order: [SealedKey] = []

  init(erasure: Int64) { self.erasure = erasure }

  func hasTouched(_ key: SealedKey) -> Bool { before[key] != nil }

  mutating func touch(_ table: SealedTable, _ key: SealedKey, _ row: RowText?) {
    guard before[key] == nil else { return }
    let touched = row.map { row in
      Touched(
        digest: Array(row.digest), erasableDigest: row.erasableDigest.map(Array.init),
        kept: table.isRemovable && table.hasErasableColumns || Self.mayRewriteWhole(table) ? row.kept : nil)
    }
    before[key] = .some(touched)
    order.append(key)
  }

  /// Records what became of every row that was touched.
  /// - Returns: those that are new, under keys that no row had.
  func finish(_ database: Database, _ digester: RowDigester) throws -> [(SealedKey, [UInt8])] {
    var finder = RowFinder(database)
    var new: [(SealedKey, [UInt8])] = []
    for key in order {
      guard let table = digester[key.table], let touched = before[key] else { continue }
      let digest = try finder.digest(table, key.values)
      guard let touched else {
        if let digest { new.append((key, digest)) }
        continue
      }
      guard digest != touched.digest else { continue }
      let isWhole = try digest == nil || hasChangedWhole(table, key, touched, &finder)
      let erased = try isWhole ? firstDigest(of: key, touched, database) : touched.erasableDigest ?? touched.digest
      try database.insert(
        "rewritten_row", [nil, erasure, key.table, key.encoded.data, erased.data, digest?.data])
    }
    return new
  }

  /// Whether more of a row was rewritten than its erasable columns.
  private func hasChangedWhole(
    _ table: SealedTable, _ key: SealedKey, _ touched: Touched, _ finder: inout RowFinder
  ) throws -> Bool {
    guard Self.mayRewriteWhole(table) else { return false }
    return try finder.digest(table, key.values, erased: touched.erasableDigest) != touched.digest
  }

  /// The digest that a row was sealed with, where an earlier erasure may have rewritten it since.
  private func firstDigest(of key: SealedKey, _ touched: Touched, _ database: Database) throws -> [UInt8] {
    let first = try Row.fetchOne(
      database,
      sql:
        "SELECT erased_digest FROM rewritten_row WHERE table_number = ? AND row_key = ? ORDER BY rewriting_id LIMIT 1",
      arguments: [key.table, key.encoded.data])
    guard let first, let kept = touched.kept else { return touched.digest }
    return [UInt8](first["erased_digest"] as Data).withUnsafeBytes { Array(RowText.digest(kept: kept, erased: $0)) }
  }
}
