import AppStore

/// The responses of the App Store Server API.
extension ResponseEncoder {
  /// The number of transactions on a page of history, and of notifications.
  static let pageSize = 20

  /// Returns the response of Get All Subscription Statuses for an account.
  func statuses(of account: Int, at instant: Instant) throws -> [UInt8] {
    var groups: [(id: String, items: [[UInt8]])] = []
    for (place, line) in store.lines.enumerated() where line.account == account {
      var item = JSONText()
      item.add("status", line.state.status)
      item.add("originalTransactionId", String(line.id))
      item.add("signedTransactionInfo", plain: try signed(payload(line.last, at: instant)))
      item.add("signedRenewalInfo", plain: try signed(payload(store.renewalInfo(of: place), at: instant)))
      if let known = groups.firstIndex(where: { $0.id == line.group }) {
        groups[known].items.append(item.finished)
      } else {
        groups.append((line.group, [item.finished]))
      }
    }
    var text = JSONText()
    addApp(to: &text)
    text.add(
      "data",
      json: JSONText.array(
        groups.map { group in
          var text = JSONText()
          text.add("subscriptionGroupIdentifier", group.id)
          text.add("lastTransactions", json: JSONText.array(group.items))
          return text.finished
        }))
    return text.finished
  }

  private func addApp(to text: inout JSONText) {
    text.add("environment", environment)
    text.add("bundleId", assortment.bundleID)
    if store.rate == .realTime { text.add("appAppleId", assortment.appAppleID) }
  }

  /// Returns the number of transactions in the complete Get Transaction History of an account.
  func historyCount(of account: Int) -> Int { history(of: account).count }

  private func history(of account: Int) -> [Transaction] {
    let lines = store.lines.filter { $0.account == account }.flatMap(\.transactions)
    let all = lines + store.purchases.filter { $0.account == account }
    return all.enumerated().sorted { ($0.element.purchaseAt, $0.offset) < ($1.element.purchaseAt, $1.offset) }
      .map(\.element)
  }

  /// Returns a page of Get Transaction History, oldest transaction first. Pages count from 0.
  func history(of account: Int, page: Int, at instant: Instant) throws -> [UInt8] {
    let all = history(of: account)
    let shown = all.dropFirst(page * Self.pageSize).prefix(Self.pageSize)
    var text = JSONText()
    text.add("revision", shown.last.map { "\($0.purchaseAt.milliseconds)_\($0.id)" } ?? "0")
    text.add("hasMore", all.count > (page + 1) * Self.pageSize)
    addApp(to: &text)
    text.add("signedTransactions", json: try list(shown, at: instant))
    return text.finished
  }

  private func refunds(of account: Int) -> [Transaction] {
    history(of: account).filter { $0.revocation.map { $0.type.hasPrefix("REFUND") } ?? false }
  }

  /// Returns the number of transactions in the complete Get Refund History of an account.
  func refundCount(of account: Int) -> Int { refunds(of: account).count }

  /// Returns a page of Get Refund History. Pages count from 0.
  func refundHistory(of account: Int, page: Int, at instant: Instant) throws -> [UInt8] {
    let all = refunds(of: account)
    let shown = all.dropFirst(page * Self.pageSize).prefix(Self.pageSize)
    var text = JSONText()
    text.add("signedTransactions", json: try list(shown, at: instant))
    text.add("revision", shown.last.map { "\($0.purchaseAt.milliseconds)_\($0.id)" } ?? "0")
    text.add("hasMore", all.count > (page + 1) * Self.pageSize)
    return text.finished
  }

  private func list(_ transactions: some Sequence<Transaction>, at instant: Instant) throws -> [UInt8] {
    JSONText.array(try transactions.map { JSONText.quoted(try signed(payload($0, at: instant))) })
  }

  /// Returns the response of Get Transaction Info for a transaction.
  func transactionInfo(_ transaction: Transaction, at instant: Instant) throws -> [UInt8] {
    var text = JSONText()
    text.add("signedTransactionInfo", plain: try signed(payload(transaction, at: instant)))
    return text.finished
  }
}
