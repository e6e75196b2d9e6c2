import AppStore
import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import AppStoreSimulator

/// The simulated authority signs with the algorithms of Apple's own chain, so that a verifier's cost is the real one.
@Suite struct AuthorityTests {
  @Test func `a receipt names its signer as the certificate does, with any serial number`() async throws {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let from = Date(timeIntervalSince1970: 1_214_870_400)
    func certificate(_ name: String, of issuer: String, _ purpose: ASN1ObjectIdentifier?, isAuthority: Bool) throws
      -> Certificate
    {
      try CertificateMaker.certificate(
        subject: name, key: .init(key.publicKey), issuer: issuer, issuerKey: .init(key), purpose: purpose,
        isAuthority: isAuthority, validFrom: from, validUntil: from.addingTimeInterval(1e9))
    }
    let root = try certificate("R", of: "R", nil, isAuthority: true)
    let intermediate = try certificate("I", of: "R", CertificateMaker.intermediatePurpose, isAuthority: true)
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [CertificateMaker.der(root)]))
    for _ in 0..<16 {
      let leaf = try certificate("L", of: "I", CertificateMaker.leafPurpose, isAuthority: false)
      let signer = try AppReceiptSigner(key: key, certificates: [leaf, intermediate, root])
      var attributes = ReceiptAttributeWriter()
      attributes.add(2, "b")
      attributes.add(12, day(1))
      let check = await decoder.check(receipt: try signer.sign(attributes.set, createdAt: day(1)))
      #expect(check.isVerified, "\(leaf.serialNumber): \(check.refusal?.reason.rawValue ?? "")")
    }
  }

  @Test func `CA keys are on P-384 and sign with SHA-384, the leaf is on P-256; receipts have RSA keys`() throws {
    let authority = try CertificateAuthority()
    let ending = "-----END CERTIFICATE-----\n"
    let certificates = try (authority.chain.certificates + authority.receiptChain.certificates).components(
      separatedBy: ending
    ).dropLast()
      .map { try Certificate(pemEncoded: $0 + ending) }
    #expect(
      certificates.map(\.signatureAlgorithm) == [.ecdsaWithSHA384, .ecdsaWithSHA384, .ecdsaWithSHA384]
        + Array(repeating: .sha256WithRSAEncryption, count: 3))
    for certificate in certificates[3...] {
      #expect(try #require(_RSA.Signing.PublicKey(certificate.publicKey)).keySizeInBits == 2048)
    }
    #expect(P256.Signing.PublicKey(certificates[0].publicKey) != nil)
    #expect(P384.Signing.PublicKey(certificates[1].publicKey) != nil)
    #expect(P384.Signing.PublicKey(certificates[2].publicKey) != nil)
  }
}
