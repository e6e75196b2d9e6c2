import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority for tests: a root that is trusted only by whom is told to, and one chain below it with the
/// marks and the curves that Apple's has.
///
/// Apple Root CA - G3 and Apple's intermediate have P-384 keys, and sign with ecdsa-with-SHA384. The leaf has a P-256
/// key, because ES256 needs one. So a chain of this authority costs a verifier what Apple's costs it.
public struct CertificateAuthority: Sendable {
  /// The root, for `--trust`: PEM.
  public let root: String
  /// Leaf, intermediate and root: PEM.
  public let chain: String
  /// The leaf's private key: PEM, PKCS 8. The root's and the intermediate's were forgotten when they had signed.
  public let key: String
  /// Signs with the leaf.
  public let signer: Signer

  private static let names = [
    "Simulated App Store Leaf", "Simulated App Store Intermediate", "Simulated App Store Root",
  ]

  /// A new authority, whose certificates are valid from 2008, when the App Store opened, to 2049.
  /// - Throws: what the cryptographic library throws.
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

  /// An authority that was kept.
  /// - Parameters:
  ///   - chain: leaf, intermediate and root, in this order: PEM.
  ///   - key: the leaf's private key: PEM.
  /// - Throws: ``AuthorityError`` where these are no such texts, or do not belong together.
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

/// What was kept of an authority is not one: not three certificates, no key, or a key of another.
public struct AuthorityError: Error, Sendable {}
