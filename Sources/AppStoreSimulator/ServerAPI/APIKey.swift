public import AppStore
import Crypto
import Foundation

/// A key for in-app purchases, as App Store Connect gives one to a developer. It signs the tokens of requests.
public struct APIKey: Sendable {
  /// The id of the key, which a token states as `kid`.
  public let id: String
  /// The id of the issuer, a UUID, which a token states as `iss`.
  public let issuerID: String
  private let key: P256.Signing.PrivateKey

  /// The private key as PEM (PKCS 8): the contents of Apple's file `AuthKey_….p8`.
  public var pem: String { key.pemRepresentation + "\n" }

  /// Creates a key with a new secret.
  public init() { self.init(P256.Signing.PrivateKey()) }

  /// Creates a key from its PEM (PKCS 8). It has the same ids as before.
  /// - Throws: an error of the cryptographic library.
  public init(pem: String) throws { self.init(try P256.Signing.PrivateKey(pemRepresentation: pem)) }

  private init(_ key: P256.Signing.PrivateKey) {
    self.key = key
    // Ids that follow from the key need no place of their own.
    let digest = Array(SHA256.hash(data: key.publicKey.rawRepresentation))
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    id = String(digest.prefix(10).map { letters[Int($0) % letters.count] })
    var random = SeededGenerator(seed: digest.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    issuerID = random.uuid()
  }

  /// Why a token is refused. Apple says so with the status 401 and an empty body.
  enum Refusal: String, Error {
    case noToken = "no token"
    case malformed = "the token is not a JSON Web Token"
    case wrongAlgorithm = "the token's algorithm is not ES256"
    case wrongKeyID = "the token names another key"
    case wrongSignature = "the token's signature is not of the key"
    case wrongIssuer = "the token names another issuer"
    case wrongAudience = "the token's audience is not appstoreconnect-v1"
    case notYetValid = "the token was made in the future"
    case expired = "the token has expired"
    case tooLong = "the token is valid for more than an hour"
    case notReleased = "the app was never released in production"
  }

  private struct Header: Decodable {
    let alg: String
    let kid: String?
  }

  private struct Claims: Codable {
    let iss: String
    /// Apple's own client for Python leaves it out.
    var iat: Double?
    let exp: Double
    let aud: String
    let bid: String
  }

  /// How far the clock of a client may be ahead, in seconds.
  private static let tolerance = 60.0
  /// The longest time for which a token may be valid, in seconds.
  private static let longest = 3600.0

  /// Checks the token of a request.
  /// - Parameters:
  ///   - authorization: the value of the header `Authorization`.
  ///   - now: the instants that are the present. At one of them, the token must be valid.
  /// - Returns: the bundle id of the app for which the token speaks.
  /// - Throws: the first reason to refuse the token.
  func check(_ authorization: String?, now: ClosedRange<Instant>) throws(Refusal) -> String {
    guard let authorization, authorization.hasPrefix("Bearer ") else { throw .noToken }
    let parts = authorization.dropFirst(7).utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let decoded = parts.compactMap { Base64URL.decode(ArraySlice(Array($0))) }
    guard parts.count == 3, decoded.count == 3,
      let header = try? JSONDecoder().decode(Header.self, from: Data(decoded[0]))
    else { throw .malformed }
    guard header.alg == "ES256" else { throw .wrongAlgorithm }
    guard header.kid == id else { throw .wrongKeyID }
    let text = Data(parts[0]) + Data(".".utf8) + Data(parts[1])
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: Data(decoded[2])),
      key.publicKey.isValidSignature(signature, for: text)
    else { throw .wrongSignature }
    guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(decoded[1])) else { throw .malformed }
    let instants = Double(now.lowerBound.milliseconds) / 1000...Double(now.upperBound.milliseconds) / 1000
    try check(claims, min(max(claims.iat ?? instants.upperBound, instants.lowerBound), instants.upperBound))
    return claims.bid
  }

  private func check(_ claims: Claims, _ now: Double) throws(Refusal) {
    guard claims.iss == issuerID else { throw .wrongIssuer }
    guard claims.aud == "appstoreconnect-v1" else { throw .wrongAudience }
    let begun = claims.iat ?? now
    guard begun <= now + Self.tolerance else { throw .notYetValid }
    guard claims.exp > now else { throw .expired }
    guard claims.exp - begun <= Self.longest else { throw .tooLong }
  }

  /// Returns a token for an app, valid for five minutes, as the value of the header `Authorization`.
  /// - Throws: an error of the cryptographic library.
  public func authorization(bundleID: String, now: Instant) throws -> String {
    let seconds = (Double(now.milliseconds) / 1000).rounded(.down)
    let claims = Claims(
      iss: issuerID, iat: seconds, exp: seconds + 300, aud: "appstoreconnect-v1", bid: bundleID)
    return try authorization(
      header: Array("{\"alg\":\"ES256\",\"kid\":\"\(id)\",\"typ\":\"JWT\"}".utf8),
      claims: Array(try JSONEncoder().encode(claims)))
  }

  /// Returns a token with any header and claims.
  func authorization(header: [UInt8], claims: [UInt8]) throws -> String {
    let text = try key.compactJWS(Base64URL.encode(header) + [UInt8(ascii: ".")], claims)
    return "Bearer " + String(decoding: text, as: UTF8.self)
  }
}
