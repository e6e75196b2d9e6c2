import AppStore
import Crypto
import Foundation
import Testing

@testable import AppStoreClient

/// Keys and addresses, as operators give them.
@Suite struct SettingsTests {
  static let wrongKeys: [(String, AppStoreKey.Wrong)] = [
    ("", .notPEM), ("AuthKey", .notPEM), ("-----BEGIN NOTHING-----\n", .notPEM),
    (P256.Signing.PrivateKey().publicKey.pemRepresentation, .notPrivate),
    ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", .notPrivate),
    ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", .encrypted),
    (P384.Signing.PrivateKey().pemRepresentation, .wrongKind),
    ("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----", .wrongKind),
    ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .wrongKind),
  ]

  @Test(arguments: wrongKeys.indices) func `a text that is not such a key is refused with what to do`(_ row: Int) {
    let (text, wrong) = Self.wrongKeys[row]
    #expect(throws: wrong) { try AppStoreKey(pem: text, id: "K", issuerID: "I") }
    #expect(wrong.description.hasSuffix("."))
  }

  @Test func `no description shows the key`() throws {
    let key = try AppStoreKey(pem: P256.Signing.PrivateKey().pemRepresentation, id: "KEY1", issuerID: "I")
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key)" == "the key KEY1")
    #expect(dumped.split(separator: "\n").count == 1)
  }

  @Test func `a token states what Apple wants, and lasts five minutes`() throws {
    let secret = P256.Signing.PrivateKey()
    let key = try AppStoreKey(pem: secret.pemRepresentation, id: "KEY1", issuerID: "issuer")
    let token = try key.token(bundleID: "com.example", now: Instant(milliseconds: 1_700_000_000_999))
    let parts = token.split(separator: ".").map { Base64URL.decode(ArraySlice(Array($0.utf8))) ?? [] }
    #expect(String(decoding: parts[0], as: UTF8.self) == #"{"alg":"ES256","kid":"KEY1","typ":"JWT"}"#)
    #expect(
      String(decoding: parts[1], as: UTF8.self)
        == #"{"aud":"appstoreconnect-v1","bid":"com.example","exp":1700000300,"iat":1700000000,"iss":"issuer"}"#)
    let signed = Data(token.utf8.prefix(upTo: token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex))
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: Data(parts[2]))
    #expect(secret.publicKey.isValidSignature(signature, for: signed))
  }

  static let addresses: [(String, Bool, AppStoreAddresses.Wrong?)] = [
    ("https://api.storekit.apple.com", false, nil), ("https://proxy.example/apple/", false, nil),
    ("http://127.0.0.1:8080", false, nil), ("http://localhost:1/x", false, nil), ("http://[::1]:1", false, nil),
    ("http://10.0.0.1", false, .withoutTLS), ("http://10.0.0.1", true, nil),
    ("http://127.example.com", false, .withoutTLS), ("http://127.0.0.1.example.com", false, .withoutTLS),
    ("http://localhost.example.com", false, .withoutTLS), ("", false, .notAnAddress),
    ("api.storekit.apple.com", false, .notAnAddress), ("ftp://a", true, .notAnAddress),
    ("https://", true, .notAnAddress),
    ("https://me:secret@a", true, .withParts), ("https://a?x=1", true, .withParts), ("https://a#x", true, .withParts),
  ]

  @Test(arguments: addresses.indices) func `an address without TLS is taken only on this machine`(_ row: Int) throws {
    let (text, allows, wrong) = Self.addresses[row]
    func check() throws -> String { try AppStoreAddresses.checked(text, allowingPlainHTTP: allows) }
    if let wrong {
      #expect(throws: wrong) { try check() }
    } else {
      #expect(try check() == (text.hasSuffix("/") ? String(text.dropLast()) : text))
    }
  }
}
