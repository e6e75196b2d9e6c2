import AppStore
import Crypto
import Foundation
import AppStoreSimulator
import X509

/// A certificate authority for tests, with chains shaped like Apple's (CA keys on P-384, a leaf on P-256) and every way
/// to get them wrong.
package struct TestAuthority: Sendable {
  /// What may be wrong with a chain.
  package struct Flaws: Sendable {
    package var leafPurpose = true
    package var intermediatePurpose = true
    package var validFrom = Date(timeIntervalSince1970: 1_600_000_000)
    package var validUntil = Date(timeIntervalSince1970: 2_600_000_000)
    package var leafSignedByStranger = false
    /// The root issues the leaf by itself: the intermediate beside it is another's.
    package var leafSignedByRoot = false
    package var leafSignsTexts = true
    package var intermediateIsAuthority = true
    package var intermediateSignedByStranger = false
    /// Of the leaf alone, where it differs.
    package var leafValidUntil: Date?
    package init() {}
  }

  /// The authority of tests that need any one: making another costs several signatures.
  package static let shared = Result { try TestAuthority() }
  /// A stranger to it, of the same name.
  package static let stranger = Result { try TestAuthority() }
  /// A good chain of the shared authority.
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

  /// A leaf's key and the three certificates, leaf first.
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
  /// A compact JWS over a JSON text.
  package func sign(
    _ payload: String, algorithm: String = "ES256", certificates: [[UInt8]]? = nil, hasCertificates: Bool = true
  ) throws -> String {
    let chain = (certificates ?? self.certificates).map { "\"" + Data($0).base64EncodedString() + "\"" }
    let x5c = hasCertificates ? ",\"x5c\":[\(chain.joined(separator: ","))]" : ""
    return try sign(payload, header: "{\"alg\":\"\(algorithm)\"\(x5c)}")
  }

  /// A compact JWS whose signature fits, whatever its header says.
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
