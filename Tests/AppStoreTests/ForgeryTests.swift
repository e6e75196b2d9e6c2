import AppStore
import Foundation
import TestSupport
import Testing

/// Every field of header, chain and signature, made wrong one at a time: none of it is believed, and each is turned away
/// by name.
@Suite struct ForgeryTests {
  static let authority = Result { try TestAuthority() }
  static let payload = SignatureTests.transaction

  private func rejection(_ text: String, trusting root: [UInt8]) async throws -> SignatureError? {
    let decoder = PayloadDecoder.permissive(trust: try TrustStore(trusting: [root]), acceptsUnverified: true)
    guard case .refused(let refusal, _)? = await decoder.decode(Array(text.utf8)).outcomes.first else { return nil }
    #expect(refusal.signature != nil, "\(refusal)")
    return refusal.signature
  }

  private func quoted(_ certificates: [[UInt8]]) -> String {
    "[" + certificates.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",") + "]"
  }

  @Test(arguments: [
    "\"none\"", "\"None\"", "\"HS256\"", "\"RS256\"", "\"ES384\"", "\"ES512\"", "\"PS256\"", "\"EdDSA\"", "\"es256\"",
    "\"ES256 \"", "\"ES256\\u0000\"", "\"\"", "256", "null", "true", "[\"ES256\"]", "{\"alg\":\"ES256\"}",
  ])
  func `alg is ES256 and nothing else, though the signature fits`(algorithm: String) async throws {
    let authority = try Self.authority.get()
    let chain = try authority.chain()
    let header = "{\"alg\":\(algorithm),\"x5c\":\(quoted(chain.certificates))}"
    let text = try chain.sign(Self.payload, header: header)
    #expect(try await rejection(text, trusting: authority.rootDER) == .unsupportedAlgorithm)
  }

  @Test func `a header's other members change nothing that is checked`() async throws {
    let authority = try Self.authority.get()
    let (chain, stranger) = (try authority.chain(), try TestAuthority(name: "Stranger").chain())
    let good = quoted(chain.certificates)
    let key = "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}"
    let cases: [(members: String, reason: SignatureError?)] = [
      ("\"alg\":\"ES256\",\"x5c\":\(good)", nil),
      ("\"x5c\":\(good),\"typ\":\"JWT\",\"kid\":\"1\",\"alg\":\"ES256\"", nil),
      ("\"alg\":\"ES256\",\"x5c\":\(good),\"jwk\":\(key),\"jku\":\"https://example.com\",\"x5u\":\"file:///\"", nil),
      ("\"alg\":\"ES256\",\"x5c\":\(good),\"crit\":[\"b64\"],\"b64\":false", .unsupportedHeader),
      ("\"alg\":\"ES256\",\"x5c\":\(good),\"crit\":[]", .unsupportedHeader),
      ("\"alg\":\"ES256\",\"alg\":\"none\",\"x5c\":\(good)", .malformed),
      ("\"alg\":\"ES256\",\"x5c\":\(good),\"x5c\":\(quoted(stranger.certificates))", .malformed),
      ("\"x5c\":\(good)", .unsupportedAlgorithm), ("\"typ\":\"JWT\"", .unsupportedAlgorithm),
      ("\"alg\":\"ES256\",\"jwk\":\(key)", .missingCertificates),
      ("\"alg\":\"ES256\",\"X5C\":\(good)", .missingCertificates),
    ]
    for (members, reason) in cases {
      let text = try chain.sign(Self.payload, header: "{\(members)}")
      #expect(try await rejection(text, trusting: authority.rootDER) == reason, "\(members.prefix(60))")
    }
    for header in ["{}", "[]", "\"ES256\"", "null", "", "{", "{\"alg\":\"ES256\"", String(repeating: "[", count: 5000)]
    {
      let text = try chain.sign(Self.payload, header: header)
      let item = await PayloadDecoder.permissive().decode(Array(text.utf8))
      guard case .refused? = item.outcomes.first else { throw Believed() }
    }
  }

  struct Believed: Error {}

  @Test func `x5c holds three certificates that can be read, leaf first`() async throws {
    let authority = try Self.authority.get()
    let chain = try authority.chain()
    let (leaf, intermediate, root) = (chain.certificates[0], chain.certificates[1], chain.certificates[2])
    let stranger = try TestAuthority(name: "Test Root")
    let base64 = Data(leaf).base64EncodedString()
    let rest = ",\"\(Data(intermediate).base64EncodedString())\",\"\(Data(root).base64EncodedString())\"]"
    let cases: [(x5c: String, reason: SignatureError?)] = [
      ("null", .missingCertificates), ("\"\(base64)\"", .missingCertificates), ("{}", .missingCertificates),
      ("3", .missingCertificates), ("[]", .wrongCertificateCount),
      (quoted([leaf, intermediate]), .wrongCertificateCount),
      (quoted([leaf, intermediate, root, root]), .wrongCertificateCount),
      (quoted(Array(repeating: leaf, count: 10)), .wrongCertificateCount),
      (quoted(Array(repeating: leaf, count: 1000)), .headerTooLong),
      ("[1" + rest, .malformedCertificate), ("[null" + rest, .malformedCertificate),
      ("[\"\"" + rest, .malformedCertificate),
      ("[[\"\(base64)\"]" + rest, .malformedCertificate), ("[\"\(base64.dropLast(8))\"" + rest, .malformedCertificate),
      ("[\"\(Data(leaf + [0]).base64EncodedString())\"" + rest, .malformedCertificate),
      ("[\"\(base64)\\n\"" + rest, .malformedCertificate), ("[\" \(base64)\"" + rest, .malformedCertificate),
      ("[\"-----BEGIN CERTIFICATE-----\"" + rest, .malformedCertificate),
      ("[\"\(Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]).base64EncodedString())\"" + rest, .malformedCertificate),
      (quoted([leaf, leaf, leaf]), .untrustedRoot), (quoted([leaf, root, intermediate]), .missingIntermediatePurpose),
      // The key of a CA is on P-384, as Apple's are: ES256 cannot be signed with it.
      (quoted([intermediate, leaf, root]), .malformedCertificate), (quoted([root, root, root]), .malformedCertificate),
      (quoted([leaf, try stranger.chain().certificates[1], root]), .untrustedRoot),
      (quoted([try authority.chain().certificates[0], intermediate, root]), .brokenChain),
      // What the third is does not count: our own root does.
      (quoted([leaf, intermediate, stranger.rootDER]), nil), (quoted([leaf, intermediate, leaf]), nil),
    ]
    for (x5c, reason) in cases {
      let text = try chain.sign(Self.payload, header: "{\"alg\":\"ES256\",\"x5c\":\(x5c)}")
      #expect(try await rejection(text, trusting: authority.rootDER) == reason, "\(x5c.prefix(50))")
    }
  }

  @Test func `a chain is judged link by link, and each certificate at signedDate to the second`() async throws {
    let authority = try Self.authority.get()
    func flawed(_ change: (inout TestAuthority.Flaws) -> Void) throws -> String {
      var flaws = TestAuthority.Flaws()
      change(&flaws)
      return try authority.chain(flaws).sign(Self.payload)
    }
    let signed = Date(timeIntervalSince1970: 1_700_000_001)
    let cases: [(text: String, reason: SignatureError?)] = [
      (try flawed { $0.intermediateIsAuthority = false }, .brokenChain),
      (try flawed { $0.intermediateSignedByStranger = true }, .untrustedRoot),
      (try flawed { $0.leafSignedByStranger = true }, .brokenChain),
      (try flawed { $0.leafPurpose = false }, .missingLeafPurpose),
      (try flawed { $0.intermediatePurpose = false }, .missingIntermediatePurpose),
      (try flawed { $0.validUntil = signed.addingTimeInterval(-1) }, .certificateNotValid),
      (try flawed { $0.leafValidUntil = signed.addingTimeInterval(-1) }, .certificateNotValid),
      (try flawed { $0.validFrom = signed.addingTimeInterval(1) }, .certificateNotValid),
      (try flawed { $0.validUntil = signed.addingTimeInterval(1) }, nil),
      (try flawed { $0.validFrom = signed.addingTimeInterval(-1) }, nil),
    ]
    for (index, (text, reason)) in cases.enumerated() {
      #expect(try await rejection(text, trusting: authority.rootDER) == reason, "case \(index)")
    }
    // A root of the same name with another key is another root; and so is one that calls itself Apple's.
    for name in ["Test Root", "Apple Root CA - G3"] {
      let imposter = try TestAuthority(name: name).chain().sign(Self.payload)
      #expect(try await rejection(imposter, trusting: authority.rootDER) == .untrustedRoot)
    }
  }

  @Test func `no other bits than the signer's are a signature`() async throws {
    let authority = try Self.authority.get()
    let chain = try authority.chain()
    let good = try chain.sign(Self.payload)
    let parts = good.split(separator: ".").map(String.init)
    let signature = try chain.key.signature(for: Data((parts[0] + "." + parts[1]).utf8))
    let raw = [UInt8](signature.rawRepresentation)
    #expect(
      try await rejection(parts[0] + "." + parts[1] + "." + Data(raw).base64URL, trusting: authority.rootDER) == nil)
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7,
      0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    let (r, s, zero) = (Array(raw[..<32]), Array(raw[32...]), [UInt8](repeating: 0, count: 32))
    let other = try chain.key.signature(for: Data("other".utf8)).rawRepresentation
    var wrong: [[UInt8]] = [
      [], [0], Array(raw.dropLast()), raw + [0], [0] + raw, zero + zero, zero + s, r + zero, s + r, order + order,
      order + s,
      r + order, [UInt8](repeating: 0xFF, count: 64), [UInt8](signature.derRepresentation), [UInt8](other), raw + raw,
    ]
    for bit in 0..<512 {
      var flipped = raw
      flipped[bit / 8] ^= 1 << (bit % 8)
      wrong.append(flipped)
    }
    for bytes in wrong {
      let text = parts[0] + "." + parts[1] + "." + Data(bytes).base64URL
      #expect(try await rejection(text, trusting: authority.rootDER) == .invalidSignature, "\(bytes.prefix(8))")
    }
  }

  @Test func `no character of a signed text can be another`() async throws {
    let authority = try Self.authority.get()
    let good = Array(try authority.chain().sign(Self.payload).utf8)
    let trust = try TrustStore(trusting: [authority.rootDER])
    var random = SplitMix(seed: 5)
    let others = Array("AZaz09-_+/=. \n\0".utf8)
    for offset in stride(from: 0, to: good.count, by: 7) {
      var text = good
      let other = others.randomElement(using: &random) ?? 0
      text[offset] = other == text[offset] ? other ^ 1 : other
      for case .evidence(let evidence) in await PayloadDecoder.permissive(trust: trust).decode(text).outcomes {
        Issue.record("byte \(offset) changed to \(text[offset]) is believed: \(evidence.digest.hexadecimal)")
      }
    }
  }

  @Test(arguments: ["header", "payload", "signature"])
  func `a text has one spelling`(segment: String) async throws {
    let authority = try Self.authority.get()
    let good = try authority.chain().sign(Self.payload)
    let index = ["header": 0, "payload": 1, "signature": 2][segment] ?? 0
    for ending in ["=", "==", "A", "A=", "%3D", "\t", ".", "\u{0}"] where !(segment == "signature" && ending == "\t") {
      var parts = good.split(separator: ".").map(String.init)
      parts[index] += ending
      let reason = try await rejection(parts.joined(separator: "."), trusting: authority.rootDER)
      #expect(reason != nil, "\(segment) + \(ending)")
    }
  }

  // MARK: - Authentic, and yet not to be taken for what it is not

  @Test func `what was signed for another app is turned away where one's own are named`() async throws {
    let authority = try Self.authority.get()
    let chain = try authority.chain()
    let trust = try TrustStore(trusting: [authority.rootDER])
    let notification = try PayloadFixture.signedV2(
      "SUBSCRIBED", at: day(0), transaction: TransactionFixture("t1", day(0), day(30)), chain: chain)
    let foreignInside = Self.payload.replacing("\"bundleId\":\"b\"", with: "\"bundleId\":\"other\"")
    let answer =
      "{\"revision\":\"r\",\"hasMore\":false,\"bundleId\":\"mine\",\"signedTransactions\":[\"\(try chain.sign(foreignInside))\"]}"
    let renewal = try chain.sign(RenewalFixture(status: true).signed(day(0)))
    let receipt = PayloadFixture.receipt(at: day(0), latest: [TransactionFixture(day(0), day(30))])
    let decoder = PayloadDecoder.permissive(trust: trust, bundleIDs: ["mine"])
    for text in [notification, try chain.sign(Self.payload), answer, renewal, receipt] {
      guard case .refused(let refusal, _)? = await decoder.decode(Array(text.utf8)).outcomes.first else {
        Issue.record("taken: \(text.prefix(80))")
        continue
      }
      #expect(refusal.code == .foreignBundle)
    }
  }

  @Test func `nothing that claims to be signed after it was received is taken, signed or not`() async throws {
    let authority = try Self.authority.get()
    let chain = try authority.chain()
    let trust = try TrustStore(trusting: [authority.rootDER])
    func code(_ text: String, now: Instant?) async -> PayloadError.Code? {
      let outcome = await PayloadDecoder.permissive(trust: trust, now: now).decode(Array(text.utf8)).outcomes.first
      if case .refused(let refusal, _)? = outcome { return refusal.code }
      return nil
    }
    let transaction = TransactionFixture("t1", day(0), day(30))
    let texts = [
      try PayloadFixture.signedV2("SUBSCRIBED", at: day(10), transaction: transaction, chain: chain),
      try chain.sign(transaction.signed(day(10))),
      "{\"revision\":\"r\",\"hasMore\":false,\"bundleId\":\"b\",\"signedTransactions\":[\"\(try chain.sign(transaction.signed(day(10))))\"]}",
      PayloadFixture.receipt(at: day(10), latest: [transaction]),
    ]
    for text in texts {
      #expect(await code(text, now: day(8.9)) == .fromTheFuture)
      #expect(await code(text, now: day(9.1)) == nil)
      #expect(await code(text, now: nil) == nil)
      // An archive tells when it was received: its clock counts where it is later than ours, by no more than clocks differ.
      let wrapped = { (at: Instant) in
        "{\"receivedAt\":\"\(at)\",\"payload\":\(text.hasPrefix("{") ? text : "\"\(text)\"")}"
      }
      #expect(await code(wrapped(day(10)), now: day(1)) == .receivedInTheFuture)
      #expect(await code(wrapped(day(9.5)), now: day(8.6)) == nil)
      #expect(await code(wrapped(day(8.7)), now: day(8.6)) == .fromTheFuture)
      #expect(await code(wrapped(day(5)), now: day(20)) == nil)
    }
  }

  @Test func `Sandbox stays Sandbox, whatever an envelope calls it`() async throws {
    let authority = try Self.authority.get()
    let chain = try authority.chain()
    let trust = try TrustStore(trusting: [authority.rootDER])
    let inner = try chain.sign(TransactionFixture("t1", day(0), day(30)).signed(day(0), environment: "Sandbox"))
    let status =
      "{\"environment\":\"Production\",\"bundleId\":\"b\",\"data\":[{\"subscriptionGroupIdentifier\":\"1\",\"lastTransactions\":"
      + "[{\"originalTransactionId\":\"t1\",\"status\":1,\"signedTransactionInfo\":\"\(inner)\"}]}]}"
    let notification = try chain.sign(
      "{\"notificationType\":\"SUBSCRIBED\",\"notificationUUID\":\"u\",\"version\":\"2.0\",\"signedDate\":\(day(0).milliseconds),"
        + "\"data\":{\"environment\":\"Production\",\"bundleId\":\"b\",\"signedTransactionInfo\":\"\(inner)\"}}")
    for text in [status, notification, "{\"signedPayload\":\"\(notification)\"}"] {
      guard
        case .evidence(let evidence)? = await PayloadDecoder.permissive(trust: trust).decode(Array(text.utf8)).outcomes
          .first
      else {
        Issue.record("refused: \(text.prefix(60))")
        continue
      }
      #expect(evidence.transactions.map(\.environment) == [.sandbox], "\(text.prefix(60))")
    }
  }
}
