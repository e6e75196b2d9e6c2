/// Why a payload is not recorded: an expected outcome, kept with the raw bytes in quarantine.
public struct PayloadError: Error, Sendable, Equatable {
  /// The reasons: stable names.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing, or white space only.
    case empty
    /// Not JSON and not a compact JWS.
    case malformed
    /// The text ends before it is complete.
    case truncated
    /// Bytes that are not UTF-8.
    case notUTF8 = "not_utf8"
    /// Nested deeper than ``JSONDocument/depthLimit``.
    case tooDeep = "too_deep"
    /// An object says the same key twice.
    case duplicateKey = "duplicate_key"
    /// Longer than ``PayloadSplitter/sizeLimit``.
    case tooLong = "too_long"
    /// JSON, but none of Apple's formats that the ledger knows.
    case unrecognised
    /// One of Apple's formats in which nothing can be used.
    case nothingUsable = "nothing_usable"
    /// A client event that lacks what every report needs.
    case unusableEvent = "unusable_event"
    /// A signature that is not believed; see ``PayloadError/signature``.
    case signature
    /// A format that Apple does not sign, where nothing says that it comes from Apple (``UnsignedPolicy``).
    case unsigned
    /// A V1 notification without the app's shared secret, or with another.
    case wrongSharedSecret = "wrong_shared_secret"
    /// Decoded or local data without `--accept-unverified`.
    case unverified
    /// A payload of another app than those asked for.
    case foreignBundle = "foreign_bundle"
    /// It claims to be said after it was received.
    case fromTheFuture = "from_the_future"
    /// An instant of the wrapper that cannot be read.
    case unreadableReceivedAt = "unreadable_received_at"
    /// A received instant more than a day after the clock.
    case receivedInTheFuture = "received_in_the_future"
  }

  /// What kind of reason.
  public var code: Code
  /// Where, as a JSON path.
  public var path: String
  /// Where, in bytes from the payload's beginning, where that is known.
  public var offset: Int?
  /// What is wrong, in words, without a full stop.
  public var detail: String
  /// The named reason of a rejected signature.
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
      case .empty: "there is nothing here"
      case .malformed where failure.offset == 0: "this is no JSON and no compact JWS"
      case .malformed, .truncated, .notUTF8: failure.detail
      case .tooDeep: "nested deeper than \(JSONDocument.depthLimit) levels"
      case .duplicateKey: "the same key stands twice in one object"
      }
    self.init(code, path: failure.path, offset: failure.offset, detail: words)
  }

  init(_ rejection: SignatureError, path: String = "$") {
    self.init(.signature, path: path, detail: rejection.explanation, signature: rejection)
  }

  /// A payload longer than ``PayloadSplitter/sizeLimit``.
  public static func tooLong(count: Int) -> PayloadError {
    PayloadError(.tooLong, detail: "a payload of \(count) bytes is over the limit of \(PayloadSplitter.sizeLimit)")
  }

  /// The code, with the signature's reason where there is one: `signature/untrusted_root`.
  public var name: String {
    signature.map { code.rawValue + "/" + $0.rawValue } ?? code.rawValue
  }

  /// What to do next, as one sentence.
  public var advice: String {
    switch code {
    case .empty: "Nothing was lost; leave it, or look at whoever wrote the file."
    case .malformed, .truncated, .notUTF8, .tooDeep, .duplicateKey:
      "Import the original body as Apple sent it; a log may have cut or rewritten it."
    case .tooLong: "Split it into single payloads, one a line."
    case .unrecognised: "If Apple sent this, a newer version may know it: keep it, and retry it then."
    case .nothingUsable: "Import the payload as Apple sent it; this is a template, or some other text."
    case .unusableEvent: "Correct the report in the app, or in the program that passes it on, and import it again."
    case .signature: signature?.advice ?? ""
    case .unsigned:
      "Ask Apple for it yourself; if you know that Apple sent it, import it as a trusted file."
    case .wrongSharedSecret: "Compare the secret with that of App Store Connect; otherwise do not believe it."
    case .receivedInTheFuture: "Look at this machine's clock, and at what wrote receivedAt; then import it again."
    case .unverified: "Import the signed original; or, for tests and old logs, accept unverified data."
    case .foreignBundle: "Import it into that app's ledger, or accept its bundle id too."
    case .fromTheFuture: "Look at this machine's clock, and at the sender. Then retry it."
    case .unreadableReceivedAt: "Write receivedAt as ISO 8601 or as milliseconds since 1970."
    }
  }
}
