/// A notification of App Store Server Notifications V2, after its signature was checked or waived. The outer signature
/// covers the signed texts inside, so they are not checked again.
struct NotificationV2 {
  let document: JSONDocument
  /// The text that the document came from.
  let text: SignedText
  /// The digest of the whole payload.
  let digest: ContentDigest
  let trust: Trust
  /// The root that the signature leads to.
  let signedBy: RootCertificate?

  /// How much later than the notification an object inside may be signed, in milliseconds.
  private static let signingTime: Int64 = 60_000

  func decode() throws(PayloadError) -> Evidence {
    let root = document.root
    var builder = EvidenceBuilder(document: document, kind: .notificationV2, trust: trust)
    builder.addSigningRoot(signedBy)
    builder.text = text
    builder.arrivalDigest = digest
    var reader = FieldReader(root)
    guard let type = reader.text("notificationType") else {
      throw PayloadError(.unrecognised, path: "$.notificationType", detail: "the notification has no type")
    }
    if let signed = root["signedDate"], signed.isString, Int64(signed.string ?? "") == nil {
      throw PayloadError(
        .nothingUsable, path: "$.signedDate", detail: "signedDate is not an instant; this looks like a template")
    }
    var fields = NotificationFields(type: type)
    fields.subtype = reader.text("subtype")
    fields.uuid = reader.identifier("notificationUUID")
    fields.version = reader.text("version")
    builder.statedAt = SignedPayload.signedAt(root)

    let part = [
      root["data"], root["summary"], root["externalPurchaseToken"], root["appData"], root["unclaimInfo"],
    ].compactMap(\.self).first { $0.isObject }
    var inner = part.map { FieldReader($0) }
    builder.environment = Environment(apple: inner?.text("environment"))
    builder.bundleID = inner?.text("bundleId")
    builder.appAppleID = inner?.text("appAppleId")
    fields.bundleVersion = inner?.text("bundleVersion")
    fields.consumptionRequestReason = inner?.text("consumptionRequestReason")
    readSummary(root["summary"], into: &fields, problems: &reader.problems)
    readToken(root["externalPurchaseToken"], into: &fields, builder: &builder, problems: &reader.problems)
    fields.readUnclaimedSeats(&reader)
    let status = inner?.integer("status")
    builder.note(reader.problems + (inner?.problems ?? []))

    var rows = SignedRows(builder: builder)
    let transaction = row(root["data"]?["signedTransactionInfo"], builder: &rows.builder).flatMap {
      rows.transaction($0)
    }
    let renewal = row(root["data"]?["signedRenewalInfo"], builder: &rows.builder).flatMap { rows.renewal($0) }
    if let row = row(root["appData"]?["signedAppTransactionInfo"], builder: &rows.builder) { rows.appTransaction(row) }
    builder = rows.builder
    try requireSignedBefore(
      builder.statedAt, transaction?.signedAt, renewal?.signedAt, builder.appTransactions.first?.signedAt)
    fields.originalTransactionID = transaction?.originalTransactionID ?? renewal?.originalTransactionID
    if let status, let originalID = fields.originalTransactionID {
      builder.claims.append(
        StatusClaim(
          environment: transaction?.environment ?? renewal?.environment
            ?? builder.recordedEnvironment(builder.environment),
          originalTransactionID: originalID, status: status, signedAt: builder.statedAt,
          purchaseAt: transaction?.fields.purchaseAt))
    }
    builder.notification = fields
    return builder.finished()
  }

  /// Throws an error if an object inside was signed after the notification. The notification's date decides which
  /// certificates are valid. Without this check the holder of an expired key could sign objects of today.
  private func requireSignedBefore(_ date: Instant?, _ inner: Instant?...) throws(PayloadError) {
    guard let date, let last = inner.compactMap(\.self).max() else { return }
    if last.milliseconds - date.milliseconds > Self.signingTime {
      throw PayloadError(SignatureError.contentSignedLater, path: "$.data")
    }
  }

  /// Returns the object at a key for a signed text. The value is usually the signed text; in decoded logs it is the
  /// object itself.
  private func row(_ value: JSONValue?, builder: inout EvidenceBuilder) -> SignedRows.Row? {
    guard let value, !value.isNull else { return nil }
    if value.isObject, text.header == nil {
      return SignedRows.Row(
        object: value, text: SignedText(source: Array(value.source)), digest: ContentDigest(sha256: value.source),
        range: value.range, path: value.path)
    }
    let (inner, document): (CompactJWS, JSONDocument)
    do throws(PayloadError) {
      guard let opened = try SignedPayload.opened(value, builder: &builder) else { return nil }
      (inner, document) = opened
    } catch {
      builder.countUnusableRow(.notSigned, at: value)
      return nil
    }
    return SignedRows.Row(
      object: document.root, text: inner.text(sharing: text.header), digest: inner.digest,
      range: value.plainStringRange, path: value.path)
  }

  private func readSummary(_ summary: JSONValue?, into fields: inout NotificationFields, problems: inout [Problem]) {
    guard let summary, summary.isObject else { return }
    var reader = FieldReader(summary)
    fields.requestIdentifier = reader.text("requestIdentifier")
    fields.summaryProductID = reader.text("productId")
    fields.succeededCount = reader.integer("succeededCount")
    fields.failedCount = reader.integer("failedCount")
    problems += reader.problems
  }

  /// Reads an external purchase token. The prefix of its id states the environment (Apple, "Testing transactions that
  /// use custom link tokens").
  private func readToken(
    _ token: JSONValue?, into fields: inout NotificationFields, builder: inout EvidenceBuilder,
    problems: inout [Problem]
  ) {
    guard let token, token.isObject else { return }
    var reader = FieldReader(token)
    fields.externalPurchaseID = reader.text("externalPurchaseId")
    fields.externalPurchaseTokenType = reader.text("tokenType")
    fields.externalPurchaseTokenCreatedAt = reader.instant("tokenCreationDate")
    fields.externalPurchaseTokenExpiresAt = reader.instant("tokenExpirationDate")
    if builder.environment == .unknown, let id = fields.externalPurchaseID {
      builder.environment = id.hasPrefix("SANDBOX") ? .sandbox : .production
    }
    problems += reader.problems
  }
}
