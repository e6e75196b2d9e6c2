/// What a receipt of a device contains, and whether it can be believed.
public struct ReceiptCheck: Sendable {
  /// What the receipt states, if it is verified; else why it is refused.
  public let result: Result<Evidence, PayloadError>
  /// The receipt as a JSON object in the words of verifyReceipt's `receipt`, UTF-8. Dates are milliseconds since 1970, as
  /// text. `nil` if the bytes cannot be read. Nobody vouches for it if the receipt is refused.
  public let receipt: [UInt8]?
  /// The format: ``PayloadKind/appReceipt`` or ``PayloadKind/transactionReceipt``; `nil` if the bytes cannot be read.
  public let kind: PayloadKind?
  /// The environment that the receipt states; ``Environment/unverified`` where nothing vouches for production.
  public let environment: Environment
  /// An id to ask the App Store Server API with: the transaction id of the latest purchase. `nil` for a receipt without
  /// purchases.
  public let transactionID: String?

  /// Why the receipt is refused; `nil` if it is verified.
  public var refusal: PayloadError? { if case .failure(let refusal) = result { refusal } else { nil } }
  /// The root that the signature leads to; `nil` if the receipt is refused.
  public var root: RootCertificate? { (try? result.get())?.root }
  /// Whether a trusted root vouches for the receipt.
  public var isVerified: Bool { refusal == nil }
}

extension PayloadDecoder {
  /// Reads a receipt of a device, and verifies it with the settings of this decoder. It records nothing, and asks nobody.
  /// - Parameter bytes: the file, Base 64 of it, or an object `{"receipt-data": …}`. White space around it is ignored.
  /// - Returns: the receipt, or the reason of its refusal. This function does not throw.
  public func check(receipt bytes: [UInt8]) async -> ReceiptCheck {
    var found: DeviceReceipt?
    do throws(PayloadError) {
      guard let file = ReceiptFile(try Self.receiptText(bytes)) else {
        throw PayloadError(.unrecognised, detail: "this is neither a receipt nor Base 64 of one")
      }
      let receipt = try DeviceReceipt(file.bytes)
      found = receipt
      var decoder = self
      decoder.acceptsUnverified = false
      return ReceiptCheck(receipt, .success(try await decoder.evidence(of: receipt, in: file)))
    } catch {
      return ReceiptCheck(found, .failure(error))
    }
  }

  /// Returns the receipt inside an object, or the text itself.
  static func receiptText(_ bytes: [UInt8]) throws(PayloadError) -> ArraySlice<UInt8> {
    if ReceiptText.isFile(bytes[...]) { return bytes[...] }
    let text = trimmed(bytes[...])
    guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "\""), let document = try? JSONDocument(bytes)
    else { return text }
    guard let value = document.root.isString ? document.root : receiptMember(of: document.root),
      let inside = value.stringBytes
    else { throw PayloadError(.unrecognised, detail: "this JSON contains no receipt") }
    return trimmed(inside)
  }

  /// Returns the receipt in what a client sends: Apple's `receipt-data`, or the `Payload` of Unity's purchases.
  static func receiptMember(of root: JSONValue) -> JSONValue? {
    let value = root["receipt-data"] ?? (root["Store"] == nil ? nil : root["Payload"])
    return value?.isString == true ? value : nil
  }
}

extension ReceiptCheck {
  init(_ receipt: DeviceReceipt?, _ result: Result<Evidence, PayloadError>) {
    self.result = result
    self.receipt = receipt?.json
    kind = receipt?.kind
    environment = receipt?.environment ?? .unknown
    transactionID = receipt?.transactionID
  }
}
