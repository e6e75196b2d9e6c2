import AppStore
import Foundation
import TestSupport
import Testing

/// Who is believed at a target that anyone can reach, and what makes an unsigned payload believed (Importing.md, "The
/// full table").
@Suite struct FuzzTargetTests {
  private func outcome(_ text: String, _ decoder: PayloadDecoder) async throws -> PayloadDecoder.Outcome {
    try #require(await decoder.decode(Array(text.utf8)).outcomes.last)
  }

  private func refusal(_ text: String, _ decoder: PayloadDecoder) async throws -> String? {
    if case .refused(let refusal, _) = try await outcome(text, decoder) { return refusal.reason.rawValue }
    return nil
  }

  private func evidence(_ text: String, _ decoder: PayloadDecoder) async throws -> Evidence {
    guard case .evidence(let evidence) = try await outcome(text, decoder) else {
      throw Refused(words: "\(try await outcome(text, decoder))")
    }
    return evidence
  }

  private struct Refused: Error { var words: String }

  private static func trust() throws -> TrustStore { try TrustStore(trusting: [TestAuthority.shared.get().rootDER]) }

  static let row = TransactionFixture("6", originalID: "6", day(0), day(25_000))

  /// Each would give access for seventy years, or speak for somebody else.
  static let unsigned: [String] = [
    PayloadFixture.receipt(at: day(1), latest: [row], environment: "Production"),
    PayloadFixture.receipt(at: nil, inApp: [row], environment: "Production"),
    "{\"status\":0,\"latest_receipt_info\":[\(row.row)]}", row.row,
    "{\"status\":21006,\"receipt\":\(row.row)}", "{\"status\":21002}",
    PayloadFixture.v1("DID_RENEW", latest: [row], environment: "Production"),
    "{\"errorCode\":4040010}", "{\"environment\":\"Production\",\"data\":[]}",
    "{\"status\":0,\"orderId\":\"M1\",\"signedTransactions\":[]}",
    "{\"signedTransactions\":[],\"revision\":\"r\",\"hasMore\":false}", "{\"notificationHistory\":[]}",
    "{\"event\":\"updated\",\"transaction_state\":\"purchasing\",\"product_id\":\"p\",\"customer\":\"ada\","
      + "\"at\":\"2026-03-02T10:00:00Z\"}",
  ]

  @Test(arguments: unsigned.indices)
  func `an open target refuses every unsigned format, in a wrapper too`(index: Int) async throws {
    let text = Self.unsigned[index]
    #expect(try await refusal(text, PayloadDecoder()) == "unsigned")
    let string = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    for payload in [text, string] {
      let wrapped = "{\"receivedAt\":\"2026-01-02T00:00:00Z\",\"payload\":\(payload)}"
      #expect(try await refusal(wrapped, PayloadDecoder()) == "unsigned")
    }
    #expect(try await refusal(text, .permissive()) == nil)
    // Whoever has a receipt that is recorded could else give it a new received instant.
    guard case .refused? = await PayloadDecoder().decode(Array(text.utf8), isKnown: { _ in true }).outcomes.last else {
      throw Refused(words: "known at an open target")
    }
  }

  @Test func `an open target takes what is signed in an answer, and nothing that only the answer states`() async throws
  {
    let signed = try TestAuthority.sharedChain.get().sign(SignatureTests.transaction)
    let trust = try Self.trust()
    let answers = [
      "{\"status\":0,\"orderId\":\"VICTIM\",\"signedTransactions\":[\"\(signed)\"]}",
      "{\"environment\":\"Production\",\"bundleId\":\"victim\",\"data\":[{\"lastTransactions\":[{\"status\":1,"
        + "\"originalTransactionId\":\"victim\",\"signedTransactionInfo\":\"\(signed)\"}]}]}",
    ]
    for answer in answers {
      let evidence = try await evidence(answer, PayloadDecoder(trust: trust))
      #expect(evidence.transactions.map(\.transactionID) == ["1"])
      #expect(evidence.environment == .sandbox && evidence.bundleID == "b")
      #expect(evidence.orderID == nil && evidence.claims.isEmpty)
      #expect(evidence.root?.name == "Test Root" && evidence.root?.isApple == false)
    }
    // Where answers are believed, a status is that of the signed transaction beside it.
    let claims = try await self.evidence(answers[1], .permissive(trust: trust)).claims
    #expect(claims.map(\.originalTransactionID) == ["1"])
  }

