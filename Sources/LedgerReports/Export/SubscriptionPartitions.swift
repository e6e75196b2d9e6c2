internal import Crypto
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// In which partition a row is: that of its line's original transaction id.
struct SubscriptionPartitions {
  /// How many there are.
  let count: Int
  /// By the line's number.
  private var ofLine: [UInt16]

  /// - Parameters:
  ///   - database: a connection, in a transaction that sees one state of the file.
  ///   - count: how many partitions.
  init(_ database: Database, count: Int) throws {
    self.count = count
    let last = try Self.last("original_transaction", "original_transaction_key", database)
    ofLine = [UInt16](repeating: 0, count: last + 1)
    let rows = try Row.fetchCursor(
      database, sql: "SELECT original_transaction_key, original_transaction_id FROM main.original_transaction")
    while let row = try rows.next() {
      ofLine[row[0] as Int] = UInt16(Self.partition(of: row[1] as String, count: count))
    }
  }

  /// Rows are numbered one after the other: a number far beyond their count is none of ours.
  private static func last(_ table: String, _ key: String, _ database: Database) throws -> Int {
    let row = try Row.fetchOne(
      database, sql: "SELECT COALESCE(MAX(\(key)), 0), COALESCE(MIN(\(key)), 0), COUNT(*) FROM main.\(table)")
    guard let row, let last = row[0] as Int?, let first = row[1] as Int?, let count = row[2] as Int?,
      first >= 0, last <= 16 * count + 65_536
    else {
      throw LedgerError(
        .damaged, "The rows of \(table) have numbers that no ledger gives them.", .audit
      )
    }
    return last
  }

  /// The first four bytes of the SHA-256 of the id, modulo the count: the same in every language.
  static func partition(of id: String, count: Int) -> Int {
    let digest = SHA256.hash(data: Array(id.utf8))
    return Int(digest.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) } % UInt32(count))
  }

  /// How many numbers lines can have.
  var lineCount: Int { ofLine.count }

  func ofLine(_ number: Int64) -> Int { ofLine.indices.contains(Int(number)) ? Int(ofLine[Int(number)]) : 0 }
}
