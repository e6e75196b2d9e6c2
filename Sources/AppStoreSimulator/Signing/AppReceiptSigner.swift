import AppStore
package import CryptoExtras
import Crypto
import Foundation
import SwiftASN1
package import X509

/// A signer of app receipts in the App Store's way: PKCS #7 with RSA, and the chain of three certificates in it.
public struct AppReceiptSigner: Sendable {
  private let key: _RSA.Signing.PrivateKey
  private let certificates: [[UInt8]]
  /// The issuer and the serial number of the leaf, in DER.
  private let name: [UInt8]

  /// From this day on, Apple signs with SHA-256, and before with SHA-1 (TN3138): 2023-08-14.
  private static let sha256Day = Instant(milliseconds: 1_691_971_200_000)

  private static let (signedData, data): (ASN1ObjectIdentifier, ASN1ObjectIdentifier) = (
    [1, 2, 840, 113_549, 1, 7, 2], [1, 2, 840, 113_549, 1, 7, 1]
  )
  private static let (sha1, sha256): (ASN1ObjectIdentifier, ASN1ObjectIdentifier) = (
    [1, 3, 14, 3, 2, 26], [2, 16, 840, 1, 101, 3, 4, 2, 1]
  )
  private static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]

  /// Creates a signer with a key and its chain.
  /// - Parameter certificates: the leaf, the intermediate and the root.
  package init(key: _RSA.Signing.PrivateKey, certificates: [Certificate]) throws {
    self.key = key
    self.certificates = try certificates.map(CertificateMaker.der)
    var serializer = DER.Serializer()
    try serializer.serialize(certificates[0].issuer)
    try serializer.serialize(certificates[0].serialNumber.bytes)
    name = serializer.serializedBytes
  }

  /// Returns a receipt.
  /// - Parameters:
  ///   - payload: the attributes, in DER.
  ///   - createdAt: the date of the receipt, which decides the digest.
  func sign(_ payload: [UInt8], createdAt: Instant) throws -> [UInt8] {
    let isNew = createdAt >= Self.sha256Day
    let signature =
      isNew
      ? try key.signature(for: SHA256.hash(data: payload), padding: .insecurePKCS1v1_5)
      : try key.signature(for: Insecure.SHA1.hash(data: payload), padding: .insecurePKCS1v1_5)
    return try Self.container(
      payload, certificates: certificates, signer: name, digest: isNew ? Self.sha256 : Self.sha1,
      signature: Array(signature.rawRepresentation))
  }

  /// Returns whether this signer made a receipt with this payload and signature.
  func made(_ signature: [UInt8], of payload: [UInt8]) -> Bool {
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    let (new, old) = (SHA256.hash(data: payload), Insecure.SHA1.hash(data: payload))
    return key.publicKey.isValidSignature(signature, for: new, padding: .insecurePKCS1v1_5)
      || key.publicKey.isValidSignature(signature, for: old, padding: .insecurePKCS1v1_5)
  }

  /// Returns PKCS #7 signed data with one signer (RFC 2315).
  private static func container(
    _ payload: [UInt8], certificates: [[UInt8]], signer: [UInt8], digest: ASN1ObjectIdentifier, signature: [UInt8]
  ) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { info in
      try info.serialize(signedData)
      try explicit(&info) { wrapper in
        try wrapper.appendConstructedNode(identifier: .sequence) { content in
          try content.serialize(1)
          try content.appendConstructedNode(identifier: .set) { try algorithm(digest, &$0) }
          try content.appendConstructedNode(identifier: .sequence) { inner in
            try inner.serialize(data)
            explicit(&inner) { $0.appendPrimitiveNode(identifier: .octetString) { $0 += payload } }
          }
          // Apple's certificates are not in the order of a SET.
          explicit(&content) { list in certificates.forEach { list.serializeRawBytes($0) } }
          try content.appendConstructedNode(identifier: .set) { signers in
            try signers.appendConstructedNode(identifier: .sequence) { one in
              try one.serialize(1)
              one.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(signer) }
              try algorithm(digest, &one)
              try algorithm(rsaEncryption, &one)
              one.appendPrimitiveNode(identifier: .octetString) { $0 += signature }
            }
          }
        }
      }
    }
    return serializer.serializedBytes
  }

  private static func explicit(
    _ serializer: inout DER.Serializer, _ body: (inout DER.Serializer) throws -> Void
  ) rethrows {
    try serializer.appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific), body)
  }

  private static func algorithm(_ identifier: ASN1ObjectIdentifier, _ serializer: inout DER.Serializer) throws {
    try serializer.appendConstructedNode(identifier: .sequence) { algorithm in
      try algorithm.serialize(identifier)
      algorithm.appendPrimitiveNode(identifier: .null) { _ in }
    }
  }
}
