internal import GRDB
internal import GRDBSQLite

/// What an erasure does to rows that are sealed: each keeps the digest that it had, beside the one that it gets.
struct Rewriting {
  private let erasure: Int64
  /// What each row was when it was first touched; `nil` where there was none with its key.
  private var before: [SealedKey: [UInt8]?] = [:]
  private var order: [SealedKey] = []

  init(erasure: Int64) { self.erasure = erasure }

  func hasTouched(_ key: SealedKey) -> Bool { before[key] != nil }

  mutating func touch(_ key: SealedKey, _ digest: [UInt8]?) {
    guard before[key] == nil else { return }
    before[key] = .some(digest)
    order.append(key)
  }

  /// Records what became of every row that was touched.
  /// - Returns: those that are new, under keys that no row had.
  func finish(_ database: Database, _ digester: RowDigester) throws -> [(SealedKey, [UInt8])] {
    var finder = RowFinder(database)
    var new: [(SealedKey, [UInt8])] = []
    for key in order {
      guard let table = digester[key.table], let was = before[key] else { continue }
      let digest = try finder.digest(table, key.values)
      if let was, was != digest {
        try database.insert(
          "rewritten_row", [nil, erasure, key.table, key.encoded.data, was.data, digest?.data])
      } else if was == nil, let digest {
        new.append((key, digest))
      }
    }
    return new
  }
}
