import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority for tests: a root, and one chain below it. Only verifiers that are set up with this root
/// trust it. The chain has the extensions and curves of Apple's chain.
///
/// Apple Root CA - G3 and Apple's intermediate have P-384 keys, and sign with ecdsa-with-SHA384. The leaf has a P-256
/// key, because ES256 needs one. So this chain costs a verifier as much time as Apple's.
public struct CertificateAuthority: Sendable {
  /// The root certificate for `--trust`, as PEM.
  public let root: String
  /// The leaf, intermediate and root certificates, as PEM.
  public let chain: String
  /// The leaf's private key, as PEM (PKCS 8). The private keys of the root and the intermediate are not stored.
  public let key: String
  /// The signer with the leaf's key and the chain.
  public let signer: Signer

  private static let names = [
    "Simulated App Store Leaf", "Simulated App Store Intermediate", "Simulated App Store Root",
  ]

  /// Creates a new authority. Its certificates are valid from July 2008, when the App Store opened, to the end of 2048.
  /// - Throws: an error of the cryptographic library.
  public init() throws {
    let leaf = P256.Signing.PrivateKey()
    let intermediate = Certificate.PrivateKey(P384.Signing.PrivateKey())
    let root = Certificate.PrivateKey(P384.Signing.PrivateKey())
    let (from, until) = (Date(timeIntervalSince1970: 1_214_870_400), Date(timeIntervalSince1970: 2_493_000_000))
    let certificates = try [
      CertificateMaker.certificate(
        subject: Self.names[0], key: .init(leaf.publicKey), issuer: Self.names[1], issuerKey: intermediate,
        purpose: CertificateMaker.leafPurpose, isAuthority: false, validFrom: from, validUntil: until),
      CertificateMaker.certificate(
        subject: Self.names[1], key: intermediate.publicKey, issuer: Self.names[2], issuerKey: root,
        purpose: CertificateMaker.intermediatePurpose, isAuthority: true, validFrom: from, validUntil: until),
      CertificateMaker.certificate(
        subject: Self.names[2], key: root.publicKey, issuer: Self.names[2], issuerKey: root, purpose: nil,
        isAuthority: true, validFrom: from, validUntil: until),
    ]
    let texts = try certificates.map { try $0.serializeAsPEM().pemString + "\n" }
    self.root = texts[2]
    chain = texts.joined()
    key = leaf.pemRepresentation + "\n"
    signer = Signer(key: leaf, certificates: try certificates.map(CertificateMaker.der))
  }

  /// Creates an authority from its stored texts.
  /// - Parameters:
  ///   - chain: the leaf, intermediate and root certificates in this order, as PEM.
  ///   - key: the leaf's private key, as PEM.
  /// - Throws: ``AuthorityError`` where the texts are not three certificates and the leaf's key.
  public init(chain: String, key: String) throws(AuthorityError) {
    do {
      let documents = try PEMDocument.parseMultiple(pemString: chain)
      let certificates = try documents.map { try Certificate(pemDocument: $0) }
      let leaf = try P256.Signing.PrivateKey(pemRepresentation: key)
      guard certificates.count == 3, certificates[0].publicKey == .init(leaf.publicKey) else {
        throw AuthorityError()
      }
      root = documents[2].pemString + "\n"
      self.chain = chain
      self.key = key
      signer = Signer(key: leaf, certificates: try certificates.map(CertificateMaker.der))
    } catch {
      throw AuthorityError()
    }
  }
}

/// The error for stored texts that are not three certificates, are not a key, or do not belong together.
public struct AuthorityError: Error, Sendable {}
