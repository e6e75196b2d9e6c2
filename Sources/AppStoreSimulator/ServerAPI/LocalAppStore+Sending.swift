import AppStore

/// Notifications to the app's server, and their history.
extension LocalAppStore {
  /// Returns the next notification to post to the app's server; `nil` where none is due now.
  ///
  /// Post it, then call ``note(_:status:of:)``. An attempt that failed becomes due again on Apple's schedule.
  /// - Throws: an error of the file.
  public mutating func nextDelivery() throws -> WebhookDelivery? { try outbox.nextDelivery(at: clock) }

  /// Records what the app's server answered to a delivery.
  /// - Parameters:
  ///   - result: the outcome.
  ///   - status: the status of HTTP; `nil` where the server did not answer.
  ///   - delivery: the delivery that was posted.
  public mutating func note(_ result: SendAttemptResult, status: Int?, of delivery: WebhookDelivery) {
    outbox.note(result, status: status, of: delivery, at: clock)
  }

  /// The number that the next notification gets.
  public var nextNotificationNumber: Int { outbox.nextNumber }

  /// Returns the notifications of the last 180 days, or of 30 in the sandbox, in the order of sending.
  /// - Parameter number: the first number to return: ``nextNotificationNumber`` of before gives what came since.
  public func sentNotifications(from number: Int = 0) -> [SentNotification] { Array(outbox.all(from: number)) }

  /// Returns the text that Apple signed: a compact JWS.
  /// - Throws: an error of the file.
  public func signedPayload(of notification: SentNotification) throws -> [UInt8] {
    try outbox.file.text(at: notification.payload)
  }

  /// Signs the notifications of a moment. They are sent, or were received where they are older than this store.
  /// - Parameter isIncluded: whether the history still has a notification of an instant.
  mutating func send(
    _ moment: StoreMoment, of number: Int, where isIncluded: ((Instant) -> Bool)? = nil
  ) throws {
    let encoder = ResponseEncoder(store: moment.store, signer: signer)
    for event in moment.events {
      guard case .notification(let notification) = event.content else { continue }
      noteRefund(notification, of: number, at: event.at)
      guard isIncluded?(event.at) ?? true else { continue }
      let sent = try sign(notification, account: event.account, by: encoder, at: event.at)
      if isIncluded == nil { outbox.add(sent) } else { outbox.addReceived(sent) }
    }
  }

  /// Signs a notification that no customer's life has, and sends it.
  mutating func send(_ notification: StoreNotification, account: Int?, by encoder: ResponseEncoder) throws {
    outbox.add(try sign(notification, account: account, by: encoder, at: clock))
  }

  private func sign(
    _ notification: StoreNotification, account: Int?, by encoder: ResponseEncoder, at instant: Instant
  ) throws -> SentNotification {
    let (head, tail) = (Array("{\"signedPayload\":\"".utf8), Array("\"}\n".utf8))
    let payload = try outbox.file.append(
      head, try encoder.signedNotification(notification, at: instant), tail)
    var bodyV1: NotificationFile.TextRange?
    if outbox.version == .v1, let account, notification.typeV1 != nil {
      bodyV1 = try outbox.file.append(
        [], encoder.notificationV1(notification, account: account, at: instant), [UInt8(ascii: "\n")])
    }
    return SentNotification(
      number: outbox.nextNumber, uuid: notification.uuid, type: notification.type, subtype: notification.subtype,
      signedAt: instant, customer: account.map { encoder.store.accounts[$0].customer },
      originalTransactionID: notification.transaction?.originalID, transactionID: notification.transaction?.id,
      payload: payload, bodyV1: bodyV1)
  }

  // MARK: - Test notifications

  /// Sends a test notification.
  mutating func sendTest() throws -> APIResponse {
    guard outbox.version != nil else { throw APIError.serverNotificationURLNotFound }
    let notification = StoreNotification(
      type: "TEST", subtype: nil, typeV1: nil, uuid: random.uuid(), subscription: nil, transaction: nil, renewal: nil,
      state: nil)
    let sent = try sign(notification, account: nil, by: encoder(of: 0), at: clock)
    let token = "\(random.uuid())_\(clock.milliseconds)"
    tests[token] = sent.number
    outbox.add(sent, isTest: true)
    var text = JSONWriter()
    text.add("testNotificationToken", token)
    return APIResponse(200, text.finished)
  }

  /// Answers with the attempts to send a test notification.
  func testStatus(_ token: String) throws -> APIResponse {
    let parts = token.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, AccountToken.isToken(String(parts[0])), Int64(parts[1]) != nil else {
      throw APIError.invalidTestNotificationToken
    }
    guard let number = tests[token], let sent = outbox[number], !sent.attempts.isEmpty else {
      throw APIError.testNotificationNotFound
    }
    return APIResponse(200, try item(sent))
  }

  // MARK: - The history

  /// Returns a notification with its attempts, as the history and the status of a test have it.
  private func item(_ sent: SentNotification) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("signedPayload", plain: try signedPayload(of: sent))
    text.add(
      "sendAttempts",
      json: JSONWriter.array(
        sent.attempts.map { attempt in
          var text = JSONWriter()
          text.add("attemptDate", attempt.at)
          text.add("sendAttemptResult", attempt.result.rawValue)
          return text.finished
        }))
    return text.finished
  }

  /// Answers with a page of the notification history.
  func notificationHistory(_ request: APIRequest) throws -> APIResponse {
    let query = try NotificationQuery(object(request.body), clock: clock, from: historyStart)
    let parameters = [APIEndpoint.notificationHistory.rawValue, String(decoding: request.body, as: UTF8.self)]
    var (first, issuedAt) = (0, clock)
    if let token = request.values("paginationToken").first(where: { !$0.isEmpty }) {
      guard let position = try? Revision(token, of: parameters).position else { throw APIError.invalidPaginationToken }
      (first, issuedAt) = (Int(position.id) + 1, position.at)
      // Apple does not say how long a walk may last. A day is more than any needs.
      guard clock - issuedAt <= RenewalRate.day else { throw APIError.paginationTokenExpired }
    }
    // One more than a page shows whether another follows. The walk goes on where it was, and stops there.
    let found = Array(outbox.all(from: first).filter(query.matches).prefix(ResponseEncoder.pageSize + 1))
    let hasMore = found.count > ResponseEncoder.pageSize
    let page = found.prefix(ResponseEncoder.pageSize)
    var text = JSONWriter()
    if hasMore, let last = page.last {
      text.add(
        "paginationToken", Revision(after: .init(at: issuedAt, id: Int64(last.number)), of: parameters).text)
    }
    text.add("hasMore", hasMore)
    text.add("notificationHistory", json: JSONWriter.array(try page.map { try item($0) }))
    return APIResponse(200, text.finished)
  }
}
