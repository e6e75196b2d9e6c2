internal import LedgerSchema

/// What is on record of lines that the present transaction has begun, and the ids that it has noted: they need not be
/// looked for in the file.
struct NewOriginalTransactions {
  private struct Name: Hashable {
    var line: Int64
    var kind: String
    var id: String
  }

  private var lines: Set<Int64> = []
  private var transactions: [Name: Int64] = [:]
  private var identifiers: Set<Name> = []
  /// The id of each kind that was noted last: a subscription's transactions repeat it.
  private var last: [String: (line: Int64, id: String)] = [:]

  mutating func begin(_ line: Int64) { lines.insert(line) }

  func contains(_ line: Int64) -> Bool { lines.contains(line) }

  /// A transaction's key.
  func transaction(_ id: String, of line: Int64) -> Int64? { transactions[Name(line: line, kind: "", id: id)] }

  mutating func note(_ transaction: String, of line: Int64, key: Int64) {
    transactions[Name(line: line, kind: "", id: transaction)] = key
  }

  /// Notes an id by which a line can be found.
  /// - Returns: whether it was not noted before.
  mutating func note(_ id: String, of kind: String, line: Int64) -> Bool {
    if let last = last[kind], last.line == line, last.id == id { return false }
    last[kind] = (line, id)
    return identifiers.insert(Name(line: line, kind: kind, id: id)).inserted
  }
}
