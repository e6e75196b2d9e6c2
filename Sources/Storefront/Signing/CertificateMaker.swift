package import Crypto
package import Foundation
package import SwiftASN1
package import X509

/// Makes certificates shaped like Apple's.
package enum CertificateMaker {
  /// What the leaf of a chain is marked with (Apple, "JWSDecodedHeader").
  package static let leafPurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  /// What the intermediate is marked with.
  package static let intermediatePurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  /// One certificate.
  /// - Parameters:
  ///   - purpose: the extension that says what it is for, where it has one.
  ///   - signsTexts: whether its key usage is that of Apple's leaf.
  package static func certificate(
    subject: String, key: P256.Signing.PublicKey, issuer: String, issuerKey: P256.Signing.PrivateKey,
    purpose: ASN1ObjectIdentifier?, isAuthority: Bool, signsTexts: Bool = true, validFrom: Date,
    validUntil: Date
  ) throws -> Certificate {
    let identifier = SubjectKeyIdentifier(hash: .init(key))
    let issuerIdentifier = SubjectKeyIdentifier(hash: .init(issuerKey.publicKey)).keyIdentifier
    var extensions = try Certificate.Extensions {
      if isAuthority {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      } else {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(signsTexts ? KeyUsage(digitalSignature: true) : KeyUsage(keyAgreement: true))
      }
      identifier
      AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier)
    }
    if let purpose { try extensions.append(.init(oid: purpose, critical: false, value: [5, 0])) }
    return try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key), notValidBefore: validFrom,
      notValidAfter: validUntil, issuer: DistinguishedName { CommonName(issuer) },
      subject: DistinguishedName { CommonName(subject) }, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
      issuerPrivateKey: .init(issuerKey))
  }

  /// Its bytes.
  package static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
