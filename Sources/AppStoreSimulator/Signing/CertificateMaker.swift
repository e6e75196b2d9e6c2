package import Foundation
package import SwiftASN1
package import X509

/// A maker of certificates in the form of Apple's.
package enum CertificateMaker {
  /// The extension that marks the leaf of Apple's chain (Apple, "JWSDecodedHeader").
  package static let leafPurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
  /// The extension that marks the intermediate of Apple's chain.
  package static let intermediatePurpose: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

  /// Returns a certificate, signed with the issuer's key.
  ///
  /// A P-384 key signs with ecdsa-with-SHA384, a P-256 key with ecdsa-with-SHA256 (RFC 5480 §4), an RSA key with
  /// SHA-256.
  /// - Parameters:
  ///   - purpose: the extension that states the certificate's purpose; `nil` for none.
  ///   - signsTexts: whether the key usage is a leaf's digital signature, as in Apple's leaf.
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

  /// Returns the bytes of a certificate, as DER.
  package static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
