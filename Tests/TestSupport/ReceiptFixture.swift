import AppStore
import AppStoreSimulator
import Crypto
import CryptoExtras
import Foundation
import X509

/// An app receipt that tests write, with every kind of flaw.
package struct ReceiptFixture: Sendable {
  /// What signs a receipt.
  package struct Signer: Sendable {
    package var key: _RSA.Signing.PrivateKey
    /// The certificate that the signature names.
    package var certificate: [UInt8]

    package init(key: _RSA.Signing.PrivateKey, certificate: [UInt8]) {
      (self.key, self.certificate) = (key, certificate)
    }
  }

  /// The digests, by the name of their algorithm.
  package enum Digest: Sendable {
    case sha1, sha256
    var identifier: [Int] { self == .sha1 ? [1, 3, 14, 3, 2, 26] : [2, 16, 840, 1, 101, 3, 4, 2, 1] }
  }

  package var attributes: [DERNode]
  /// The certificates in the container.
  package var certificates: [[UInt8]]
  package var signers: [Signer]
  package var digest = Digest.sha256
  package var signatureAlgorithm = [1, 2, 840, 113_549, 1, 1, 1]
  package var contentType = [1, 2, 840, 113_549, 1, 7, 1]
  package var containerType = [1, 2, 840, 113_549, 1, 7, 2]
  /// Attributes that the signature covers in place of the content.
  package var signedAttributes: [DERNode]?
  package var isDetached = false
  /// The content, if it is not the set of the attributes.
  package var content: [UInt8]?

  /// Creates a receipt of the shared test authority: of a subscription t1, created on day 60.
  package init(
    _ authority: ReceiptAuthority, environment: String = "ProductionSandbox", createdAt: Instant = day(60),
    rows: [[DERNode]] = [Self.row("t1", day(30), day(70))]
  ) throws {
    attributes = Self.attributes(environment: environment, createdAt: createdAt, rows: rows)
    let chain = try authority.chain()
    (certificates, signers) = (chain.certificates, [Signer(key: chain.key, certificate: chain.certificates[0])])
  }

  package static func attributes(environment: String, createdAt: Instant, rows: [[DERNode]]) -> [DERNode] {
    [
      attribute(0, .text(environment)), attribute(2, .text("b")), attribute(3, .text("1")),
      attribute(12, date(createdAt)), attribute(19, .text("1.0")),
    ] + rows.map { attribute(17, .set($0)) }
  }

  /// Returns the attributes of one purchase.
  package static func row(
    _ id: String, _ purchase: Instant, _ expires: Instant?, revoked: Instant? = nil, originalID: String = "t1",
    product: String = "monthly"
  ) -> [DERNode] {
    [
      attribute(1701, .integer(1)), attribute(1702, .text(product)), attribute(1703, .text(id)),
      attribute(1704, date(purchase)), attribute(1705, .text(originalID)), attribute(1706, date(purchase)),
      attribute(1707, .integer(expires == nil ? 0 : 3)), attribute(1708, expires.map(date) ?? .date("")),
      attribute(1711, .integer(0)), attribute(1712, revoked.map(date) ?? .date("")), attribute(1713, .integer(0)),
    ]
  }

  package static func attribute(_ type: Int64, _ value: DERNode) -> DERNode { attribute(type, raw: value.bytes) }

  package static func attribute(_ type: Int64, raw: [UInt8]) -> DERNode {
    .sequence(.integer(type), .integer(1), .octets(raw))
  }

  package static func date(_ instant: Instant) -> DERNode { .date(instant.description.prefix(19) + "Z") }

  /// The receipt, signed.
  package func bytes() throws -> [UInt8] { try tree().bytes }

  /// The receipt in Base 64.
  package func base64() throws -> String { Data(try bytes()).base64EncodedString() }

  package func tree() throws -> DERNode {
    let content = content ?? DERNode.set(attributes).bytes
    var inner: [DERNode] = [.identifier(contentType)]
    if !isDetached { inner.append(.explicit([.octets(content)])) }
    let list = certificates.compactMap { DERNode($0) }
    return .sequence(
      .identifier(containerType),
      .explicit([
        .sequence(
          .integer(1), .set([Self.algorithm(digest.identifier)]), .constructed(0x30, inner), .explicit(list),
          .set(try signers.map { try info($0, content) }))
      ]))
  }

  private func info(_ signer: Signer, _ content: [UInt8]) throws -> DERNode {
    let signed = signedAttributes.map { DERNode.set($0).bytes } ?? content
    let signature =
      digest == .sha1
      ? try signer.key.signature(for: Insecure.SHA1.hash(data: signed), padding: .insecurePKCS1v1_5)
      : try signer.key.signature(for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5)
    let fields = DERNode(signer.certificate)?.children.first?.children ?? []
    var info: [DERNode] = [
      .integer(1), .constructed(0x30, [fields[3], fields[1]]), Self.algorithm(digest.identifier),
    ]
    if let signedAttributes { info.append(.explicit(signedAttributes)) }
    return .constructed(0x30, info + [Self.algorithm(signatureAlgorithm), .octets(Array(signature.rawRepresentation))])
  }

  package static func algorithm(_ identifier: [Int]) -> DERNode {
    .sequence(.identifier(identifier), .primitive(0x05, []))
  }
}

