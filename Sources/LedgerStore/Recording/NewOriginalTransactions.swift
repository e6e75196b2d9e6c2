internal import LedgerSchema

/// The original transactions, transactions and ids that the present database transaction has added. The recorder need
/// not search for them in the file.
struct NewOriginalTransactions {
  private struct Name: Hashable {
    var originalKey: OriginalTransactionKey
    var kind: String
    var id: String
  }

  private var originalKeys: Set<OriginalTransactionKey> = []
  private var transactions: [Name: TransactionKey] = [:]
  private var identifiers: Set<Name> = []
  /// The last id of each kind, because a subscription's transactions repeat it.
  private var last: [String: (originalKey: OriginalTransactionKey, id: String)] = [:]

  mutating func begin(_ originalKey: OriginalTransactionKey) { originalKeys.insert(originalKey) }

  func contains(_ originalKey: OriginalTransactionKey) -> Bool { originalKeys.contains(originalKey) }

  /// Returns the key of a transaction of an original transaction, or `nil` when it was not noted.
  func transaction(_ id: String, of originalKey: OriginalTransactionKey) -> TransactionKey? {
    transactions[Name(originalKey: originalKey, kind: "", id: id)]
  }

  mutating func note(_ transaction: String, of originalKey: OriginalTransactionKey, key: TransactionKey) {
    transactions[Name(originalKey: originalKey, kind: "", id: transaction)] = key
  }

  /// Notes an id that leads to an original transaction.
  /// - Returns: whether the id is new for this original transaction.
  mutating func note(_ id: String, of kind: String, for originalKey: OriginalTransactionKey) -> Bool {
    if let last = last[kind], last.originalKey == originalKey, last.id == id { return false }
    last[kind] = (originalKey, id)
    return identifiers.insert(Name(originalKey: originalKey, kind: kind, id: id)).inserted
  }
}
