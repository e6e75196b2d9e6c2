import AppStore
import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority for tests, with chains shaped like Apple's and every way to get them wrong.
package struct TestAuthority: Sendable {
  /// What may be wrong with a chain.
  package struct Flaws: Sendable {
    package var leafPurpose = true
    package var intermediatePurpose = true
    package var validFrom = Date(timeIntervalSince1970: 1_600_000_000)
    package var validUntil = Date(timeIntervalSince1970: 2_600_000_000)
    package var leafSignedByStranger = false
    package init() {}
  }

  package let rootDER: [UInt8]
  private let rootKey: P256.Signing.PrivateKey
  private let rootName: DistinguishedName

  package init(name: String = "Test Root") throws {
    let key = P256.Signing.PrivateKey()
    rootKey = key
    rootName = try DistinguishedName { CommonName(name) }
    let root = try Self.certificate(
      subject: rootName, key: .init(key.publicKey), issuer: rootName, issuerKey: .init(key), purpose: nil,
      isAuthority: true,
      flaws: Flaws())
    rootDER = try Self.der(root)
  }

  /// A leaf's key and the three certificates, leaf first.
  package struct Chain: Sendable {
    package var key: P256.Signing.PrivateKey
    package var certificates: [[UInt8]]
  }

  package func chain(_ flaws: Flaws = Flaws()) throws -> Chain {
    let intermediateKey = P256.Signing.PrivateKey()
    let leafKey = P256.Signing.PrivateKey()
    let intermediateName = try DistinguishedName { CommonName("Test Intermediate") }
    let leafName = try DistinguishedName { CommonName("Test Leaf") }
    let intermediate = try Self.certificate(
      subject: intermediateName, key: .init(intermediateKey.publicKey), issuer: rootName, issuerKey: .init(rootKey),
      purpose: flaws.intermediatePurpose ? [1, 2, 840, 113_635, 100, 6, 2, 1] : nil, isAuthority: true, flaws: flaws)
    let signer = flaws.leafSignedByStranger ? P256.Signing.PrivateKey() : intermediateKey
    let leaf = try Self.certificate(
      subject: leafName, key: .init(leafKey.publicKey), issuer: intermediateName, issuerKey: .init(signer),
      purpose: flaws.leafPurpose ? [1, 2, 840, 113_635, 100, 6, 11, 1] : nil, isAuthority: false, flaws: flaws)
    return Chain(key: leafKey, certificates: [try Self.der(leaf), try Self.der(intermediate), rootDER])
  }

  private static func certificate(
    subject: DistinguishedName, key: Certificate.PublicKey, issuer: DistinguishedName,
    issuerKey: Certificate.PrivateKey, purpose: ASN1ObjectIdentifier?, isAuthority: Bool, flaws: Flaws
  ) throws -> Certificate {
    var extensions = try Certificate.Extensions {
      if isAuthority {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      } else {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
      }
    }
    if let purpose { try extensions.append(.init(oid: purpose, critical: false, value: [5, 0])) }
    return try Certificate(
      version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: flaws.validFrom,
      notValidAfter: flaws.validUntil, issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: extensions, issuerPrivateKey: issuerKey)
  }

  private static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}

extension TestAuthority.Chain {
  /// A compact JWS over a JSON text.
  package func sign(
    _ payload: String, algorithm: String = "ES256", certificates: [[UInt8]]? = nil, hasCertificates: Bool = true
  ) throws -> String {
    let chain = (certificates ?? self.certificates).map { "\"" + Data($0).base64EncodedString() + "\"" }
    let x5c = hasCertificates ? ",\"x5c\":[\(chain.joined(separator: ","))]" : ""
    let header = "{\"alg\":\"\(algorithm)\"\(x5c)}"
    let signed = header.base64URL + "." + payload.base64URL
    let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
    return signed + "." + signature.base64URL
  }
}

extension String {
  package var base64URL: String { Data(utf8).base64URL }
}

extension Data {
  package var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
