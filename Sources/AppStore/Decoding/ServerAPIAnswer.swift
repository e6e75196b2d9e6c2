/// A response of the App Store Server API. Apple does not sign the response itself, but it signs texts inside. The
/// decoder checks each of these texts.
///
/// When only signed payloads count, the decoder does not read the response's own environment, statuses and order.
struct ServerAPIAnswer {
  let decoder: PayloadDecoder
  let document: JSONDocument
  let kind: PayloadKind

  /// Returns which response an object is; `nil` for any other object. Pages of notifications are handled before this.
  static func kind(of root: JSONValue) -> PayloadKind? {
    if let data = root["data"], data.isArray { return .subscriptionStatuses }
    if root["lastTransactions"] != nil { return .subscriptionStatuses }
    if root["signedTransactions"] != nil || (root["revision"] != nil && root["hasMore"] != nil) {
      if root["status"] != nil { return .orderLookup }
      return root["bundleId"] == nil && root["environment"] == nil ? .refundHistory : .transactionHistory
    }
    if root["signedAppTransactionInfo"] != nil { return .appTransactionInfo }
    if let text = root["signedTransactionInfo"], text.isString {
      return root["status"] == nil ? .transactionInfo : .subscriptionStatuses
    }
    if let text = root["signedRenewalInfo"], text.isString { return .subscriptionStatuses }
    if root["errorCode"] != nil { return .apiError }
    return nil
  }

  func decode() async throws(PayloadError) -> Evidence {
    let root = document.root
    var reader = FieldReader(root)
    var builder = EvidenceBuilder(document: document, kind: kind, trust: .unsigned)
    if decoder.unsigned.isAccepted {
      builder.environment = Environment(apple: reader.text("environment"))
      builder.bundleID = reader.text("bundleId")
      builder.appAppleID = reader.text("appAppleId")
      if kind == .orderLookup { builder.orderID = reader.text("orderId") }
    }
    if kind == .apiError {
      try decoder.requireUnsignedAccepted("an error of the App Store Server API")
      let code = reader.integer("errorCode")
      builder.receiptStatus = code
      builder.failure = code.map { FailureAdvice(errorCode: $0) } ?? .permanent
      builder.note(reader.problems)
      return builder.finished()
    }
    builder.note(reader.problems)
    var rows = SignedRows(builder: builder)
    for value in root["signedTransactions"]?.elements ?? [] {
      if let row = try await row(value, builder: &rows.builder) { rows.transaction(row) }
    }
    if let value = root["signedAppTransactionInfo"], let row = try await row(value, builder: &rows.builder) {
      rows.appTransaction(row)
    }
    for item in items(of: root) { try await read(item, into: &rows) }
    builder = rows.builder
    // A response without an environment of its own has the environment of its first transaction.
    if builder.environment == .unknown { builder.environment = builder.transactions.first?.environment ?? .unknown }
    if builder.transactions.isEmpty, builder.renewals.isEmpty, builder.appTransactions.isEmpty {
      try decoder.requireUnsignedAccepted("an answer of the App Store Server API without purchases")
    }
    return builder.finished()
  }

  /// Returns the objects that contain a transaction and a renewal info: the response itself, or each last transaction
  /// of its groups.
  private func items(of root: JSONValue) -> [JSONValue] {
    if let groups = root["data"], groups.isArray {
      return groups.elements.flatMap { $0["lastTransactions"]?.elements ?? [] }
    }
    if let last = root["lastTransactions"], last.isArray { return last.elements }
    return root["signedTransactionInfo"] != nil || root["signedRenewalInfo"] != nil ? [root] : []
  }

  private func read(_ item: JSONValue, into rows: inout SignedRows) async throws(PayloadError) {
    var transaction: TransactionVersion?
    var renewal: RenewalVersion?
    if let value = item["signedTransactionInfo"], let row = try await row(value, builder: &rows.builder) {
      transaction = rows.transaction(row)
    }
    if let value = item["signedRenewalInfo"], let row = try await row(value, builder: &rows.builder) {
      renewal = rows.renewal(row)
    }
    guard decoder.unsigned.isAccepted else { return }
    var reader = FieldReader(item)
    let named = reader.identifier("originalTransactionId")
    // Signed texts take precedence over the unsigned id when they state which subscription the status belongs to.
    if let status = reader.integer("status"),
      let originalID = transaction?.originalTransactionID ?? renewal?.originalTransactionID ?? named
    {
      if transaction == nil, renewal == nil { rows.builder.addSigningRoot(nil) }
      let signed = [transaction?.signedAt, renewal?.signedAt].compactMap(\.self).max()
      rows.builder.claims.append(
        StatusClaim(
          environment: transaction?.environment ?? renewal?.environment
            ?? rows.builder.recordedEnvironment(rows.builder.environment),
          originalTransactionID: originalID, status: status, signedAt: signed,
          purchaseAt: transaction?.fields.purchaseAt))
    }
    rows.builder.note(reader.problems)
  }

  /// Checks one signed text. A value that is not a signed text becomes a problem. A signed text that fails the check
  /// makes the whole response unusable: a response with a forgery in it is not Apple's.
  private func row(_ value: JSONValue, builder: inout EvidenceBuilder) async throws(PayloadError) -> SignedRows.Row? {
    guard let (jws, document) = try SignedPayload.opened(value, builder: &builder) else { return nil }
    let path = value.path
    let verified = try await SignedPayload(decoder: decoder).verified(jws, document: document, path: path)
    if verified.trust == .unverified { builder.trust = .unverified }
    builder.addSigningRoot(verified.root)
    return SignedRows.Row(
      object: document.root, text: jws.text(sharing: verified.header), digest: jws.digest,
      range: value.plainStringRange, path: path)
  }
}
