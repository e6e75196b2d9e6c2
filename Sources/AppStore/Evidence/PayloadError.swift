/// Why a payload is not recorded. This is an expected result: the quarantine stores it with the payload's bytes.
public struct PayloadError: Error, Sendable, Equatable {
  /// The reasons. Their names are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The payload is empty, or only white space.
    case empty
    /// The text is neither JSON, a compact JWS nor a receipt.
    case malformed
    /// The text ends before it is complete.
    case truncated
    /// The text contains bytes that are not UTF-8.
    case notUTF8 = "not_utf8"
    /// The JSON is nested deeper than ``JSONDocument/depthLimit``.
    case tooDeep = "too_deep"
    /// An object contains one key twice, or a receipt one attribute.
    case duplicateKey = "duplicate_key"
    /// The payload is longer than ``PayloadSplitter/sizeLimit``.
    case tooLong = "too_long"
    /// The text is JSON, but none of Apple's formats that the ledger supports.
    case unrecognised
    /// The payload has one of Apple's formats, but nothing in it can be used.
    case nothingUsable = "nothing_usable"
    /// A client event lacks a member that every event needs, or has one that is not valid.
    case unusableEvent = "unusable_event"
    /// A check of the signature failed; see ``PayloadError/signature``.
    case signature
    /// Apple does not sign this format, and the caller did not state that the payload comes from Apple
    /// (``UnsignedPolicy``).
    case unsigned
    /// A V1 notification contains no shared secret of the app, or a wrong one.
    case wrongSharedSecret = "wrong_shared_secret"
    /// The payload is decoded or local data, and the decoder does not accept these
    /// (``PayloadDecoder/acceptsUnverified``).
    case unverified
    /// The payload belongs to an app that is not in ``PayloadDecoder/bundleIDs``.
    case foreignBundle = "foreign_bundle"
    /// The payload's own date is more than a day after it was received. Or a purchase in it is later than its own date
    /// allows.
    case fromTheFuture = "from_the_future"
    /// The received instant of the wrapper cannot be read.
    case unreadableReceivedAt = "unreadable_received_at"
    /// The received instant of the wrapper is more than a day after the clock.
    case receivedInTheFuture = "received_in_the_future"
  }

  /// A code, and for a rejected signature the check that failed. Its raw value is stable: `malformed`, or
  /// `signature/untrusted_root`.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The kind of reason.
    public let code: Code
    /// The check of the signature that failed; `nil` for other codes.
    public let signature: SignatureError?

    init(_ code: Code, _ signature: SignatureError?) { (self.code, self.signature) = (code, signature) }

    /// Creates the reason of a raw value; `nil` if this version of the program does not know it.
    public init?(rawValue: String) {
      let names = rawValue.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let code = names.first.flatMap({ Code(rawValue: String($0)) }) else { return nil }
      guard code == .signature, names.count == 2 else {
        guard code != .signature, names.count == 1 else { return nil }
        self.init(code, nil)
        return
      }
      guard let signature = SignatureError(rawValue: String(names[1])) else { return nil }
      self.init(code, signature)
    }

    /// The stable name, such as `malformed`.
    public var rawValue: String { signature.map { code.rawValue + "/" + $0.rawValue } ?? code.rawValue }
  }

  /// The kind of reason.
  public var code: Code
  /// The JSON path of the value that caused the error; `$` for the whole payload.
  public var path: String
  /// The byte offset from the start of the payload, if it is known.
  public var offset: Int?
  /// A description in plain words, without a full stop.
  public var detail: String
  /// The named reason of a rejected signature; `nil` for other codes.
  public var signature: SignatureError?

  init(_ code: Code, path: String = "$", offset: Int? = nil, detail: String, signature: SignatureError? = nil) {
    self.code = code
    self.path = path
    self.offset = offset
    self.detail = detail
    self.signature = signature
  }

  init(_ failure: JSONError) {
    let code: Code =
      switch failure.reason {
      case .empty: .empty
      case .malformed: .malformed
      case .truncated: .truncated
      case .notUTF8: .notUTF8
      case .tooDeep: .tooDeep
      case .duplicateKey: .duplicateKey
      }
    let words =
      switch failure.reason {
      case .empty: "the payload is empty"
      case .malformed where failure.offset == 0: "this is neither JSON, a compact JWS nor a receipt"
      case .malformed, .truncated, .notUTF8: failure.detail
      case .tooDeep: "nested deeper than \(JSONDocument.depthLimit) levels"
      case .duplicateKey: "one object contains the same key twice"
      }
    self.init(code, path: failure.path, offset: failure.offset, detail: words)
  }

  init(_ rejection: SignatureError, path: String = "$") {
    self.init(.signature, path: path, detail: rejection.explanation, signature: rejection)
  }

  /// Returns the error for a payload that is longer than ``PayloadSplitter/sizeLimit``.
  /// - Parameter count: the length of the payload in bytes.
  public static func tooLong(count: Int) -> PayloadError {
    PayloadError(.tooLong, detail: "a payload of \(count) bytes is over the limit of \(PayloadSplitter.sizeLimit)")
  }

  /// The code with the check of the signature that failed, as the quarantine stores it.
  public var reason: Reason { Reason(code, signature) }

  /// What to do next, in one or two sentences.
  public var advice: String {
    switch code {
    case .empty: "Nothing was lost. If you expected a payload, look at the program that wrote the file."
    case .malformed, .truncated, .notUTF8, .tooDeep, .duplicateKey:
      "Import the original body as Apple sent it; a log may have cut or rewritten it."
    case .tooLong: "Split it into single payloads, one a line."
    case .unrecognised: "If Apple sent this, a newer version may know it: keep it, and retry it then."
    case .nothingUsable: "Import the payload as Apple sent it; this is a template, or some other text."
    case .unusableEvent: "Correct the report in the app, or in the program that passes it on, and import it again."
    case .signature: signature?.advice ?? ""
    case .unsigned:
      "Ask Apple for it yourself; if you know that Apple sent it, import it as a trusted file."
    case .wrongSharedSecret:
      "Compare the secret with the one in App Store Connect. If it is right, do not trust the payload."
    case .receivedInTheFuture:
      "Look at this machine's clock, and at the program that wrote receivedAt. Then import it again."
    case .unverified: "Import the signed original; or, for tests and old logs, accept unverified data."
    case .foreignBundle: "Import it into that app's ledger, or accept its bundle id too."
    case .fromTheFuture: "Look at this machine's clock, and at the sender. Then retry it."
    case .unreadableReceivedAt: "Write receivedAt as ISO 8601 or as milliseconds since 1970."
    }
  }
}
