import Crypto
import Foundation
import AppStoreSimulator
import Testing
import X509

/// The simulated authority signs with the algorithms of Apple's own chain, so that a verifier's cost is the real one.
@Suite struct AuthorityTests {
  @Test func `CA keys are on P-384 and sign with SHA-384, the leaf is on P-256`() throws {
    let authority = try CertificateAuthority()
    let ending = "-----END CERTIFICATE-----\n"
    let certificates = try authority.chain.components(separatedBy: ending).dropLast()
      .map { try Certificate(pemEncoded: $0 + ending) }
    #expect(certificates.map(\.signatureAlgorithm) == [.ecdsaWithSHA384, .ecdsaWithSHA384, .ecdsaWithSHA384])
    #expect(P256.Signing.PublicKey(certificates[0].publicKey) != nil)
    #expect(P384.Signing.PublicKey(certificates[1].publicKey) != nil)
    #expect(P384.Signing.PublicKey(certificates[2].publicKey) != nil)
  }
}
