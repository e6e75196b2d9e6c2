/// A receipt of a device: an app receipt, or a transaction receipt of iOS 6 and earlier.
enum DeviceReceipt {
  case app(AppReceipt)
  case transaction(TransactionReceipt)

  /// Reads a receipt. It verifies nothing.
  /// - Parameter bytes: the receipt itself, not Base 64 of it.
  init(_ bytes: [UInt8]) throws(PayloadError) {
    self =
      ReceiptText.isFile(bytes[...]) ? .app(try AppReceipt(bytes)) : .transaction(try TransactionReceipt(bytes))
  }

  var kind: PayloadKind {
    switch self {
    case .app: .appReceipt
    case .transaction: .transactionReceipt
    }
  }

  /// The receipt in the words of verifyReceipt's `receipt`, UTF-8.
  var json: [UInt8] {
    switch self {
    case .app(let receipt): receipt.json
    case .transaction(let receipt): receipt.json
    }
  }

  /// The id of a transaction to ask the App Store Server API with.
  var transactionID: String? {
    switch self {
    case .app(let receipt): receipt.transactionID
    case .transaction(let receipt): receipt.transactionID
    }
  }

  /// The environment. Nothing vouches for that of a transaction receipt, so it is never production.
  var environment: Environment {
    switch self {
    case .app(let receipt): return Environment(apple: receipt.type)
    case .transaction(let receipt):
      let stated = receipt.environment.map { Environment(apple: $0) } ?? .production
      return stated == .production ? .unverified : stated
    }
  }

  func verify(with trust: TrustStore) async throws(SignatureError) -> RootCertificate {
    switch self {
    case .app(let receipt): try await trust.verify(receipt.container, createdAt: receipt.createdAt)
    case .transaction(let receipt): try await trust.verify(receipt)
    }
  }
}

/// The bytes of a receipt of a device, with what identifies them.
struct ReceiptFile {
  let bytes: [UInt8]
  /// The one text of the receipt, in Base 64.
  let base64: [UInt8]
  /// The digest of ``base64``.
  let digest: ContentDigest

  /// Reads the forms in which a receipt arrives: the file, and Base 64 of it; `nil` for any other text.
  init?(_ text: ArraySlice<UInt8>) {
    guard let bytes = ReceiptText.receipt(text) else { return nil }
    self.bytes = bytes
    base64 = ReceiptText.base64(bytes)
    digest = ContentDigest(sha256: base64)
  }

  /// Returns the text of the receipt as a ledger stores it.
  func text(of receipt: DeviceReceipt) -> SignedText {
    guard case .app(let receipt) = receipt, let certificates = receipt.container.certificateRange else {
      return SignedText(source: base64)
    }
    return SignedText(receipt: bytes, certificates: certificates)
  }
}

extension PayloadDecoder {
  /// Decodes a receipt of a device.
  /// - Parameter text: the file, or Base 64 of it.
  func outcomes(ofReceipt text: ArraySlice<UInt8>, _ isKnown: KnownTest?) async -> [Outcome] {
    do throws(PayloadError) {
      guard let file = ReceiptFile(text) else {
        throw PayloadError(.malformed, detail: "this is neither a receipt nor Base 64 of one")
      }
      if isKnown?(file.digest) == true { return [.known(file.digest)] }
      return [.evidence(try await evidence(of: try DeviceReceipt(file.bytes), in: file))]
    } catch {
      // What cannot be read as a receipt may be any text.
      return [.refused(error, raw: SecretRedactor.redacted(Array(text)))]
    }
  }

  func evidence(of receipt: DeviceReceipt, in file: ReceiptFile) async throws(PayloadError) -> Evidence {
    var device = Receipt.Device(
      kind: receipt.kind, text: file.text(of: receipt), digest: file.digest, trust: .verified,
      environment: receipt.environment)
    do throws(SignatureError) {
      device.root = try await receipt.verify(with: trust)
    } catch {
      // What Xcode signed, and what Apple signed with a key that is too weak, is accepted on request.
      guard acceptsUnverified, receipt.environment.isLocal || error == .weakKey else { throw PayloadError(error) }
      device.trust = .unverified
    }
    var text = JSONWriter()
    text.add("receipt", json: receipt.json)
    // Anything can be in what nobody vouches for.
    let json = device.trust == .unverified ? SecretRedactor.redacted(text.finished) : text.finished
    guard let document = try? JSONDocument(json) else {
      throw PayloadError(.malformed, detail: "the receipt contains text that cannot be read")
    }
    return try admitted(try Receipt(document: document, device: device).decode())
  }
}
