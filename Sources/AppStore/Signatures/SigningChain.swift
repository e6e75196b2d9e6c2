internal import Crypto
internal import X509

/// The verified chain of a compact JWS, whose leaf has a key on P-256.
struct SigningChain: Sendable {
  let key: P256.Signing.PublicKey
  let validity: ClosedRange<Instant>
  let root: RootCertificate

  init(header: ArraySlice<UInt8>, roots: [TrustedRoot], signedAt: Instant?) async throws(SignatureError) {
    let certificates: [Certificate]
    let ders = try Self.certificates(in: header)
    do {
      certificates = try ders.map { try Certificate(derEncoded: $0) }
    } catch {
      throw .malformedCertificate
    }
    guard let key = P256.Signing.PublicKey(certificates[0].publicKey) else { throw .malformedCertificate }
    let chain = try await CertificateChain(
      leaf: certificates[0], intermediates: [certificates[1]], roots: roots, signedAt: signedAt)
    (self.key, validity, root) = (key, chain.validity, chain.root)
  }

  /// Returns the three certificates of a header, DER encoded. It reads only `alg`, `crit` and `x5c`; a wrong `alg` or
  /// any `crit` is refused.
  private static func certificates(in segment: ArraySlice<UInt8>) throws(SignatureError) -> [[UInt8]] {
    guard let bytes = Base64URL.decode(segment), let header = try? JSONDocument(bytes).root, header.isObject else {
      throw .malformed
    }
    guard header["alg"]?.string == "ES256" else { throw .unsupportedAlgorithm }
    // RFC 7515 §4.1.11: a reader that does not understand a critical header must refuse the text.
    guard header["crit"] == nil else { throw .unsupportedHeader }
    guard let chain = header["x5c"], chain.isArray else { throw .missingCertificates }
    let elements = chain.elements
    guard elements.count == 3 else { throw .wrongCertificateCount }
    var ders: [[UInt8]] = []
    for element in elements {
      // Some writers escape the slash of Base 64, so this reads the decoded text, not the bytes.
      guard let text = element.string, let der = Base64URL.decodeStandard(Array(text.utf8)[...]) else {
        throw .malformedCertificate
      }
      ders.append(der)
    }
    return ders
  }
}
