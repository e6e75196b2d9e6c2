import AppStore

/// The responses of the App Store Server API.
extension ResponseEncoder {
  /// The number of transactions on a page of history, and of notifications.
  static let pageSize = 20

  /// Returns the response of Get All Subscription Statuses for an account.
  /// - Parameters:
  ///   - account: the account, as an index into the store's accounts.
  ///   - instant: the instant of the answer.
  ///   - wanted: the only statuses to return; `nil` for all.
  func statuses(of account: Int, at instant: Instant, only wanted: Set<Int64>? = nil) throws -> [UInt8] {
    var groups: [(id: String, items: [[UInt8]])] = []
    for (index, subscription) in store.subscriptions.enumerated() where subscription.account == account {
      guard wanted?.contains(subscription.state.status) ?? true else { continue }
      var item = JSONWriter()
      item.add("status", subscription.state.status)
      item.add("originalTransactionId", String(subscription.id))
      item.add("signedTransactionInfo", plain: try signed(payload(subscription.last, at: instant)))
      item.add("signedRenewalInfo", plain: try signed(payload(store.renewalInfo(of: index), at: instant)))
      if let known = groups.firstIndex(where: { $0.id == subscription.group }) {
        groups[known].items.append(item.finished)
      } else {
        groups.append((subscription.group, [item.finished]))
      }
    }
    var text = JSONWriter()
    addApp(to: &text)
    text.add(
      "data",
      json: JSONWriter.array(
        groups.map { group in
          var text = JSONWriter()
          text.add("subscriptionGroupIdentifier", group.id)
          text.add("lastTransactions", json: JSONWriter.array(group.items))
          return text.finished
        }))
    return text.finished
  }

  private func addApp(to text: inout JSONWriter) {
    text.add("environment", environment)
    text.add("bundleId", catalog.bundleID)
    if store.rate == .realTime { text.add("appAppleId", catalog.appAppleID) }
  }

  /// Returns the transactions of the complete Get Transaction History of an account, oldest first.
  func history(of account: Int) -> [Transaction] {
    let renewals = store.subscriptions.filter { $0.account == account }.flatMap(\.transactions)
    let all = renewals + store.purchases.filter { $0.account == account }
    return all.enumerated().sorted { ($0.element.purchaseAt, $0.offset) < ($1.element.purchaseAt, $1.offset) }
      .map(\.element)
  }

  /// Returns the transactions of the complete Get Refund History of an account, by the date of the refund.
  func refunds(of account: Int) -> [Transaction] {
    let all = history(of: account).compactMap { one in one.revocation.map { (one, $0) } }
      .filter { $0.1.type.hasPrefix("REFUND") }
    return all.sorted { ($0.1.at, $0.0.id) < ($1.1.at, $1.0.id) }.map(\.0)
  }

  /// Returns a page of Get Transaction History.
  func history(_ page: ResponsePage, at instant: Instant) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("revision", page.revision)
    text.add("hasMore", page.hasMore)
    addApp(to: &text)
    text.add("signedTransactions", json: try list(page.transactions, at: instant))
    return text.finished
  }

  /// Returns a page of Get Refund History.
  func refundHistory(_ page: ResponsePage, at instant: Instant) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("signedTransactions", json: try list(page.transactions, at: instant))
    text.add("revision", page.revision)
    text.add("hasMore", page.hasMore)
    return text.finished
  }

  /// Returns the response of the first version of Get Refund History, which has no pages.
  func refundHistory(_ transactions: some Sequence<Transaction>, at instant: Instant) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("signedTransactions", json: try list(transactions, at: instant))
    return text.finished
  }

  private func list(_ transactions: some Sequence<Transaction>, at instant: Instant) throws -> [UInt8] {
    JSONWriter.array(try transactions.map { JSONWriter.quoted(try signed(payload($0, at: instant))) })
  }

  /// Returns the response of Get Transaction Info for a transaction.
  func transactionInfo(_ transaction: Transaction, at instant: Instant) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("signedTransactionInfo", plain: try signed(payload(transaction, at: instant)))
    return text.finished
  }

  /// Returns the response of Look Up Order ID.
  /// - Parameters:
  ///   - encoder: the encoder of the customer who has the order; `nil`: nobody has it.
  ///   - transactions: the transactions of the order. Without any, the order is not valid.
  ///   - instant: the instant of the answer.
  static func orderLookup(
    _ encoder: ResponseEncoder?, _ transactions: [Transaction], at instant: Instant
  ) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("status", transactions.isEmpty ? 1 : 0)
    if let encoder, !transactions.isEmpty {
      text.add("signedTransactions", json: try encoder.list(transactions, at: instant))
    }
    return text.finished
  }

  /// Returns the response of Get App Transaction Info for an account.
  func appTransactionInfo(of account: Int, at instant: Instant) throws -> [UInt8] {
    let account = store.accounts[account]
    var info = JSONWriter()
    info.add("receiptType", environment)
    if store.rate == .realTime { info.add("appAppleId", catalog.appAppleID) }
    info.add("bundleId", catalog.bundleID)
    info.add("applicationVersion", Self.bundleVersion)
    info.add("receiptCreationDate", instant)
    info.add("originalPurchaseDate", account.downloadedAt)
    info.add("originalApplicationVersion", account.originalApplicationVersion)
    info.add("appTransactionId", String(account.appTransactionID))
    info.add("originalPlatform", "iOS")
    var text = JSONWriter()
    text.add("signedAppTransactionInfo", plain: try signed(info.finished))
    return text.finished
  }
}

/// A page of transactions.
struct ResponsePage {
  /// The transactions of the page, in order.
  var transactions: [Transaction]
  /// What asks for the next page.
  var revision: String
  /// Whether more pages follow.
  var hasMore: Bool

  /// Creates a page of all transactions by its number.
  init(_ number: Int, of all: [Transaction]) {
    transactions = Array(all.dropFirst(number * ResponseEncoder.pageSize).prefix(ResponseEncoder.pageSize))
    revision = transactions.last.map { "\($0.purchaseAt.milliseconds)_\($0.id)" } ?? "0"
    hasMore = all.count > (number + 1) * ResponseEncoder.pageSize
  }

  /// Creates a page of the first of the given transactions.
  init(_ coming: [Transaction], revision: (Transaction?) -> String) {
    transactions = Array(coming.prefix(ResponseEncoder.pageSize))
    self.revision = revision(transactions.last)
    hasMore = coming.count > ResponseEncoder.pageSize
  }
}
