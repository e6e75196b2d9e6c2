internal import Crypto
internal import Foundation
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// A verified chain of three certificates: the key of the leaf, the time in which all three are valid, and the root.
struct SigningChain: Sendable {
  let key: P256.Signing.PublicKey
  let validity: ClosedRange<Instant>
  let root: RootCertificate

  /// The leaf's purpose: signing App Store receipts.
  static let leafPurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  /// The intermediate's purpose: Apple Worldwide Developer Relations.
  static let intermediatePurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  init(
    header: ArraySlice<UInt8>, roots: [TrustedRoot], signedAt: Instant?
  ) async throws(SignatureError) {
    let ders = try Self.certificates(in: header)
    let certificates: [Certificate]
    do {
      certificates = try ders.map { try Certificate(derEncoded: $0) }
    } catch {
      throw .malformedCertificate
    }
    let leaf = certificates[0]
    guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw .malformedCertificate }
    let intermediate = certificates[1]
    // The third certificate in the header is only a claim. The check uses our own root that signed the second one.
    guard let trusted = roots.first(where: { Self.issued(intermediate, by: $0.certificate) }) else {
      throw .untrustedRoot
    }
    let root = trusted.certificate
    guard leaf.extensions[oid: Self.leafPurpose] != nil else { throw .missingLeafPurpose }
    guard intermediate.extensions[oid: Self.intermediatePurpose] != nil else { throw .missingIntermediatePurpose }
    guard Self.signsTexts(leaf, isApple: trusted.name.isApple) else { throw .missingSignatureUsage }
    guard let signedAt else { throw .missingSignedDate }

    func instant(_ date: Date) -> Instant { Instant(milliseconds: Int64(date.timeIntervalSince1970 * 1000)) }
    let chain = [leaf, intermediate, root]
    let start = chain.map { instant($0.notValidBefore) }.max() ?? signedAt
    let end = chain.map { instant($0.notValidAfter) }.min() ?? signedAt
    guard start <= signedAt, signedAt <= end else { throw .certificateNotValid }

    // The verifier would also accept a leaf that the root itself issued, beside an unrelated intermediate.
    guard Self.issued(leaf, by: intermediate) else { throw .brokenChain }
    let moment = Date(timeIntervalSince1970: Double(signedAt.milliseconds) / 1000)
    var verifier = Verifier(rootCertificates: CertificateStore([root])) {
      RFC5280Policy(fixedExpiryValidationTime: moment)
    }
    let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
    guard case .validCertificate = result else { throw .brokenChain }
    self.key = key
    validity = start...end
    self.root = trusted.name
  }

  /// Returns whether a leaf's key may sign texts. Apple's own leaves all state this usage. A leaf without any stated
  /// usage, as in Apple's test data, has no forbidden usage (RFC 5280 §4.2.1.3).
  private static func signsTexts(_ leaf: Certificate, isApple: Bool) -> Bool {
    do {
      guard let usage = try leaf.extensions.keyUsage else { return !isApple }
      return usage.digitalSignature
    } catch {
      return false
    }
  }

  private static func issued(_ certificate: Certificate, by issuer: Certificate) -> Bool {
    issuer.subject == certificate.issuer
      && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
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
