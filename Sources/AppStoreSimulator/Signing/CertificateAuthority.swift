import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A certificate authority for tests: two roots, each with one chain below it. Only verifiers that are set up with these
/// roots trust it. The chains have the extensions, curves and key sizes of Apple's chains.
///
/// The first chain signs JWS. Apple Root CA - G3 and Apple's intermediate have P-384 keys, and sign with
/// ecdsa-with-SHA384. The leaf has a P-256 key, because ES256 needs one. The second chain signs app receipts: it has RSA
/// keys of 2,048 bits. So both chains cost a verifier as much time as Apple's.
public struct CertificateAuthority: Sendable {
  /// Both root certificates for `--trust`, as PEM.
  public let root: String
  /// A chain as PEM: the leaf, the intermediate and the root; and the private key of the leaf (PKCS 8). The private keys
  /// of the root and the intermediate are not stored.
  public struct Chain: Sendable {
    /// The three certificates, leaf first.
    public let certificates: String
    /// The private key of the leaf.
    public let key: String

    /// Creates a chain from its stored texts.
    public init(certificates: String, key: String) { (self.certificates, self.key) = (certificates, key) }
  }

  /// The chain that signs JWS.
  public let chain: Chain
  /// The chain that signs app receipts.
  public let receiptChain: Chain
  /// The signer with the keys of the leaves and the chains.
  public let signer: Signer

  /// Creates a new authority. Its certificates are valid from July 2008, when the App Store opened, to the end of 2048.
  /// - Throws: an error of the cryptographic library.
  public init() throws {
    let leaf = P256.Signing.PrivateKey()
    let receiptLeaf = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let certificates = try Self.chain(
      "Simulated App Store", .init(leaf.publicKey), Certificate.PrivateKey(P384.Signing.PrivateKey()),
      Certificate.PrivateKey(P384.Signing.PrivateKey()))
    let receiptCertificates = try Self.chain(
      "Simulated App Store Receipts", .init(receiptLeaf.publicKey),
      Certificate.PrivateKey(_RSA.Signing.PrivateKey(keySize: .bits2048)),
      Certificate.PrivateKey(_RSA.Signing.PrivateKey(keySize: .bits2048)))
    func text(_ certificates: [Certificate]) throws -> String {
      try certificates.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
    }
    try self.init(
      chain: Chain(certificates: text(certificates), key: leaf.pemRepresentation + "\n"),
      receiptChain: Chain(
        certificates: text(receiptCertificates), key: receiptLeaf.pkcs8PEMRepresentation + "\n"))
  }

  /// Creates an authority from its stored texts.
  /// - Parameters:
  ///   - chain: the chain that signs JWS.
  ///   - receiptChain: the chain that signs app receipts.
  /// - Throws: ``AuthorityError`` where the texts of a chain are not three certificates and the leaf's key.
  public init(chain: Chain, receiptChain: Chain) throws(AuthorityError) {
    do {
      let (documents, receiptDocuments) = try (
        PEMDocument.parseMultiple(pemString: chain.certificates),
        PEMDocument.parseMultiple(pemString: receiptChain.certificates)
      )
      let certificates = try documents.map { try Certificate(pemDocument: $0) }
      let receiptCertificates = try receiptDocuments.map { try Certificate(pemDocument: $0) }
      let leaf = try P256.Signing.PrivateKey(pemRepresentation: chain.key)
      let receiptLeaf = try _RSA.Signing.PrivateKey(pemRepresentation: receiptChain.key)
      guard certificates.count == 3, certificates[0].publicKey == .init(leaf.publicKey),
        receiptCertificates.count == 3, receiptCertificates[0].publicKey == .init(receiptLeaf.publicKey)
      else { throw AuthorityError() }
      root = documents[2].pemString + "\n" + receiptDocuments[2].pemString + "\n"
      (self.chain, self.receiptChain) = (chain, receiptChain)
      signer = Signer(
        key: leaf, certificates: try certificates.map(CertificateMaker.der),
        receipts: try AppReceiptSigner(key: receiptLeaf, certificates: receiptCertificates))
    } catch {
      throw AuthorityError()
    }
  }

  /// Returns a chain: the leaf, the intermediate and the root.
  private static func chain(
    _ name: String, _ leaf: Certificate.PublicKey, _ intermediate: Certificate.PrivateKey,
    _ root: Certificate.PrivateKey
  ) throws -> [Certificate] {
    let (from, until) = (Date(timeIntervalSince1970: 1_214_870_400), Date(timeIntervalSince1970: 2_493_000_000))
    let names = ["Leaf", "Intermediate", "Root"].map { name + " " + $0 }
    return try [
      CertificateMaker.certificate(
        subject: names[0], key: leaf, issuer: names[1], issuerKey: intermediate,
        purpose: CertificateMaker.leafPurpose, isAuthority: false, validFrom: from, validUntil: until),
      CertificateMaker.certificate(
        subject: names[1], key: intermediate.publicKey, issuer: names[2], issuerKey: root,
        purpose: CertificateMaker.intermediatePurpose, isAuthority: true, validFrom: from, validUntil: until),
      CertificateMaker.certificate(
        subject: names[2], key: root.publicKey, issuer: names[2], issuerKey: root, purpose: nil,
        isAuthority: true, validFrom: from, validUntil: until),
    ]
  }
}

/// The error for stored texts that are not three certificates, are not a key, or do not belong together.
public struct AuthorityError: Error, Sendable {}
