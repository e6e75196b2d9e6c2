/// Why a signed text is not believed, by name. The checks run in the order of the cases, and the first that fails names
/// the reason.
public enum SignatureError: String, Error, Sendable, CaseIterable {
  /// Not three segments of Base 64 URL with JSON in the first two.
  case malformed
  /// The first segment is longer than any header of Apple's.
  case headerTooLong = "header_too_long"
  /// The header's `alg` is anything but ES256: `none`, HS256 …
  case unsupportedAlgorithm = "unsupported_algorithm"
  /// The header demands (`crit`) what no reader of Apple's texts needs to understand.
  case unsupportedHeader = "unsupported_header"
  /// The header has no `x5c`.
  case missingCertificates = "missing_certificates"
  /// `x5c` does not hold exactly three certificates.
  case wrongCertificateCount = "wrong_certificate_count"
  /// A certificate cannot be read, or its key is not P-256 where it must be.
  case malformedCertificate = "malformed_certificate"
  /// The chain leads to a root that is not trusted.
  case untrustedRoot = "untrusted_root"
  /// The leaf was not issued for signing App Store receipts.
  case missingLeafPurpose = "missing_leaf_purpose"
  /// The intermediate was not issued by Apple's developer relations.
  case missingIntermediatePurpose = "missing_intermediate_purpose"
  /// The leaf's key may not sign texts (its key usage names other things than digital signatures).
  case missingSignatureUsage = "missing_signature_usage"
  /// Neither the text nor anything inside says when it was signed, so its certificates cannot be judged.
  case missingSignedDate = "missing_signed_date"
  /// A certificate was not valid at `signedDate`.
  case certificateNotValid = "certificate_not_valid"
  /// The certificates did not sign one another, in their order, or break RFC 5280.
  case brokenChain = "broken_chain"
  /// The signature does not fit the text: it was changed, or signed with another key.
  case invalidSignature = "invalid_signature"
  /// Something inside is dated more than a minute after the signature around it.
  case contentSignedLater = "content_signed_later"

  /// One plain sentence without a full stop.
  public var explanation: String {
    switch self {
    case .malformed: "this is not a compact JWS"
    case .headerTooLong: "the header of the signature is over \(CompactJWS.headerLimit) bytes"
    case .unsupportedAlgorithm: "the signature's algorithm is not ES256"
    case .unsupportedHeader: "the signature demands what Apple's never do"
    case .missingCertificates: "the signature carries no certificates (x5c)"
    case .wrongCertificateCount: "the signature does not carry exactly three certificates"
    case .malformedCertificate: "a certificate of the signature cannot be read"
    case .untrustedRoot: "the signature leads to a root certificate that is not trusted"
    case .missingLeafPurpose: "the signing certificate was not issued for the App Store"
    case .missingIntermediatePurpose: "the intermediate certificate is not Apple's developer relations authority"
    case .missingSignatureUsage: "the signing certificate's key is not for signing texts"
    case .missingSignedDate: "nothing says when this was signed"
    case .certificateNotValid: "a certificate was not valid when this was signed"
    case .brokenChain: "the certificates of the signature do not form a chain"
    case .invalidSignature: "the signature does not fit the text"
    case .contentSignedLater: "what is inside was signed more than a minute after the text around it"
    }
  }

  /// What to do next, as one sentence.
  public var advice: String {
    switch self {
    case .untrustedRoot:
      "If this is test data, trust its root and retry it; otherwise somebody forged it."
    case .malformed: "Import the whole signed text as Apple sent it; a log may have cut it."
    case .wrongCertificateCount:
      "Xcode signs with one certificate of its own: accept it as unverified, or do not believe it."
    default: "Do not believe it: Apple's own signatures pass. Ask Apple again for this customer."
    }
  }
}
