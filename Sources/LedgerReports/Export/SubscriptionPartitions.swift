internal import Crypto
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// The partition of each row. The original transaction id of the row decides.
struct SubscriptionPartitions {
  /// How many partitions there are.
  let count: Int
  /// The partition of each original transaction, by its key.
  private var byKey: [UInt16]

  /// Computes the partition of every original transaction.
  /// - Parameters:
  ///   - database: a connection, in a transaction that sees one state of the file.
  ///   - count: how many partitions.
  init(_ database: Database, count: Int) throws {
    self.count = count
    let last = try Self.last("original_transaction", "original_transaction_key", database)
    byKey = [UInt16](repeating: 0, count: last + 1)
    let rows = try Row.fetchCursor(
      database, sql: "SELECT original_transaction_key, original_transaction_id FROM main.original_transaction")
    while let row = try rows.next() {
      byKey[row[0] as Int] = UInt16(Self.partition(of: row[1] as String, count: count))
    }
  }

  /// Returns the greatest key of a table. A ledger numbers rows one after the other, so a key far beyond their count is
  /// damage.
  private static func last(_ table: String, _ key: String, _ database: Database) throws -> Int {
    let row = try Row.fetchOne(
      database, sql: "SELECT COALESCE(MAX(\(key)), 0), COALESCE(MIN(\(key)), 0), COUNT(*) FROM main.\(table)")
    guard let row, let last = row[0] as Int?, let first = row[1] as Int?, let count = row[2] as Int?,
      first >= 0, last <= 16 * count + 65_536
    else {
      throw LedgerError(
        .damaged, "The rows of \(table) have numbers that a ledger never gives.", .audit
      )
    }
    return last
  }

  /// Returns the first four bytes of the SHA-256 of the id, modulo the count. Every language can compute it.
  static func partition(of id: String, count: Int) -> Int {
    let digest = SHA256.hash(data: Array(id.utf8))
    return Int(digest.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) } % UInt32(count))
  }

  /// The number of possible keys, from 0 to the greatest one.
  var originalTransactionCount: Int { byKey.count }

  func ofOriginalTransaction(_ number: Int64) -> Int {
    byKey.indices.contains(Int(number)) ? Int(byKey[Int(number)]) : 0
  }
}
