internal import Crypto
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema

/// The changes of an erasure to sealed rows. It destroys their salts, and records what proves the unchanged columns.
struct ErasureChanges {
  /// A row before its first change.
  private struct ChangedRow {
    let row: RowText
    let digest: [UInt8]
    /// The salts of the row's groups, or `nil` when the row had no salt.
    let salts: [[UInt8]]?

    init(_ row: RowText) {
      (self.row, digest) = (row, Array(row.digest))
      salts = row.isSalted ? row.groups.indices.map(row.groupSalt) : nil
    }
  }

  private let erasure: Int64
  /// Each changed row before its first change. The value is `nil` when no row had this key.
  private var before: [SealedKey: ChangedRow?] = [:]
  private var order: [SealedKey] = []

  init(erasure: Int64) { self.erasure = erasure }

  func hasTouched(_ key: SealedKey) -> Bool { before[key] != nil }

  mutating func touch(_ key: SealedKey, _ row: RowText?) {
    guard before[key] == nil else { return }
    before[key] = .some(row.map(ChangedRow.init))
    order.append(key)
  }

  /// Records the outcome for every changed row.
  /// - Returns: the keys and digests of new rows, under keys that no row had before.
  func finish(_ database: Database, _ digester: RowDigester) throws -> [(SealedKey, [UInt8])] {
    try database.disablingAppendOnlyTriggers {
      var finder = try RowFinder(digester, database)
      var new: [(SealedKey, [UInt8])] = []
      for key in order {
        guard let table = digester[key.table], let touched = before[key] else { continue }
        let digest = try finder.digest(table, key.values)
        guard let touched else {
          if let digest { new.append((key, digest)) }
          continue
        }
        guard digest != touched.digest else { continue }
        let earlier = try records(of: key, table, database)
        guard digest != nil else {
          let former = earlier.isEmpty ? touched.digest : Array(touched.row.digest(FormerGroup.sealed(earlier)))
          try record(key, former, nil, database)
          continue
        }
        let former = Self.former(touched, digester.text, earlier)
        try finder.destroySalt(table, key.values)
        try record(key, FormerGroup.bytes(former), finder.digest(table, key.values), database)
      }
      return new
    }
  }

  /// Returns what is left of each group after this erasure: its salt if it is unchanged, else its former digest.
  private static func former(_ touched: ChangedRow, _ now: RowText, _ earlier: [[FormerGroup]]) -> [FormerGroup] {
    let sealed = FormerGroup.sealed(earlier)
    return now.groups.indices.map { group in
      var salt = touched.salts?[group] ?? []
      if touched.salts == nil, !sealed.isEmpty {
        guard case .salt(let left) = sealed[group] else { return .unknown }
        salt = left
      }
      let before = touched.row.groupDigest(group, salt: salt)
      return !salt.isEmpty && now.groupDigest(group, salt: salt) == before ? .salt(salt) : .digest(before)
    }
  }

  /// Returns the records of earlier erasures about a row, oldest first.
  private func records(of key: SealedKey, _ table: SealedTable, _ database: Database) throws -> [[FormerGroup]] {
    try Data.fetchAll(
      database, sql: "SELECT former FROM rewritten_row WHERE table_number = ? AND row_key = ? ORDER BY rewriting_id",
      arguments: [key.table, key.encoded.data]
    ).compactMap { FormerGroup.groups([UInt8]($0), count: table.groupCount) }
  }

  private func record(_ key: SealedKey, _ former: [UInt8], _ digest: [UInt8]?, _ database: Database) throws {
    try database.insertRow(
      "rewritten_row",
      [
        "erasure_id": erasure, "table_number": key.table, "row_key": key.encoded.data, "former": former.data,
        "digest": digest?.data,
      ])
  }
}