/// A certificate authority for tests of receipts, with RSA keys as Apple's. A chain can have every kind of flaw.
package struct ReceiptAuthority: Sendable {
  /// The flaws that a chain can have.
  package struct Flaws: Sendable {
    package var leafPurpose = true
    package var intermediatePurpose = true
    package var validUntil = Date(timeIntervalSince1970: 2_600_000_000)
    package var leafValidUntil: Date?
    package var leafIsAuthority = false
    package var leafSignedByRoot = false
    package var leafSignedByStranger = false
    package var intermediateIsAuthority = true
    package init() {}
  }

  /// The authority for tests that need any one. Making another costs several keys.
  package static let shared = Result { try ReceiptAuthority() }
  /// Another authority with the same name, but another key.
  package static let stranger = Result { try ReceiptAuthority() }

  package let rootDER: [UInt8]
  package let rootKey: _RSA.Signing.PrivateKey
  package let intermediateKey: _RSA.Signing.PrivateKey
  package let leafKey: _RSA.Signing.PrivateKey
  private static let name = "Test Receipt Root"

  package init() throws {
    rootKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    intermediateKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    rootDER = try CertificateMaker.der(
      CertificateMaker.certificate(
        subject: Self.name, key: .init(rootKey.publicKey), issuer: Self.name, issuerKey: .init(rootKey), purpose: nil,
        isAuthority: true, validFrom: Self.validFrom, validUntil: Flaws().validUntil))
  }

  private static let validFrom = Date(timeIntervalSince1970: 1_200_000_000)

  /// The leaf's private key and the three certificates, leaf first.
  package struct Chain: Sendable {
    package var key: _RSA.Signing.PrivateKey
    package var certificates: [[UInt8]]
  }

  package func chain(_ flaws: Flaws = Flaws()) throws -> Chain {
    let intermediate = try CertificateMaker.certificate(
      subject: "Test Receipt Intermediate", key: .init(intermediateKey.publicKey), issuer: Self.name,
      issuerKey: .init(rootKey), purpose: flaws.intermediatePurpose ? CertificateMaker.intermediatePurpose : nil,
      isAuthority: flaws.intermediateIsAuthority, validFrom: Self.validFrom, validUntil: flaws.validUntil)
    let stranger = flaws.leafSignedByStranger ? try Self.stranger.get().intermediateKey : intermediateKey
    let leaf = try CertificateMaker.certificate(
      subject: "Test Receipt Leaf", key: .init(leafKey.publicKey),
      issuer: flaws.leafSignedByRoot ? Self.name : "Test Receipt Intermediate",
      issuerKey: .init(flaws.leafSignedByRoot ? rootKey : stranger),
      purpose: flaws.leafPurpose ? CertificateMaker.leafPurpose : nil, isAuthority: flaws.leafIsAuthority,
      validFrom: Self.validFrom, validUntil: flaws.leafValidUntil ?? flaws.validUntil)
    return Chain(key: leafKey, certificates: try [leaf, intermediate].map(CertificateMaker.der) + [rootDER])
  }

  /// Returns a certificate that a leaf of this authority issued.
  package func issuedByLeaf() throws -> Chain {
    let chain = try chain()
    let leaf = try CertificateMaker.certificate(
      subject: "Test Receipt Leaf of a Leaf", key: .init(leafKey.publicKey), issuer: "Test Receipt Leaf",
      issuerKey: .init(leafKey), purpose: CertificateMaker.leafPurpose, isAuthority: false, validFrom: Self.validFrom,
      validUntil: Flaws().validUntil)
    return Chain(key: leafKey, certificates: [try CertificateMaker.der(leaf)] + chain.certificates)
  }
}

extension ReceiptFixture {
  /// Returns the attributes that sign a content in its place: its type and its digest.
  package static func signedAttributes(_ content: [UInt8], _ digest: Digest) throws -> [DERNode] {
    let value = digest == .sha1 ? Array(Insecure.SHA1.hash(data: content)) : Array(SHA256.hash(data: content))
    return [
      .sequence(.identifier([1, 2, 840, 113_549, 1, 9, 3]), .set([.identifier([1, 2, 840, 113_549, 1, 7, 1])])),
      .sequence(.identifier([1, 2, 840, 113_549, 1, 9, 4]), .set([.octets(value)])),
    ]
  }
}
