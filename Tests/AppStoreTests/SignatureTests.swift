import AppStore
import Foundation
import TestSupport
import Testing

/// Trust (Importing.md, "The full table"): what is believed, and by what name everything else is turned away.
@Suite struct SignatureTests {
  static let authority = try? TestAuthority()
  static let transaction = """
    {"transactionId":"1","originalTransactionId":"1","productId":"p","bundleId":"b","environment":"Sandbox",\
    "purchaseDate":1700000000000,"expiresDate":1702000000000,"signedDate":1700000001000}
    """

  func data(_ name: String) throws -> [UInt8] { try Checkout.bytes("Tests/AppStoreTests/Data/\(name)") }

  func refusal(_ text: String, trust: TrustStore, acceptsUnverified: Bool = false) async -> PayloadError? {
    let decoder = PayloadDecoder.permissive(trust: trust, acceptsUnverified: acceptsUnverified)
    guard case .refused(let refusal, _)? = await decoder.decode(Array(text.utf8)).outcomes.first else { return nil }
    return refusal
  }

  @Test func `the pinned root is Apple Root CA G3`() {
    #expect(
      TrustStore.apple.rootCertificates.map(\.digest.hexadecimal)
        == ["63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"])
  }

  @Test(arguments: ["apple_signed_transaction.jws", "apple_signed_renewal_info.jws"])
  func `what Apple signed is verified, though its certificate has expired since`(name: String) async throws {
    let item = await PayloadDecoder.permissive().decode(try data(name))
    guard case .evidence(let evidence)? = item.outcomes.first else {
      Issue.record("\(item.outcomes)")
      return
    }
    #expect(evidence.trust == .verified)
    #expect(evidence.environment == .sandbox)
  }

  @Test func `Apple's test data is believed with its own root and not otherwise`() async throws {
    let text = try data("apple_test_notification.jws")
    let strict = await PayloadDecoder.permissive().decode(text)
    guard case .refused(let refusal, _)? = strict.outcomes.first else {
      Issue.record("believed without its root")
      return
    }
    #expect(refusal.signature == .untrustedRoot)
    let trust = try TrustStore(trusting: [try data("apple_test_root.der")])
    let trusting = await PayloadDecoder.permissive(trust: trust).decode(text)
    guard case .evidence(let evidence)? = trusting.outcomes.first else {
      Issue.record("\(trusting.outcomes)")
      return
    }
    #expect(evidence.notification?.type == "TEST")
    #expect(evidence.trust == .verified)
  }

  @Test func `Xcode's own signature is refused, and taken as unverified on request`() async throws {
    let text = String(decoding: try data("xcode_transaction.jws"), as: UTF8.self)
    #expect(await refusal(text, trust: .apple)?.signature == .wrongCertificateCount)
    let item = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8))
    guard case .evidence(let evidence)? = item.outcomes.first else {
      Issue.record("\(item.outcomes)")
      return
    }
    #expect(evidence.trust == .unverified)
    #expect(evidence.environment == .xcode)
  }

  @Test func `a good chain of a trusted root is believed, DER or PEM`() async throws {
    let authority = try #require(Self.authority)
    let text = try authority.chain().sign(Self.transaction)
    let pem =
      "-----BEGIN CERTIFICATE-----\n" + Data(authority.rootDER).base64EncodedString(options: .lineLength64Characters)
      + "\n-----END CERTIFICATE-----\n"
    for file in [authority.rootDER, Array(pem.utf8)] {
      #expect(await refusal(text, trust: try TrustStore(trusting: [file])) == nil)
    }
    #expect(throws: RootCertificateError.self) { try TrustStore(trusting: [[1, 2, 3]]) }
  }

  @Test func `a signed text whose content is null is called empty, alone and inside another payload`() async throws {
    // Apple has published two renewal infos that are signed so.
    let authority = try #require(Self.authority)
    let (chain, trust) = try (authority.chain(), TrustStore(trusting: [authority.rootDER]))
    let empty = try chain.sign("null")
    #expect(await refusal(empty, trust: trust)?.signature == .emptyContent)
    let transaction = try chain.sign(TransactionFixture.month.signed(day(1)))
    let notification = try chain.sign(
      "{\"notificationType\":\"DID_RENEW\",\"notificationUUID\":\"u\",\"version\":\"2.0\","
        + "\"signedDate\":\(day(1).milliseconds),\"data\":{\"environment\":\"Sandbox\",\"bundleId\":\"b\","
        + "\"signedTransactionInfo\":\"\(transaction)\",\"signedRenewalInfo\":\"\(empty)\"}}")
    let statuses =
      "{\"environment\":\"Sandbox\",\"bundleId\":\"b\",\"data\":[{\"subscriptionGroupIdentifier\":\"1\","
      + "\"lastTransactions\":[{\"originalTransactionId\":\"t1\",\"status\":1,"
      + "\"signedTransactionInfo\":\"\(transaction)\",\"signedRenewalInfo\":\"\(empty)\"}]}]}"
    for (text, path) in [
      (notification, "$.data.signedRenewalInfo"), (statuses, "$.data[0].lastTransactions[0].signedRenewalInfo"),
    ] {
      let item = await PayloadDecoder(unsigned: .accepted(from: "a test"), trust: trust).decode(Array(text.utf8))
      guard case .evidence(let evidence)? = item.outcomes.first else { throw CancellationError() }
      #expect(evidence.problems.map(\.code) == [.emptySignedText] && evidence.problems.map(\.path) == [path])
      #expect(evidence.transactions.count == 1 && evidence.unusableRowCount == 1)
    }
  }

  /// Every way to forge a signed text, with the reason it is turned away for.
  enum Forgery: String, CaseIterable, Sendable {
    case none, hs256, noCertificates, oneCertificate, fourCertificates, foreignRoot, wrongLeafPurpose
    case wrongIntermediatePurpose, tamperedPayload, tamperedSignature, otherKey, brokenChain, expired, notYetValid
    case noDate, garbageCertificate, cutOff, emptySignature, padded, leafOfTheRoot, keyForAgreement, longHeader

    var reason: SignatureError {
      switch self {
      case .none, .hs256: .unsupportedAlgorithm
      case .noCertificates: .missingCertificates
      case .oneCertificate, .fourCertificates: .wrongCertificateCount
      case .foreignRoot: .untrustedRoot
      case .wrongLeafPurpose: .missingLeafPurpose
      case .wrongIntermediatePurpose: .missingIntermediatePurpose
      case .tamperedPayload, .tamperedSignature, .otherKey, .emptySignature: .invalidSignature
      case .brokenChain, .leafOfTheRoot: .brokenChain
      case .keyForAgreement: .missingSignatureUsage
      case .longHeader: .headerTooLong
      case .expired, .notYetValid: .certificateNotValid
      case .noDate: .missingSignedDate
      case .garbageCertificate: .malformedCertificate
      case .cutOff, .padded: .malformed
      }
    }

    func text(_ authority: TestAuthority) throws -> String {
      let good = try authority.chain()
      let payload = SignatureTests.transaction
      var flaws = TestAuthority.Flaws()
      switch self {
      case .none: return try good.sign(payload, algorithm: "none")
      case .hs256: return try good.sign(payload, algorithm: "HS256")
      case .noCertificates: return try good.sign(payload, hasCertificates: false)
      case .oneCertificate: return try good.sign(payload, certificates: [good.certificates[0]])
      case .fourCertificates: return try good.sign(payload, certificates: good.certificates + [authority.rootDER])
      case .foreignRoot: return try TestAuthority(name: "Stranger").chain().sign(payload)
      case .wrongLeafPurpose: flaws.leafPurpose = false
      case .wrongIntermediatePurpose: flaws.intermediatePurpose = false
      case .brokenChain: flaws.leafSignedByStranger = true
      case .leafOfTheRoot: flaws.leafSignedByRoot = true
      case .keyForAgreement: flaws.leafSignsTexts = false
      case .longHeader:
        let certificates = good.certificates.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let filling = String(repeating: "x", count: 16 << 10)
        return try good.sign(payload, header: "{\"alg\":\"ES256\",\"x5c\":[\(certificates)],\"y\":\"\(filling)\"}")
      case .expired: flaws.validUntil = Date(timeIntervalSince1970: 1_650_000_000)
      case .notYetValid: flaws.validFrom = Date(timeIntervalSince1970: 1_800_000_000)
      case .tamperedPayload:
        var parts = try good.sign(payload).split(separator: ".").map(String.init)
        parts[1] = payload.replacing("\"transactionId\":\"1\"", with: "\"transactionId\":\"2\"").base64URL
        return parts.joined(separator: ".")
      case .tamperedSignature:
        let text = try good.sign(payload)
        let parts = text.split(separator: ".").map(String.init)
        return parts[0] + "." + parts[1] + "." + Data(repeating: 7, count: 64).base64URL
      case .otherKey: return try authority.chain().sign(payload, certificates: good.certificates)
      case .noDate: return try good.sign(payload.replacing("signedDate", with: "signedData"))
      case .garbageCertificate:
        return try good.sign(payload, certificates: [[1, 2, 3], good.certificates[1], good.certificates[2]])
      case .cutOff: return String(try good.sign(payload).prefix(2000).split(separator: ".")[0]) + ".eyJ"
      case .emptySignature: return try good.sign(payload).split(separator: ".").prefix(2).joined(separator: ".") + "."
      case .padded: return try good.sign(payload) + "="
      }
      return try authority.chain(flaws).sign(payload)
    }
  }

  @Test(arguments: Forgery.allCases)
  func `a forgery is turned away by name, also where unverified data is welcome`(_ forgery: Forgery) async throws {
    let authority = try #require(Self.authority)
    let text = try forgery.text(authority)
    let trust = try TrustStore(trusting: [authority.rootDER])
    #expect(await refusal(text, trust: trust)?.signature == forgery.reason)
    #expect(await refusal(text, trust: trust, acceptsUnverified: true)?.signature == forgery.reason)
    // And again, when the chain may have been remembered.
    #expect(await refusal(text, trust: trust)?.signature == forgery.reason)
  }

  @Test func `a remembered chain is still judged at each signedDate`() async throws {
    let authority = try #require(Self.authority)
    let chain = try authority.chain()
    let trust = try TrustStore(trusting: [authority.rootDER])
    #expect(await refusal(try chain.sign(Self.transaction), trust: trust) == nil)
    let late = Self.transaction.replacing("1700000001000", with: "2700000001000")
    #expect(await refusal(try chain.sign(late), trust: trust)?.signature == .certificateNotValid)
  }

  @Test func `one forged text inside an unsigned answer refuses the answer`() async throws {
    let authority = try #require(Self.authority)
    let good = try authority.chain().sign(Self.transaction)
    let forged = try Forgery.tamperedPayload.text(authority)
    let trust = try TrustStore(trusting: [authority.rootDER])
    let answer =
      "{\"revision\":\"r\",\"hasMore\":false,\"bundleId\":\"b\",\"signedTransactions\":[\"\(good)\",\"\(forged)\"]}"
    let refusal = await refusal(answer, trust: trust)
    #expect(refusal?.signature == .invalidSignature)
    #expect(refusal?.path == "$.signedTransactions[1]")
  }

  @Test func `the reason for a quarantine is a code, and of a signature also the check that failed`() {
    for code in PayloadError.Code.allCases where code != .signature {
      #expect(PayloadError.Reason(rawValue: code.rawValue)?.code == code)
      #expect(PayloadError.Reason(rawValue: code.rawValue + "/malformed") == nil)
    }
    for check in SignatureError.allCases {
      let reason = PayloadError.Reason(rawValue: "signature/" + check.rawValue)
      #expect(reason?.signature == check && reason?.rawValue == "signature/" + check.rawValue)
    }
    for unknown in ["", "signature", "signature/", "signature/no", "no", "/malformed"] {
      #expect(PayloadError.Reason(rawValue: unknown) == nil, "\(unknown)")
    }
  }

  @Test func `every rejection says what to do`() {
    for reason in SignatureError.allCases { #expect(!reason.advice.isEmpty && !reason.explanation.isEmpty) }
  }
}
