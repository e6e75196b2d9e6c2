import AppStore

/// The responses of verifyReceipt, in its three forms.
extension ResponseEncoder {
  /// Returns the transactions in an account's receipt, last purchase first. Receipts contain no finished consumables.
  func rows(of account: Int) -> [Transaction] {
    let renewals = store.subscriptions.filter { $0.account == account }.flatMap(\.transactions)
    let others = store.purchases.filter {
      $0.account == account && catalog.products[$0.product].type != .consumable
    }
    return (renewals + others).enumerated()
      .sorted { ($1.element.purchaseAt, $1.offset) < ($0.element.purchaseAt, $0.offset) }.map(\.element)
  }

  /// Returns the rows of `pending_renewal_info` for an account.
  func renewals(of account: Int) -> [[UInt8]] {
    store.subscriptions.indices.filter { store.subscriptions[$0].account == account }.map {
      renewal(store.renewalInfo(of: $0))
    }
  }

  /// Returns a verifyReceipt response in the present form.
  /// - Parameter excludesOld: `exclude-old-transactions`; with it, only the last row of each subscription is listed.
  func receipt(of account: Int, at instant: Instant, excludesOld: Bool) throws -> [UInt8] {
    let all = rows(of: account)
    var seen: Set<Int64> = []
    let latest = all.filter { !excludesOld || seen.insert($0.originalID).inserted }
    let owner = store.accounts[account]
    var receipt = JSONWriter()
    receipt.add("receipt_type", store.rate == .realTime ? "Production" : "ProductionSandbox")
    let app = store.rate == .realTime ? catalog.appAppleID : 0
    receipt.add("adam_id", app)
    receipt.add("app_item_id", app)
    receipt.add("bundle_id", catalog.bundleID)
    receipt.add("application_version", Self.bundleVersion)
    receipt.add("download_id", store.rate == .realTime ? owner.appTransactionID : 0)
    receipt.add("version_external_identifier", store.rate == .realTime ? 818_322_555 : 0)
    ReceiptDateWriter.add(
      "receipt_creation_date", all.first.map { min($0.purchaseAt, instant) } ?? instant, to: &receipt)
    ReceiptDateWriter.add("request_date", instant, to: &receipt)
    ReceiptDateWriter.add("original_purchase_date", owner.downloadedAt, to: &receipt)
    receipt.add("original_application_version", owner.originalApplicationVersion)
    receipt.add("in_app", json: JSONWriter.array(all.map { row($0) }))
    var text = JSONWriter()
    text.add("environment", environment)
    text.add("receipt", json: receipt.finished)
    if !store.subscriptions.filter({ $0.account == account }).isEmpty {
      text.add("latest_receipt_info", json: JSONWriter.array(latest.map { row($0) }))
      text.add("latest_receipt", try latestReceipt(account, at: instant))
      text.add("pending_renewal_info", json: JSONWriter.array(renewals(of: account)))
    }
    text.add("status", 0)
    return text.finished
  }

  /// Returns a response for an iOS 6 style receipt. It has one subscription's last transaction, and status 21006 when
  /// that has expired.
  func oldReceipt(of index: Int, at instant: Instant) throws -> [UInt8] {
    let subscription = store.subscriptions[index]
    let last = subscription.last
    let renewal = store.renewalInfo(of: index)
    let hasExpired = (last.expiresAt ?? instant) <= instant
    var text = JSONWriter()
    text.add("auto_renew_status", renewal.autoRenews ? 1 : 0)
    text.add("auto_renew_product_id", catalog.products[renewal.nextProduct].id)
    if hasExpired {
      text.add("latest_expired_receipt_info", json: oldRow(last))
      text.add("expiration_intent", renewal.expirationIntent.map { String($0) })
      text.add("is_in_billing_retry_period", renewal.isRetrying == true ? "1" : "0")
    } else {
      text.add("latest_receipt_info", json: oldRow(last))
      text.add("latest_receipt", try latestReceipt(subscription.account, at: instant))
    }
    text.add("receipt", json: oldRow(subscription.transactions[0]))
    text.add("status", hasExpired ? 21_006 : 0)
    return text.finished
  }

