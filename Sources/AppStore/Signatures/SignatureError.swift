/// Why the signature of a text is not accepted, by name. The checks run in the order of the cases, and the first failed
/// check names the reason.
public enum SignatureError: String, Error, Sendable, CaseIterable {
  /// The text is not three segments of Base 64 URL with JSON in the first two.
  case malformed
  /// The second segment is `null`. Apple has published such texts: they state nothing.
  case emptyContent = "empty_content"
  /// The first segment is longer than any header of Apple's.
  case headerTooLong = "header_too_long"
  /// The algorithm is not Apple's. A JWS has ES256, and not for example `none` or HS256. A receipt has RSA with SHA-1 or
  /// SHA-256.
  case unsupportedAlgorithm = "unsupported_algorithm"
  /// The header has the member `crit`, which Apple's headers never have.
  case unsupportedHeader = "unsupported_header"
  /// The header has no `x5c`.
  case missingCertificates = "missing_certificates"
  /// The header's `x5c` does not contain exactly three certificates, or a receipt contains more than sixteen.
  case wrongCertificateCount = "wrong_certificate_count"
  /// A receipt contains no signature, or not the certificate that its signature names.
  case missingSigner = "missing_signer"
  /// A receipt contains more than one signature.
  case severalSigners = "several_signers"
  /// The signer's key has 1,024 bits, which is too weak to prove anything. Apple signed so until 2016.
  case weakKey = "weak_key"
  /// A certificate cannot be read, or its key is not P-256 where it must be.
  case malformedCertificate = "malformed_certificate"
  /// The chain leads to a root that is not trusted.
  case untrustedRoot = "untrusted_root"
  /// The leaf was not issued for signing App Store receipts.
  case missingLeafPurpose = "missing_leaf_purpose"
  /// The intermediate was not issued by Apple's developer relations.
  case missingIntermediatePurpose = "missing_intermediate_purpose"
  /// The leaf's key may not sign texts: its key usage does not include digital signatures.
  case missingSignatureUsage = "missing_signature_usage"
  /// Neither the text nor an object inside states when it was signed, so the certificates' validity cannot be checked.
  case missingSignedDate = "missing_signed_date"
  /// A certificate was not valid at `signedDate`.
  case certificateNotValid = "certificate_not_valid"
  /// The certificates did not sign one another in their order, or they break RFC 5280.
  case brokenChain = "broken_chain"
  /// The signature does not match the text: the text was changed, or another key signed it.
  case invalidSignature = "invalid_signature"
  /// An object inside is dated more than a minute after the signature around it.
  case contentSignedLater = "content_signed_later"

  /// A description of the reason in plain words, without a full stop.
  public var explanation: String {
    switch self {
    case .malformed: "this is not a compact JWS"
    case .emptyContent: "the signed text is empty: its content is null"
    case .headerTooLong: "the header of the signature is over \(CompactJWS.headerLimit) bytes"
    case .unsupportedAlgorithm: "the signature's algorithm is not the one that Apple uses"
    case .unsupportedHeader: "the signature's header has the member crit, which Apple's never have"
    case .missingCertificates: "the signature carries no certificates (x5c)"
    case .wrongCertificateCount: "the signature does not carry the three certificates of Apple's chain"
    case .missingSigner: "the receipt has no signature, or not the certificate that its signature names"
    case .severalSigners: "the receipt has more than one signature"
    case .weakKey: "the signer's key has 1,024 bits, which is too weak to prove anything"
    case .malformedCertificate: "a certificate of the signature cannot be read"
    case .untrustedRoot: "the signature leads to a root certificate that is not trusted"
    case .missingLeafPurpose: "the signing certificate was not issued for the App Store"
    case .missingIntermediatePurpose: "the intermediate certificate is not Apple's developer relations authority"
    case .missingSignatureUsage: "the signing certificate's key may not sign texts"
    case .missingSignedDate: "no date states when this was signed"
    case .certificateNotValid: "a certificate was not valid when this was signed"
    case .brokenChain: "the certificates of the signature do not form a chain"
    case .invalidSignature: "the signature does not match the text"
    case .contentSignedLater: "an object inside was signed more than a minute after the text around it"
    }
  }

  /// What to do next, in one or two sentences.
  public var advice: String {
    switch self {
    case .untrustedRoot:
      "If this is test data, trust its root and retry it; otherwise somebody forged it."
    case .weakKey:
      "Ask Apple for this customer, or accept the receipt as unverified; Apple signed old receipts with such keys."
    case .emptyContent: "It states nothing, and without a date its signature cannot be checked. Ask Apple again."
    case .malformed: "Import the whole signed text as Apple sent it; a log may have cut it."
    case .wrongCertificateCount:
      "Xcode signs with one certificate of its own: accept that as unverified; otherwise do not trust it."
    default: "Do not trust it: Apple's own signatures pass this check. Ask Apple again for this customer."
    }
  }
}
