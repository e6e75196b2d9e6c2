import AppStore
package import Crypto
import Foundation

/// Signs texts as the App Store does: ES256, with the chain of three certificates in the header.
public struct Signer: Sendable {
  private let key: P256.Signing.PrivateKey
  /// The header in Base64 URL, with the dot after it: the same for every text.
  private let head: [UInt8]

  /// - Parameters:
  ///   - key: the leaf's.
  ///   - certificates: DER, leaf first, root last.
  package init(key: P256.Signing.PrivateKey, certificates: [[UInt8]]) {
    self.key = key
    let chain = certificates.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
    head = Base64URL.encode("{\"alg\":\"ES256\",\"x5c\":[\(chain)]}".utf8) + [UInt8(ascii: ".")]
  }

  /// A compact JWS. Two signatures of one text differ, because ECDSA draws a fresh number for each.
  /// - Parameter payload: a JSON object, UTF-8.
  /// - Throws: what the cryptographic library throws; never for lack of memory or keys.
  public func sign(_ payload: [UInt8]) throws -> [UInt8] {
    var text = head + Base64URL.encode(payload)
    let signature = try key.signature(for: text)
    text.append(UInt8(ascii: "."))
    return text + Base64URL.encode(signature.rawRepresentation)
  }
}