  /// Returns a row of `latest_receipt_info` or `in_app`, where all values are texts.
  func row(_ transaction: Transaction) -> [UInt8] {
    var text = JSONWriter()
    addPurchase(of: transaction, to: &text)
    if let expires = transaction.expiresAt { ReceiptDateWriter.add("expires_date", expires, to: &text) }
    text.add("in_app_ownership_type", transaction.ownership)
    text.add("subscription_group_identifier", catalog.products[transaction.product].group)
    text.add("app_account_token", store.appAccountToken(of: transaction))
    return text.finished
  }

  /// Returns a row in the form of iOS 6 receipts, with `expires_date` in milliseconds.
  private func oldRow(_ transaction: Transaction) -> [UInt8] {
    var text = JSONWriter()
    addPurchase(of: transaction, to: &text)
    if let expires = transaction.expiresAt {
      text.add("expires_date", String(expires.milliseconds))
      text.add("expires_date_formatted", ReceiptDateWriter.text(expires, zone: "Etc/GMT"))
    }
    text.add("item_id", String(catalog.appAppleID + Int64(transaction.product) + 1))
    text.add("bid", catalog.bundleID)
    text.add("bvrs", Self.bundleVersion)
    return text.finished
  }

  /// Adds the fields that both kinds of rows have.
  private func addPurchase(of transaction: Transaction, to text: inout JSONWriter) {
    text.add("quantity", String(transaction.seats?.quantity ?? 1))
    text.add("product_id", catalog.products[transaction.product].id)
    text.add("transaction_id", String(transaction.id))
    text.add("original_transaction_id", String(transaction.originalID))
    ReceiptDateWriter.add("purchase_date", transaction.purchaseAt, to: &text)
    ReceiptDateWriter.add("original_purchase_date", transaction.originalPurchaseAt, to: &text)
    text.add("web_order_line_item_id", transaction.webOrderLineItemID.map { String($0) })
    addOffer(of: transaction, to: &text)
    addEnding(of: transaction, to: &text)
  }

  private func addOffer(of transaction: Transaction, to text: inout JSONWriter) {
    guard transaction.expiresAt != nil else { return text.add("is_trial_period", "false") }
    let isTrial = transaction.offer?.discountType == "FREE_TRIAL"
    text.add("is_trial_period", isTrial ? "true" : "false")
    text.add("is_in_intro_offer_period", transaction.offer?.type == 1 && !isTrial ? "true" : "false")
    switch transaction.offer?.type {
    case 2, 4: text.add("promotional_offer_id", transaction.offer?.identifier)
    case 3: text.add("offer_code_ref_name", transaction.offer?.identifier)
    default: break
    }
  }

  private func addEnding(of transaction: Transaction, to text: inout JSONWriter) {
    if let revocation = transaction.revocation {
      ReceiptDateWriter.add("cancellation_date", revocation.at, to: &text)
      text.add("cancellation_reason", String(revocation.reason))
    } else if let upgraded = transaction.upgradedAt {
      ReceiptDateWriter.add("cancellation_date", upgraded, to: &text)
      text.add("cancellation_reason", "0")
      text.add("is_upgraded", "true")
    }
  }

  /// Returns a row of `pending_renewal_info` for one subscription.
  private func renewal(_ renewal: RenewalInfo) -> [UInt8] {
    var text = JSONWriter()
    text.add("auto_renew_product_id", catalog.products[renewal.nextProduct].id)
    text.add("product_id", catalog.products[renewal.product].id)
    text.add("original_transaction_id", String(renewal.originalID))
    text.add("auto_renew_status", renewal.autoRenews ? "1" : "0")
    text.add("expiration_intent", renewal.expirationIntent.map { String($0) })
    if let isRetrying = renewal.isRetrying { text.add("is_in_billing_retry_period", isRetrying ? "1" : "0") }
    if let grace = renewal.graceEndsAt { ReceiptDateWriter.add("grace_period_expires_date", grace, to: &text) }
    if renewal.priceNeedsConsent { text.add("price_consent_status", renewal.priceIncreaseStatus == 1 ? "1" : "0") }
    text.add("price_increase_status", renewal.priceIncreaseStatus.map { String($0) })
    switch renewal.offer?.type {
    case 2, 4: text.add("promotional_offer_id", renewal.offer?.identifier)
    case 3: text.add("offer_code_ref_name", renewal.offer?.identifier)
    default: break
    }
    return text.finished
  }
}
