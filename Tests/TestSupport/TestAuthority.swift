import AppStore
import Crypto
import Foundation
import AppStoreSimulator
import X509

/// A certificate authority for tests. Its chains are shaped like Apple's, with authorities' keys on P-384 and a leaf on
/// P-256. A chain can have every kind of flaw.
package struct TestAuthority: Sendable {
  /// The flaws that a chain can have.
  package struct Flaws: Sendable {
    package var leafPurpose = true
    package var intermediatePurpose = true
    package var validFrom = Date(timeIntervalSince1970: 1_600_000_000)
    package var validUntil = Date(timeIntervalSince1970: 2_600_000_000)
    package var leafSignedByStranger = false
    /// Whether the root issues the leaf itself, so that the intermediate beside it did not.
    package var leafSignedByRoot = false
    package var leafSignsTexts = true
    package var intermediateIsAuthority = true
    package var intermediateSignedByStranger = false
    /// The end of the leaf's validity, where it differs from ``validUntil``.
    package var leafValidUntil: Date?
    package init() {}
  }

  /// The authority for tests that need any one. Making another costs several signatures.
  package static let shared = Result { try TestAuthority() }
  /// Another authority with the same name, but another key.
  package static let stranger = Result { try TestAuthority() }
  /// A chain of the shared authority, without flaws.
  package static let sharedChain = Result { try shared.get().chain() }

  package let rootDER: [UInt8]
  private let rootKey = Certificate.PrivateKey(P384.Signing.PrivateKey())
  private let name: String

  package init(name: String = "Test Root") throws {
    self.name = name
    let flaws = Flaws()
    rootDER = try CertificateMaker.der(
      CertificateMaker.certificate(
        subject: name, key: rootKey.publicKey, issuer: name, issuerKey: rootKey, purpose: nil, isAuthority: true,
        validFrom: flaws.validFrom, validUntil: flaws.validUntil))
  }

  /// The leaf's private key and the three certificates, leaf first.
  package struct Chain: Sendable {
    package var key: P256.Signing.PrivateKey
    package var certificates: [[UInt8]]
  }

  package func chain(_ flaws: Flaws = Flaws()) throws -> Chain {
    let intermediateKey = Certificate.PrivateKey(P384.Signing.PrivateKey())
    let leafKey = P256.Signing.PrivateKey()
    let intermediate = try CertificateMaker.certificate(
      subject: "Test Intermediate", key: intermediateKey.publicKey, issuer: name,
      issuerKey: flaws.intermediateSignedByStranger ? .init(P384.Signing.PrivateKey()) : rootKey,
      purpose: flaws.intermediatePurpose ? CertificateMaker.intermediatePurpose : nil,
      isAuthority: flaws.intermediateIsAuthority,
      validFrom: flaws.validFrom, validUntil: flaws.validUntil)
    let leaf = try CertificateMaker.certificate(
      subject: "Test Leaf", key: .init(leafKey.publicKey), issuer: flaws.leafSignedByRoot ? name : "Test Intermediate",
      issuerKey: flaws.leafSignedByRoot
        ? rootKey : flaws.leafSignedByStranger ? .init(P384.Signing.PrivateKey()) : intermediateKey,
      purpose: flaws.leafPurpose ? CertificateMaker.leafPurpose : nil, isAuthority: false,
      signsTexts: flaws.leafSignsTexts, validFrom: flaws.validFrom,
      validUntil: flaws.leafValidUntil ?? flaws.validUntil)
    return Chain(
      key: leafKey, certificates: [try CertificateMaker.der(leaf), try CertificateMaker.der(intermediate), rootDER])
  }
}

extension TestAuthority.Chain {
  /// Returns a compact JWS of a JSON text.
  package func sign(
    _ payload: String, algorithm: String = "ES256", certificates: [[UInt8]]? = nil, hasCertificates: Bool = true
  ) throws -> String {
    let chain = (certificates ?? self.certificates).map { "\"" + Data($0).base64EncodedString() + "\"" }
    let x5c = hasCertificates ? ",\"x5c\":[\(chain.joined(separator: ","))]" : ""
    return try sign(payload, header: "{\"alg\":\"\(algorithm)\"\(x5c)}")
  }

  /// Returns a compact JWS with a valid signature, for any header.
  package func sign(_ payload: String, header: String) throws -> String {
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
