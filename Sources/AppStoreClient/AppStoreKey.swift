internal import AppStore
internal import Crypto
internal import Foundation

/// The app's shared secret, which verifyReceipt asks for. No description shows it.
public struct AppSecret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  let text: String

  /// Creates a secret from the text that App Store Connect shows. White space around it is ignored.
  public init(_ text: String) { self.text = text.trimmingCharacters(in: .whitespacesAndNewlines) }

  /// A text for logs, which says nothing of the secret.
  public var description: String { "a shared secret" }
  /// A mirror without children, so that `dump` shows nothing of the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A key for in-app purchases from App Store Connect. It signs the tokens of requests. No description shows it.
public struct AppStoreKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Why a text is not such a key.
  public enum Wrong: String, Error, Sendable, CustomStringConvertible {
    /// No key in PEM.
    case notPEM = "It has no private key in PEM. Name the file AuthKey_….p8 from App Store Connect, unchanged."
    /// A certificate or a public key.
    case notPrivate =
      "It has a certificate or a public key. Name the private key, AuthKey_….p8, from App Store Connect."
    /// A key behind a password.
    case encrypted = "Its key is encrypted. Name the file AuthKey_….p8 from App Store Connect, unchanged."
    /// A key of another kind: RSA, or another curve.
    case wrongKind =
      "Its key is not of the curve P-256. Name the file of an In-App Purchase key from App Store Connect."

    /// What is wrong and what to do next, without anything of the key.
    public var description: String { rawValue }
  }

  /// The id of the key in App Store Connect.
  public let id: String
  /// The id of the issuer in App Store Connect, a UUID.
  public let issuerID: String
  private let key: P256.Signing.PrivateKey

  /// Reads a key from its text.
  /// - Parameters:
  ///   - pem: the contents of the file `AuthKey_….p8` (PKCS 8).
  ///   - id: the id of the key in App Store Connect.
  ///   - issuerID: the id of the issuer in App Store Connect.
  /// - Throws: ``Wrong`` for anything else than a private key of the curve P-256.
  public init(pem: String, id: String, issuerID: String) throws(Wrong) {
    guard pem.contains("-----BEGIN ") else { throw .notPEM }
    guard pem.contains("PRIVATE KEY-----") else {
      throw pem.contains("PUBLIC KEY") || pem.contains("CERTIFICATE") ? .notPrivate : .notPEM
    }
    guard !pem.contains("ENCRYPTED") else { throw .encrypted }
    do { key = try P256.Signing.PrivateKey(pemRepresentation: pem) } catch { throw .wrongKind }
    (self.id, self.issuerID) = (id, issuerID)
  }

  /// A text for logs: the id of the key.
  public var description: String { "the key \(id)" }
  /// A mirror without children, so that `dump` shows nothing of the key.
  public var customMirror: Mirror { Mirror(self, children: []) }

  private struct Claims: Encodable {
    let iss: String
    let iat: Int64
    let exp: Int64
    let aud = "appstoreconnect-v1"
    let bid: String
  }

  private struct Header: Encodable {
    let alg = "ES256"
    let kid: String
    let typ = "JWT"
  }

  /// How long a token is valid, in seconds. Apple takes up to an hour.
  static let lifetime: Int64 = 300

  /// Returns a token for an app, valid for five minutes (Apple, "Generating JSON Web Tokens for API requests").
  /// - Throws: an error of the cryptographic library.
  func token(bundleID: String, now: Instant) throws -> String {
    // Whole seconds: a token must not begin after the instant of the request.
    let begun = now.milliseconds / 1000
    let claims = Claims(iss: issuerID, iat: begun, exp: begun + Self.lifetime, bid: bundleID)
    let head = Base64URL.encode(AppStoreRequest.json(Header(kid: id)))
    let text = head + [UInt8(ascii: ".")] + Base64URL.encode(AppStoreRequest.json(claims))
    let signature = try key.signature(for: text)
    return String(decoding: text + [UInt8(ascii: ".")] + Base64URL.encode(signature.rawRepresentation), as: UTF8.self)
  }
}