  @Test func `a V1 notification is believed by the app's shared secret, and without it by nothing`() async throws {
    let text = PayloadFixture.v1("DID_RENEW", latest: [Self.row], environment: "Production")
    func notification(_ member: String) -> String { text.replacing("\"password\":\"s3cret\",", with: member) }
    let string = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    let cases: [(text: String, isBelieved: Bool)] = [
      (text, true), ("{\"payload\":\(text)}", true),
      ("{\"payload\":\(string)}", true), (string, true),
      (notification(""), false), (notification("\"password\":\"\","), false),
      (notification("\"password\":\"s3cre\","), false), (notification("\"password\":\"s3cret!\","), false),
      (notification("\"password\":\"S3CRET\","), false), (notification("\"password\":null,"), false),
      (notification("\"password\":[\"s3cret\"],"), false), (notification("\"Password\":\"s3cret\","), false),
      ("{\"password\":\"s3cret\",\"payload\":\(notification(""))}", false),
      (notification("\"x\":{\"password\":\"s3cret\"},"), false),
    ]
    for (text, isBelieved) in cases {
      for policy in [UnsignedPolicy.refused, .accepted(from: "a file")] {
        let decoder = PayloadDecoder(
          unsigned: policy, sharedSecrets: [SharedSecret("other", of: "b"), SharedSecret("s3cret\n", of: "b")])
        #expect(try await refusal(text, decoder) == (isBelieved ? nil : "wrong_shared_secret"), "\(text.prefix(90))")
      }
    }
    // The secret proves V1, and no receipt.
    let decoder = PayloadDecoder(sharedSecrets: [SharedSecret("s3cret", of: "b")])
    let receipt = PayloadFixture.receipt(at: day(1), latest: [Self.row]).replacing(
      "{\"status\"", with: "{\"password\":\"s3cret\",\"status\"")
    #expect(try await refusal(receipt, decoder) == "unsigned")
    guard case .evidence(let evidence) = try await outcome(text, decoder) else { throw Refused(words: "") }
    #expect(!String(decoding: evidence.text.source, as: UTF8.self).contains("s3cret"))
  }

  @Test func `a received instant more than a day after the clock is refused`() async throws {
    let clock = day(10)
    for (hours, isBelieved) in [(0, true), (23, true), (24, true), (25, false), (600_000, false)] {
      let received = Instant(milliseconds: clock.milliseconds + Int64(hours) * 3_600_000)
      let text =
        "{\"receivedAt\":\(received.milliseconds),\"payload\":\(PayloadFixture.v1("DID_RENEW", latest: [Self.row]))}"
      let found = try await refusal(text, .permissive(now: clock))
      #expect(found == (isBelieved ? nil : "received_in_the_future"), "\(hours)")
    }
  }

  // MARK: - What is inside a signature

  private func notification(_ members: String, signedDate: Int64?) throws -> String {
    let date = signedDate.map { "\"signedDate\":\($0)," } ?? ""
    let text =
      "{\"notificationType\":\"DID_RENEW\",\"notificationUUID\":\"u\",\(date)\"data\":{\"environment\":\"Sandbox\","
      + "\"bundleId\":\"b\",\(members)}}"
    return try TestAuthority.sharedChain.get().sign(text)
  }

  @Test func `nothing inside a signed text is signed more than a minute after it`() async throws {
    let chain = try TestAuthority.sharedChain.get()
    // Whoever has an old key dates the outside when its certificate was valid, and the inside today.
    let outer: Int64 = 1_700_000_000_000
    for (later, isBelieved) in [(-5000, true), (0, true), (60_000, true), (60_001, false), (90_000_000_000, false)] {
      let inner = outer + Int64(later)
      let transaction = try chain.sign(SignatureTests.transaction.replacing("1700000001000", with: "\(inner)"))
      let renewal = try chain.sign(
        "{\"originalTransactionId\":\"1\",\"autoRenewProductId\":\"p\",\"environment\":\"Sandbox\",\"signedDate\":\(inner)}"
      )
      for member in ["\"signedTransactionInfo\":\"\(transaction)\"", "\"signedRenewalInfo\":\"\(renewal)\""] {
        let text = try notification(member, signedDate: outer)
        let found = try await refusal(text, PayloadDecoder(trust: Self.trust()))
        #expect(found == (isBelieved ? nil : "signature/content_signed_later"), "\(later) \(member.prefix(24))")
      }
    }
    // A text without a date of its own has that of what is inside it, and the rest is held to that.
    let old = try chain.sign(SignatureTests.transaction)
    let new = try chain.sign(
      "{\"originalTransactionId\":\"1\",\"autoRenewProductId\":\"p\",\"signedDate\":1800000000000}")
    let text = try notification(
      "\"signedTransactionInfo\":\"\(old)\",\"signedRenewalInfo\":\"\(new)\"", signedDate: nil)
    #expect(try await refusal(text, PayloadDecoder(trust: Self.trust())) == "signature/content_signed_later")
  }

