internal import LedgerSchema

/// The original transactions, transactions and ids that the present database transaction has added. The recorder need
/// not search for them in the file.
struct NewOriginalTransactions {
  private struct Name: Hashable {
    var originalKey: Int64
    var kind: String
    var id: String
  }

  private var originalKeys: Set<Int64> = []
  private var transactions: [Name: Int64] = [:]
  private var identifiers: Set<Name> = []
  /// The last id of each kind, because a subscription's transactions repeat it.
  private var last: [String: (originalKey: Int64, id: String)] = [:]

  mutating func begin(_ originalKey: Int64) { originalKeys.insert(originalKey) }

  func contains(_ originalKey: Int64) -> Bool { originalKeys.contains(originalKey) }

  /// Returns the key of a transaction of an original transaction, or `nil` when it was not noted.
  func transaction(_ id: String, of originalKey: Int64) -> Int64? {
    transactions[Name(originalKey: originalKey, kind: "", id: id)]
  }

  mutating func note(_ transaction: String, of originalKey: Int64, key: Int64) {
    transactions[Name(originalKey: originalKey, kind: "", id: transaction)] = key
  }

  /// Notes an id that leads to an original transaction.
  /// - Returns: whether the id is new for this original transaction.
  mutating func note(_ id: String, of kind: String, line originalKey: Int64) -> Bool {
    if let last = last[kind], last.originalKey == originalKey, last.id == id { return false }
    last[kind] = (originalKey, id)
    return identifiers.insert(Name(originalKey: originalKey, kind: kind, id: id)).inserted
  }
}
