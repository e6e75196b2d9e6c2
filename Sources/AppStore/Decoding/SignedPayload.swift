/// A JWS that arrived by itself: a notification, a transaction, a renewal info or an app transaction.
struct SignedPayload {
  let decoder: PayloadDecoder

  /// Returns the kind of a decoded object; `nil` for any other object.
  static func kind(of root: JSONValue) -> PayloadKind? {
    if root["notificationType"] != nil || root["notificationUUID"] != nil { return .notificationV2 }
    if root["transactionId"] != nil, root["purchaseDate"] != nil || root["originalTransactionId"] != nil {
      return .transaction
    }
    if root["originalTransactionId"] != nil, root["autoRenewStatus"] != nil || root["autoRenewProductId"] != nil {
      return .renewalInfo
    }
    if root["originalApplicationVersion"] != nil || root["applicationVersion"] != nil { return .appTransaction }
    return nil
  }

  /// Verifies and decodes one compact JWS.
  /// - Parameter path: the JSON path of the text, for messages.
  func decode(_ outline: CompactJWS.Outline, path: String) async throws(PayloadError) -> Evidence {
    let (jws, document) = try Self.opened(outline, path: path)
    let (trust, header, root) = try await verified(jws, document: document, path: path)
    guard let kind = Self.kind(of: document.root) else {
      throw PayloadError(
        .nothingUsable, path: path,
        detail: "the signature is valid, but the text inside is not one of Apple's signed objects")
    }
    let text = jws.text(sharing: header)
    var evidence = try evidence(kind, document: document, text: text, digest: jws.digest, trust: trust, root: root)
    evidence.alternateDigest = outline.digest(withAlternateOf: jws.signature)
    return try decoder.admitted(evidence)
  }

  /// Decodes JSON that was once inside a signature, with the trust `unverified`.
  func decodeUnverified(_ document: JSONDocument, kind: PayloadKind) async throws(PayloadError) -> Evidence {
    let text = SignedText(source: document.bytes)
    return try evidence(
      kind, document: document, text: text, digest: ContentDigest(sha256: document.bytes), trust: .unverified, root: nil
    )
  }

  /// Splits a compact JWS into its parts. It checks no signature.
  static func opened(_ text: ArraySlice<UInt8>, path: String) throws(PayloadError) -> (CompactJWS, JSONDocument) {
    try opened(try outline(text, path: path), path: path)
  }

  /// Splits the signed text at a value inside a payload. If the text is empty, it is a lost row and not a forgery.
  /// - Returns: `nil` where the value is empty or no signed text, after a problem about it.
  /// - Throws: an error if the value looks like a signed text and cannot be split.
  static func opened(
    _ value: JSONValue, builder: inout EvidenceBuilder
  ) throws(PayloadError) -> (CompactJWS, JSONDocument)? {
    guard !value.isNull else { return nil }
    guard let text = value.stringBytes, CompactJWS.isLikely(text) else {
      builder.countUnusableRow(.notSigned, at: value)
      return nil
    }
    do throws(PayloadError) {
      return try opened(text, path: value.path)
    } catch {
      guard error.signature == .emptyContent else { throw error }
      builder.countUnusableRow(.emptySignedText, at: value)
      return nil
    }
  }

  static func outline(_ text: ArraySlice<UInt8>, path: String) throws(PayloadError) -> CompactJWS.Outline {
    do throws(SignatureError) { return try CompactJWS.Outline(text) } catch { throw PayloadError(error, path: path) }
  }

  private static func opened(
    _ outline: CompactJWS.Outline, path: String
  ) throws(PayloadError) -> (CompactJWS, JSONDocument) {
    let jws: CompactJWS
    do throws(SignatureError) { jws = try CompactJWS(outline) } catch { throw PayloadError(error, path: path) }
    guard let document = try? JSONDocument(jws.payload), document.root.isObject || document.root.isNull else {
      throw PayloadError(SignatureError.malformed, path: path)
    }
    guard document.root.isObject else { throw PayloadError(SignatureError.emptyContent, path: path) }
    return (jws, document)
  }

  /// Verifies a compact JWS and returns why it counts as evidence. Local data without a trusted chain counts as
  /// unverified when the decoder accepts unverified data.
  /// - Returns: the trust; the header, if a trust store checked it (one shared array for all texts of one chain); and
  ///   the root of the chain.
  func verified(
    _ jws: CompactJWS, document: JSONDocument, path: String
  ) async throws(PayloadError) -> (trust: Trust, header: [UInt8]?, root: RootCertificate?) {
    do throws(SignatureError) {
      let (header, root) = try await decoder.trust.verify(jws, signedAt: Self.signedAt(document.root))
      return (.verified, header, root)
    } catch {
      var reader = FieldReader(document.root)
      let environment = reader.text("environment") ?? reader.text("receiptType")
      if decoder.acceptsUnverified, Environment(apple: environment).isLocal { return (.unverified, nil, nil) }
      throw PayloadError(error, path: path)
    }
  }

  /// Returns `signedDate`, or `receiptCreationDate` of an app transaction. For a notification without either date, it
  /// returns the date of an object inside it.
  static func signedAt(_ root: JSONValue) -> Instant? {
    var reader = FieldReader(root)
    if let date = reader.instant("signedDate") ?? reader.instant("receiptCreationDate") { return date }
    guard let data = root["data"] else { return nil }
    for inner in [data["signedTransactionInfo"], data["signedRenewalInfo"]].compactMap(\.self) {
      if inner.isObject, let date = signedAt(inner) { return date }
      guard let text = inner.string, let (_, document) = try? opened(Array(text.utf8)[...], path: "$") else { continue }
      var reader = FieldReader(document.root)
      if let date = reader.instant("signedDate") { return date }
    }
    return nil
  }

  private func evidence(
    _ kind: PayloadKind, document: JSONDocument, text: SignedText, digest: ContentDigest, trust: Trust,
    root: RootCertificate?
  ) throws(PayloadError) -> Evidence {
    if kind == .notificationV2 {
      return try NotificationV2(document: document, text: text, digest: digest, trust: trust, signedBy: root).decode()
    }
    var builder = EvidenceBuilder(document: document, kind: kind, trust: trust)
    builder.arrivalDigest = digest
    builder.addSigningRoot(root)
    var reader = FieldReader(document.root)
    builder.environment = Environment(apple: reader.text("environment") ?? reader.text("receiptType"))
    builder.bundleID = reader.text("bundleId")
    builder.appAppleID = reader.text("appAppleId")
    builder.statedAt = Self.signedAt(document.root)
    var rows = SignedRows(builder: builder)
    let row = SignedRows.Row(
      object: document.root, text: text, digest: digest, range: 0..<document.bytes.count, path: "$")
    switch kind {
    case .transaction: rows.transaction(row)
    case .renewalInfo: rows.renewal(row)
    default: rows.appTransaction(row)
    }
    // The payload consists of one object, so nothing of its text remains after that object is cut out. An object
    // without a key is not cut out, so its text stays here.
    if rows.builder.isEmpty { rows.builder.text = text }
    return rows.builder.finished()
  }
}