  @Test func `a transaction in the place of renewal info says nothing of the renewal`() async throws {
    let genuine = try TestAuthority.sharedChain.get().sign(SignatureTests.transaction)
    let decoder = PayloadDecoder.permissive(trust: try Self.trust())
    let answer = try await evidence("{\"signedRenewalInfo\":\"\(genuine)\"}", decoder)
    #expect(answer.renewals.isEmpty && answer.problems.map(\.code) == [.unexpectedContent])
    #expect(
      try await refusal("{\"signedRenewalInfo\":\"\(genuine)\"}", PayloadDecoder(trust: Self.trust())) == "unsigned")
  }

  @Test func `a receipt holds no purchase and no refund of long after it was written`() async throws {
    let cases: [(purchase: Instant, revoked: Instant?, isBelieved: Bool)] = [
      (day(1), nil, true), (day(11), nil, true), (day(12.1), nil, false), (day(1), day(9), true),
      (day(1), day(12.1), false), (day(25_000), nil, false),
    ]
    for (purchase, revoked, isBelieved) in cases {
      let row = TransactionFixture("6", originalID: "6", purchase, day(30_000), revoked: revoked)
      let text = PayloadFixture.receipt(at: day(10), latest: [row])
      #expect(try await refusal(text, .permissive(now: day(2000))) == (isBelieved ? nil : "from_the_future"), "\(row)")
    }
  }

  // MARK: - Signatures and roots

  @Test func `only chains whose signature held are remembered`() async throws {
    let (trust, good) = (try Self.trust(), try TestAuthority.sharedChain.get())
    let certificates = good.certificates.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
    for index in 0..<20 {
      // The chain is public: anyone can put it into any header.
      let header = "{\"alg\":\"ES256\",\"x5c\":[\(certificates)],\"kid\":\"\(index)\"}".base64URL
      let forged = header + "." + SignatureTests.transaction.base64URL + "." + Data(repeating: 7, count: 64).base64URL
      #expect(try await refusal(forged, PayloadDecoder(trust: trust)) == "signature/invalid_signature")
    }
    #expect(trust.chainCount == 0)
    for _ in 0..<2 {
      _ = try await evidence(try good.sign(SignatureTests.transaction), PayloadDecoder(trust: trust))
      #expect(trust.chainCount == 1)
    }
  }

  @Test func `a signature's other form fits too, and is known to be the same payload`() async throws {
    let decoder = PayloadDecoder(trust: try Self.trust())
    for _ in 0..<20 {
      let text = try TestAuthority.sharedChain.get().sign(SignatureTests.transaction)
      let (first, second) = (
        try await evidence(text, decoder), try await evidence(try text.withOtherFormOfSignature(), decoder)
      )
      #expect(first.digest != second.digest)
      #expect(first.alternateDigest == second.digest && second.alternateDigest == first.digest)
    }
  }

  @Test func `evidence names the root that it is believed by`() async throws {
    let apple = try Checkout.bytes("Tests/AppStoreTests/Data/apple_signed_transaction.jws")
    let real = try await evidence(String(decoding: apple, as: UTF8.self), PayloadDecoder(trust: Self.trust()))
    #expect(real.root?.isApple == true && real.root?.name == "Apple Root CA - G3")
    let text = try TestAuthority.sharedChain.get().sign(SignatureTests.transaction)
    let own = try await evidence(text, PayloadDecoder(trust: Self.trust()))
    #expect(
      own.root
        == RootCertificate(
          digest: ContentDigest(sha256: try TestAuthority.shared.get().rootDER), name: "Test Root", isApple: false))
    #expect(try await evidence(PayloadFixture.receipt(at: day(1), latest: [Self.row]), .permissive()).root == nil)
  }
}
