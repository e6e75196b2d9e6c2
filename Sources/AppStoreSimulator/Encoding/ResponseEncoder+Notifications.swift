import AppStore

extension ResponseEncoder {
  /// The app's shared secret.
  static let sharedSecret = "6d2fd6a8c52e4a0b9c35e1f7b08a94d3"

  /// The time in milliseconds from the signatures of the inner texts to the outer signature.
  private static let innerLead: Int64 = 3

  /// Returns a signed App Store Server Notification V2 (`responseBodyV2`), with signed texts inside.
  func notificationV2(_ notification: StoreNotification, at instant: Instant) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("signedPayload", plain: try signedNotification(notification, at: instant))
    return text.finished
  }

  /// Returns the signed text of a notification, a compact JWS.
  func signedNotification(_ notification: StoreNotification, at instant: Instant) throws -> [UInt8] {
    let inner = instant + -Self.innerLead
    var text = JSONWriter()
    text.add("notificationType", notification.type)
    text.add("subtype", notification.subtype)
    text.add("notificationUUID", notification.uuid)
    if let summary = notification.summary {
      text.add("version", "2.0")
      text.add("signedDate", instant)
      text.add("summary", json: summaryText(summary))
      return try signed(text.finished)
    }
    if !notification.unclaimedSeatIDs.isEmpty {
      text.add("version", "2.0")
      text.add("signedDate", instant)
      var info = JSONWriter()
      info.add(
        "unclaimSeatIds", json: JSONWriter.array(notification.unclaimedSeatIDs.map { JSONWriter.quoted($0.utf8) }))
      text.add("unclaimInfo", json: info.finished)
      return try signed(text.finished)
    }
    var data = JSONWriter()
    if store.rate == .realTime { data.add("appAppleId", catalog.appAppleID) }
    data.add("bundleId", catalog.bundleID)
    data.add("bundleVersion", Self.bundleVersion)
    data.add("environment", environment)
    if let transaction = notification.transaction {
      data.add("signedTransactionInfo", plain: try signed(payload(transaction, at: inner)))
    }
    if let renewal = notification.renewal {
      data.add("signedRenewalInfo", plain: try signed(payload(renewal, at: inner)))
    }
    data.add("status", notification.state?.status)
    data.add("consumptionRequestReason", notification.consumptionRequestReason)
    text.add("data", json: data.finished)
    text.add("version", "2.0")
    text.add("signedDate", instant)
    return try signed(text.finished)
  }

  private func summaryText(_ summary: ExtensionSummary) -> [UInt8] {
    var text = JSONWriter()
    text.add("requestIdentifier", summary.requestIdentifier)
    text.add("environment", environment)
    if store.rate == .realTime { text.add("appAppleId", catalog.appAppleID) }
    text.add("bundleId", catalog.bundleID)
    text.add("productId", catalog.products[summary.product].id)
    if !summary.storefronts.isEmpty {
      text.add(
        "storefrontCountryCodes", json: JSONWriter.array(summary.storefronts.map { JSONWriter.quoted($0.utf8) }))
    }
    text.add("succeededCount", Int64(summary.succeeded))
    text.add("failedCount", Int64(summary.failed))
    return text.finished
  }

  /// Returns a page of Get Notification History: notifications, each with Apple's attempt to send it.
  func notificationHistory(
    _ sent: some Sequence<(notification: StoreNotification, at: Instant)>, token: String, hasMore: Bool
  ) throws -> [UInt8] {
    var items: [[UInt8]] = []
    for one in sent {
      var attempt = JSONWriter()
      attempt.add("attemptDate", one.at + 40)
      attempt.add("sendAttemptResult", "SUCCESS")
      var item = JSONWriter()
      item.add("sendAttempts", json: JSONWriter.array([attempt.finished]))
      item.add("signedPayload", plain: try signedNotification(one.notification, at: one.at))
      items.append(item.finished)
    }
    var text = JSONWriter()
    text.add("paginationToken", hasMore ? token : nil)
    text.add("hasMore", hasMore)
    text.add("notificationHistory", json: JSONWriter.array(items))
    return text.finished
  }

  /// Returns an App Store Server Notification V1. It contains the app's shared secret, as Apple's does.
  func notificationV1(_ notification: StoreNotification, account: Int, at instant: Instant) throws -> [UInt8] {
    var text = JSONWriter()
    text.add("notification_type", notification.typeV1)
    text.add("password", Self.sharedSecret)
    text.add("environment", store.rate == .realTime ? "PROD" : "Sandbox")
    if let renewal = notification.renewal {
      text.add("auto_renew_adam_id", catalog.appAppleID + Int64(renewal.nextProduct) + 1)
      text.add("auto_renew_product_id", catalog.products[renewal.nextProduct].id)
      text.add("auto_renew_status", renewal.autoRenews ? "true" : "false")
      if let changed = renewal.autoRenewChangedAt {
        ReceiptDateWriter.add("auto_renew_status_change_date", changed, to: &text)
      }
      text.add("expiration_intent", renewal.expirationIntent)
      text.add("original_transaction_id", renewal.originalID)
    }
    var receipt = JSONWriter()
    receipt.add("status", 0)
    receipt.add("environment", environment)
    receipt.add("latest_receipt", try latestReceipt(account, at: instant))
    var rows = rows(of: account)
    // Receipts list no finished consumables, but a notification about a consumable contains it.
    if let bought = notification.transaction, notification.subscription == nil,
      !rows.contains(where: { $0.id == bought.id })
    {
      rows.insert(bought, at: 0)
    }
    receipt.add("latest_receipt_info", json: JSONWriter.array(rows.map { row($0) }))
    receipt.add("pending_renewal_info", json: JSONWriter.array(renewals(of: account)))
    text.add("unified_receipt", json: receipt.finished)
    text.add("bid", catalog.bundleID)
    text.add("bvrs", Self.bundleVersion)
    text.add("deprecation", "Mon, 5 Jun 2023 00:00:00 GMT")
    return text.finished
  }

  /// Returns the client event of an app's report, in the format that this product defines.
  func clientEvent(_ report: DeviceReport, account: Int, at instant: Instant) -> [UInt8] {
    let account = store.accounts[account]
    var text = JSONWriter()
    text.add("event", report.event)
    text.add("transaction_state", report.state)
    text.add("product_id", catalog.products[report.product].id)
    text.add("transaction_id", report.transactionID.map { String($0) })
    text.add("original_transaction_id", report.originalID.map { String($0) })
    text.add("customer", account.customer)
    text.add("app_account_token", account.appAccountToken)
    text.add("device", account.device)
    if let code = report.errorCode {
      var error = JSONWriter()
      error.add("domain", "SKErrorDomain")
      error.add("code", code)
      text.add("error", json: error.finished)
    }
    text.add("at", instant.description)
    return text.finished
  }
}
