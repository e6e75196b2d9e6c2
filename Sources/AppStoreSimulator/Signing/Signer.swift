import AppStore
package import Crypto
import Foundation

/// A signer of texts in the App Store's way: ES256, with the chain of three certificates in the header.
public struct Signer: Sendable {
  private let key: P256.Signing.PrivateKey
  /// The header in Base64 URL with the dot after it, equal for every text.
  private let head: [UInt8]
  /// The signer of app receipts; `nil` if none are signed.
  public private(set) var receipts: AppReceiptSigner?

  /// Creates a signer with a key and its chain.
  /// - Parameters:
  ///   - key: the leaf's private key.
  ///   - certificates: the chain as DER, leaf first, root last.
  ///   - receipts: the signer of app receipts, if any are signed.
  package init(key: P256.Signing.PrivateKey, certificates: [[UInt8]], receipts: AppReceiptSigner? = nil) {
    (self.key, self.receipts) = (key, receipts)
    let chain = certificates.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
    head = Base64URL.encode("{\"alg\":\"ES256\",\"x5c\":[\(chain)]}".utf8) + [UInt8(ascii: ".")]
  }

  /// This signer, without the ability to sign app receipts.
  var withoutReceipts: Signer {
    var signer = self
    signer.receipts = nil
    return signer
  }

  /// Returns a compact JWS of a payload. Two signatures of one text differ, because ECDSA draws a new random number for
  /// each.
  /// - Parameter payload: a JSON object, UTF-8.
  /// - Throws: an error of the cryptographic library.
  public func sign(_ payload: [UInt8]) throws -> [UInt8] {
    try key.compactJWS(head, payload)
  }
}

extension P256.Signing.PrivateKey {
  /// Returns a compact JWS (RFC 7515) with ES256.
  /// - Parameters:
  ///   - head: the header in Base64 URL with the dot after it.
  ///   - payload: a JSON object, UTF-8.
  /// - Throws: an error of the cryptographic library.
  func compactJWS(_ head: [UInt8], _ payload: [UInt8]) throws -> [UInt8] {
    var text = head + Base64URL.encode(payload)
    let signature = try signature(for: text)
    text.append(UInt8(ascii: "."))
    return text + Base64URL.encode(signature.rawRepresentation)
  }
}
