internal import Foundation
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// A verified chain of three certificates: the key of the leaf, the time in which all three are valid, and the root.
struct CertificateChain: Sendable {
  let key: Certificate.PublicKey
  let validity: ClosedRange<Instant>
  let root: RootCertificate

  /// The leaf's purpose: signing App Store receipts.
  static let leafPurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  /// The intermediate's purpose: Apple Worldwide Developer Relations.
  static let intermediatePurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  /// Verifies the chain of a leaf.
  /// - Parameters:
  ///   - intermediates: the certificates that may have issued the leaf. The first one that a trusted root issued counts.
  ///   - roots: our own roots. A root that came with the signature is only a claim.
  ///   - signedAt: when the leaf signed; each certificate must be valid at this instant.
  /// - Throws: the first ``SignatureError`` that applies.
  init(
    leaf: Certificate, intermediates: [Certificate], roots: [TrustedRoot], signedAt: Instant?
  ) async throws(SignatureError) {
    let pairs = intermediates.lazy.compactMap { candidate in
      roots.first { Self.issued(candidate, by: $0.certificate) }.map { (candidate, $0) }
    }
    guard let (intermediate, trusted) = pairs.first else { throw .untrustedRoot }
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
    (key, validity, self.root) = (leaf.publicKey, start...end, trusted.name)
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

  /// Returns whether a certificate is signed with the key of another one that has its issuer's name.
  static func issued(_ certificate: Certificate, by issuer: Certificate) -> Bool {
    issuer.subject == certificate.issuer
      && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
  }
}

/// Verified chains, by the bytes that contain their certificates. There are few, so a linear search is enough.
struct ChainCache<Chain> {
  private var chains: [(text: [UInt8], chain: Chain)] = []

  /// The maximum number of chains. If a forger sends a new chain each time, the cache is emptied and does not grow.
  private static var limit: Int { 256 }

  var count: Int { chains.count }

  /// Returns a chain with the bytes that were added with it: one array that all texts of the chain share.
  subscript(text: ArraySlice<UInt8>) -> (text: [UInt8], chain: Chain)? {
    text.withUnsafeBytes { wanted in
      chains.first { known in known.text.withUnsafeBytes { ByteSearch.areEqual($0, wanted) } }
    }
  }

  /// Adds a chain. Add one only after a signature with it matched: anyone can copy a chain, and copies would remove
  /// others.
  mutating func add(_ chain: Chain, of text: [UInt8]) {
    if chains.count >= Self.limit { chains.removeAll() }
    chains.append((text, chain))
  }
}
