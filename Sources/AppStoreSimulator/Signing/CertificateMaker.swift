package import Foundation
package import SwiftASN1
package import X509

/// Makes certificates shaped like Apple's.
package enum CertificateMaker {
  /// What the leaf of a chain is marked with (Apple, "JWSDecodedHeader").
  package static let leafPurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  /// What the intermediate is marked with.
  package static let intermediatePurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  /// Makes one certificate, signed with the issuer's key.
  ///
  /// A P-384 key signs with ecdsa-with-SHA384, a P-256 key with ecdsa-with-SHA256: RFC 5480 §4 pairs them so, and Apple
  /// does.
  /// - Parameters:
  ///   - purpose: the extension that says what it is for, where it has one.
  ///   - signsTexts: whether its key usage is that of Apple's leaf.
  package static func certificate(
    subject: String, key: Certificate.PublicKey, issuer: String, issuerKey: Certificate.PrivateKey,
    purpose: ASN1ObjectIdentifier?, isAuthority: Bool, signsTexts: Bool = true, validFrom: Date,
    validUntil: Date
  ) throws -> Certificate {
    let identifier = SubjectKeyIdentifier(hash: key)
    let issuerIdentifier = SubjectKeyIdentifier(hash: issuerKey.publicKey).keyIdentifier
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
      version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: validFrom,
      notValidAfter: validUntil, issuer: DistinguishedName { CommonName(issuer) },
      subject: DistinguishedName { CommonName(subject) }, extensions: extensions, issuerPrivateKey: issuerKey)
  }

  /// Its bytes.
  package static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
