public import AppStore

/// A message about a customer that is not written yet.
public struct Message: Sendable {
  /// The format of the message.
  public let format: Format
  /// The instant of the message: its `signedDate` or `request_date`.
  public let at: Instant
  let content: Content

  enum Content: Sendable {
    case notification(StoreNotification, account: Int)
    case report(DeviceReport, account: Int)
    case receipt(account: Int)
    case oldReceipt(subscription: Int)
    case appReceipt(account: Int)
    case statuses(account: Int)
    case history(account: Int, page: Int)
    case refunds(account: Int, page: Int)
    case transaction(Transaction)
    case notificationHistory([(notification: StoreNotification, at: Instant)], hasMore: Bool)
  }
}

/// A composer of the messages about one customer, in the chosen formats. Apple sends some, and answers others to a
/// server that asks after each event.
public struct MessageComposer: Sendable {
  /// The formats of the messages.
  public let formats: [Format]
  private var sent: [(notification: StoreNotification, at: Instant)] = []

  private static let answerDelay: Int64 = 30
  private static let historyDays: Int64 = 90

  /// Creates a composer for one customer.
  public init(formats: [Format]) { self.formats = formats }

  /// Returns the messages about one event, in the order of the formats.
  /// - Parameters:
  ///   - storeEvents: the store's messages about the event.
  ///   - store: the store after the event.
  public mutating func messages(about storeEvents: [StoreEvent], in store: SimulatedStore) -> [Message] {
    guard let last = storeEvents.last else { return [] }
    let isOfApple = storeEvents.contains { if case .report = $0.content { false } else { true } }
    var accounts: [Int] = []
    for storeEvent in storeEvents where !accounts.contains(storeEvent.account) { accounts.append(storeEvent.account) }
    let at = last.at + Self.answerDelay
    var messages: [Message] = []
    for format in formats {
      switch format {
      case .notificationV2, .notificationV1, .clientEvents, .transactionInfo:
        messages += storeEvents.compactMap { message($0, format) }
      case .notificationHistory: messages += historyOfNotifications(adding: storeEvents, in: store, at: at)
      case .receipt, .receiptExcludingOld, .receiptIOS6, .appReceipt, .statuses, .history, .refundHistory:
        guard isOfApple else { continue }
        messages += accounts.flatMap { answers(format, about: $0, in: store, storeEvents) }
          .map { Message(format: format, at: at, content: $0) }
      }
    }
    return messages
  }

  /// Returns the messages at the end of the simulation: the notification history that no message contains yet.
  public mutating func lastMessages(in store: SimulatedStore) -> [Message] {
    guard formats.contains(.notificationHistory) else { return [] }
    return pages(at: store.clock)
  }

  private func message(_ storeEvent: StoreEvent, _ format: Format) -> Message? {
    switch (storeEvent.content, format) {
    case (.notification(let notification), .notificationV2), (.notification(let notification), .notificationV1):
      guard format == .notificationV2 || notification.typeV1 != nil else { return nil }
      return Message(
        format: format, at: storeEvent.at, content: .notification(notification, account: storeEvent.account))
    case (.notification(let notification), .transactionInfo):
      return notification.transaction.map {
        Message(format: format, at: storeEvent.at + Self.answerDelay, content: .transaction($0))
      }
    case (.report(let report), .clientEvents):
      return Message(format: format, at: storeEvent.at, content: .report(report, account: storeEvent.account))
    default: return nil
    }
  }

  private func answers(
    _ format: Format, about account: Int, in store: SimulatedStore, _ storeEvents: [StoreEvent]
  ) -> [Message.Content] {
    let encoder = ResponseEncoder(store: store, signer: nil)
    func pages(_ count: Int) -> Range<Int> { 0..<(count + ResponseEncoder.pageSize - 1) / ResponseEncoder.pageSize }
    let subscriptions = store.subscriptions.indices.filter { store.subscriptions[$0].account == account }
    switch format {
    case .receipt, .receiptExcludingOld: return [.receipt(account: account)]
    case .appReceipt: return [.appReceipt(account: account)]
    case .receiptIOS6: return subscriptions.map { .oldReceipt(subscription: $0) }
    case .statuses: return subscriptions.isEmpty ? [] : [.statuses(account: account)]
    case .history: return pages(encoder.history(of: account).count).map { .history(account: account, page: $0) }
    case .refundHistory:
      let isRefund = storeEvents.contains {
        guard case .notification(let notification) = $0.content else { return false }
        return notification.type.hasPrefix("REFUND")
      }
      guard isRefund else { return [] }
      return pages(encoder.refunds(of: account).count).map { .refunds(account: account, page: $0) }
    case .notificationV1, .notificationV2, .clientEvents, .transactionInfo, .notificationHistory: return []
    }
  }

  private mutating func historyOfNotifications(
    adding storeEvents: [StoreEvent], in store: SimulatedStore, at instant: Instant
  ) -> [Message] {
    for storeEvent in storeEvents {
      guard case .notification(let notification) = storeEvent.content else { continue }
      sent.append((notification, storeEvent.at))
    }
    let isOld = sent.first.map { instant - $0.at > store.rate.days(Self.historyDays) } ?? false
    return isOld || sent.count >= ResponseEncoder.pageSize ? pages(at: instant) : []
  }

  private mutating func pages(at instant: Instant) -> [Message] {
    defer { sent.removeAll() }
    return stride(from: 0, to: sent.count, by: ResponseEncoder.pageSize).map { start in
      let end = min(start + ResponseEncoder.pageSize, sent.count)
      return Message(
        format: .notificationHistory, at: instant,
        content: .notificationHistory(Array(sent[start..<end]), hasMore: end < sent.count))
    }
  }
}

extension Message {
  /// Returns the message as Apple would write it.
  /// - Parameters:
  ///   - store: the store as it was when the message was made.
  ///   - signer: the signer; only unsigned formats work without one.
  /// - Returns: a JSON value, UTF-8: an object, or an app receipt as a text in Base64.
  /// - Throws: an error of the cryptographic library, or an error for a missing signer.
  public func text(in store: SimulatedStore, signer: Signer?) throws -> [UInt8] {
    let encoder = ResponseEncoder(store: store, signer: signer)
    switch content {
    case .notification(let notification, let account):
      return format == .notificationV1
        ? try encoder.notificationV1(notification, account: account, at: at)
        : try encoder.notificationV2(notification, at: at)
    case .report(let report, let account): return encoder.clientEvent(report, account: account, at: at)
    case .receipt(let account):
      return try encoder.receipt(of: account, at: at, excludesOld: format == .receiptExcludingOld)
    case .appReceipt(let account):
      return JSONWriter.quoted(try encoder.latestReceipt(account, at: at).utf8)
    case .oldReceipt(let subscription): return try encoder.oldReceipt(of: subscription, at: at)
    case .statuses(let account): return try encoder.statuses(of: account, at: at)
    case .history(let account, let page):
      return try encoder.history(ResponsePage(page, of: encoder.history(of: account)), at: at)
    case .refunds(let account, let page):
      return try encoder.refundHistory(ResponsePage(page, of: encoder.refunds(of: account)), at: at)
    case .transaction(let transaction): return try encoder.transactionInfo(transaction, at: at)
    case .notificationHistory(let sent, let hasMore):
      return try encoder.notificationHistory(sent, token: sent.last?.notification.uuid ?? "", hasMore: hasMore)
    }
  }
}
