import AppStore
import Foundation
import TestSupport
import Testing

/// Receipts that nobody may believe: forged, changed, of another app, or not receipts at all.
@Suite struct ReceiptAttackTests {
  static let now = day(100)

  static func decoder(bundleIDs: Set<String> = []) throws -> PayloadDecoder {
    PayloadDecoder(
      trust: try TrustStore(trusting: [ReceiptAuthority.shared.get().rootDER]), bundleIDs: bundleIDs, now: now)
  }

  static func reason(_ bytes: [UInt8], bundleIDs: Set<String> = []) async throws -> String? {
    let decoder = try decoder(bundleIDs: bundleIDs)
    let check = await decoder.check(receipt: bytes)
    // The importer and the check give one verdict.
    let outcomes = await decoder.decode(bytes).outcomes
    switch outcomes.first {
    case .evidence(let evidence)?: #expect(check.isVerified && evidence.trust == .verified && outcomes.count == 1)
    case .refused(let refusal, let raw)?:
      #expect(!check.isVerified && refusal.code == check.refusal?.code && raw == bytes)
    default: Issue.record("neither recorded nor refused")
    }
    return check.refusal?.reason.rawValue
  }

  static func fixture(_ change: (inout ReceiptFixture) throws -> Void = { _ in }) throws -> ReceiptFixture {
    var fixture = try ReceiptFixture(ReceiptAuthority.shared.get())
    try change(&fixture)
    return fixture
  }

  static func signed(by flaws: (inout ReceiptAuthority.Flaws) -> Void) throws -> ReceiptFixture {
    try fixture {
      var chosen = ReceiptAuthority.Flaws()
      flaws(&chosen)
      let chain = try ReceiptAuthority.shared.get().chain(chosen)
      $0.certificates = chain.certificates
      $0.signers = [.init(key: chain.key, certificate: chain.certificates[0])]
    }
  }

  @Test(arguments: [ReceiptFixture.Digest.sha1, .sha256])
  func `a receipt of a trusted authority is verified, with signed attributes too`(
    digest: ReceiptFixture.Digest
  ) async throws {
    let plain = try Self.fixture { $0.digest = digest }
    #expect(try await Self.reason(plain.bytes()) == nil)
    let content = DERNode.set(plain.attributes).bytes
    let attributed = try Self.fixture {
      $0.digest = digest
      $0.signedAttributes = try ReceiptFixture.signedAttributes(content, digest)
    }
    #expect(try await Self.reason(attributed.bytes()) == nil)
    #expect(
      try await Self.reason(Self.fixture { $0.signatureAlgorithm = [1, 2, 840, 113_549, 1, 1, 11] }.bytes()) == nil)
  }

  // MARK: - Who signed

  static let chains: [(String, reason: String, make: @Sendable () throws -> ReceiptFixture)] = [
    (
      "another root of the same name", "signature/untrusted_root",
      { try ReceiptFixture(ReceiptAuthority.stranger.get()) }
    ),
    ("a developer's certificate", "signature/missing_leaf_purpose", { try signed { $0.leafPurpose = false } }),
    (
      "an intermediate of something else", "signature/missing_intermediate_purpose",
      { try signed { $0.intermediatePurpose = false } }
    ),
    (
      "an intermediate that is not an authority", "signature/broken_chain",
      { try signed { $0.intermediateIsAuthority = false } }
    ),
    (
      "a leaf that expired before", "signature/certificate_not_valid",
      {
        try signed { $0.leafValidUntil = Date(timeIntervalSince1970: 1_772_000_000) }
      }
    ),
    (
      "the root itself", "signature/missing_leaf_purpose",
      {
        try fixture {
          let authority = try ReceiptAuthority.shared.get()
          $0.signers = [.init(key: authority.rootKey, certificate: authority.rootDER)]
        }
      }
    ),
    (
      "the intermediate", "signature/missing_leaf_purpose",
      {
        try fixture {
          let authority = try ReceiptAuthority.shared.get()
          $0.signers = [.init(key: authority.intermediateKey, certificate: $0.certificates[1])]
        }
      }
    ),
    (
      "a leaf that the root issued", "signature/missing_intermediate_purpose",
      { try signed { $0.leafSignedByRoot = true } }
    ),
    ("a leaf of a stranger", "signature/broken_chain", { try signed { $0.leafSignedByStranger = true } }),
    (
      "a leaf that a leaf issued", "signature/untrusted_root",
      {
        try fixture {
          let chain = try ReceiptAuthority.shared.get().issuedByLeaf()
          $0.certificates = chain.certificates
          $0.signers = [.init(key: chain.key, certificate: chain.certificates[0])]
        }
      }
    ),
    (
      "another key than the certificate's", "signature/invalid_signature",
      {
        try fixture { $0.signers[0].key = try ReceiptAuthority.stranger.get().leafKey }
      }
    ),
    ("a certificate that is not there", "signature/missing_signer", { try fixture { $0.certificates.removeFirst() } }),
    ("no certificates", "signature/missing_signer", { try fixture { $0.certificates = [] } }),
    ("without the intermediate", "signature/untrusted_root", { try fixture { $0.certificates.remove(at: 1) } }),
    ("nobody", "signature/missing_signer", { try fixture { $0.signers = [] } }),
    ("two signers", "signature/several_signers", { try fixture { $0.signers += $0.signers } }),
    (
      "more certificates than a chain has", "signature/wrong_certificate_count",
      {
        try fixture { $0.certificates += Array(repeating: $0.certificates[2], count: 20) }
      }
    ),
  ]

  @Test(arguments: chains.indices)
  func `what others signed is refused`(index: Int) async throws {
    let attack = Self.chains[index]
    #expect(try await Self.reason(attack.make().bytes()) == attack.reason, "\(attack.0)")
  }

  @Test func `a chain is judged at the date of the receipt, from the cache too`() async throws {
    let expired = try Self.signed { $0.leafValidUntil = Date(timeIntervalSince1970: 1_772_000_000) }
    let decoder = try Self.decoder()
    for (at, reason) in [(40.0, nil), (60, "signature/certificate_not_valid"), (45, nil)] as [(Double, String?)] {
      var fixture = expired
      fixture.attributes = ReceiptFixture.attributes(environment: "Production", createdAt: day(at), rows: [])
      let check = await decoder.check(receipt: try fixture.bytes())
      #expect(check.refusal?.reason.rawValue == reason)
    }
  }

  @Test func `certificates of strangers in the container have no effect`() async throws {
    let stranger = try ReceiptAuthority.stranger.get().chain()
    let fixture = try Self.fixture { $0.certificates = stranger.certificates + $0.certificates.reversed() }
    #expect(try await Self.reason(fixture.bytes()) == nil)
  }

  @Test func `Apple's root for JWS does not count for receipts, and the other way round`() throws {
    let (jws, receipts) = (TrustStore.apple.rootCertificates, TrustStore.apple.receiptRootCertificates)
    #expect(jws.map(\.digest.hexadecimal) == ["63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"])
    #expect(receipts.map(\.digest.hexadecimal) == ["b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"])
    #expect(receipts.map(\.name) == ["Apple Root CA"] && receipts[0].isApple)
  }

  // MARK: - What is signed

  static let contents: [(String, reason: String, make: @Sendable (inout ReceiptFixture) throws -> Void)] = [
    ("no date", "signature/missing_signed_date", { $0.attributes.removeAll { $0.children[0].bytes == [2, 1, 12] } }),
    ("a date that is none", "malformed", { $0.attributes[3] = ReceiptFixture.attribute(12, .date("yesterday")) }),
    ("an empty date", "signature/missing_signed_date", { $0.attributes[3] = ReceiptFixture.attribute(12, .date("")) }),
    ("no bundle id", "malformed", { $0.attributes.remove(at: 1) }),
    ("a bundle id that is a number", "malformed", { $0.attributes[1] = ReceiptFixture.attribute(2, .integer(5)) }),
    ("two dates", "duplicate_key", { $0.attributes.append(ReceiptFixture.attribute(12, ReceiptFixture.date(day(1)))) }),
    ("two bundle ids", "duplicate_key", { $0.attributes.append(ReceiptFixture.attribute(2, .text("c"))) }),
    ("two environments", "duplicate_key", { $0.attributes.append(ReceiptFixture.attribute(0, .text("Production"))) }),
    (
      "two transaction ids in a row", "duplicate_key",
      {
        let row = ReceiptFixture.row("t1", day(30), day(70)) + [ReceiptFixture.attribute(1703, .text("t9"))]
        $0.attributes.append(ReceiptFixture.attribute(17, .set(row)))
      }
    ),
    ("an attribute of two elements", "malformed", { $0.attributes.append(.sequence(.integer(99), .integer(1))) }),
    (
      "an attribute of four elements", "malformed",
      {
        $0.attributes.append(.sequence(.integer(99), .integer(1), .octets([]), .octets([])))
      }
    ),
    (
      "a type of nine bytes", "malformed",
      {
        $0.attributes.append(.sequence(.primitive(2, Array(repeating: 1, count: 9)), .integer(1), .octets([])))
      }
    ),
    ("bytes after the content", "malformed", { $0.content = DERNode.set($0.attributes).bytes + [0] }),
    (
      "a second set after the content", "malformed",
      {
        $0.content = DERNode.set($0.attributes).bytes + DERNode.set($0.attributes).bytes
      }
    ),
    ("no set", "malformed", { $0.content = DERNode.integer(5).bytes }),
    ("an empty set", "unrecognised", { $0.attributes = [] }),
    ("content that is not there", "unrecognised", { $0.isDetached = true }),
    ("content of another type", "unrecognised", { $0.contentType = [1, 2, 840, 113_549, 1, 9, 16, 1, 4] }),
    ("a container of another type", "unrecognised", { $0.containerType = [1, 2, 840, 113_549, 1, 7, 3] }),
    (
      "an algorithm of another digest", "signature/unsupported_algorithm",
      {
        ($0.digest, $0.signatureAlgorithm) = (.sha1, [1, 2, 840, 113_549, 1, 1, 11])
      }
    ),
    ("ECDSA", "signature/unsupported_algorithm", { $0.signatureAlgorithm = [1, 2, 840, 10045, 4, 3, 2] }),
    (
      "signed attributes of other content", "signature/invalid_signature",
      {
        $0.signedAttributes = try ReceiptFixture.signedAttributes([1, 2, 3], .sha256)
      }
    ),
    ("signed attributes without a digest", "signature/invalid_signature", { $0.signedAttributes = [] }),
    (
      "signed attributes with two digests", "signature/invalid_signature",
      {
        let content = DERNode.set($0.attributes).bytes
        let one = try ReceiptFixture.signedAttributes(content, .sha256)
        $0.signedAttributes = try one + ReceiptFixture.signedAttributes([1], .sha256)
      }
    ),
    (
      "a date in the future", "from_the_future",
      {
        $0.attributes = ReceiptFixture.attributes(environment: "Production", createdAt: day(200), rows: [])
      }
    ),
    (
      "a purchase after its own date", "from_the_future",
      {
        $0.attributes.append(ReceiptFixture.attribute(17, .set(ReceiptFixture.row("t9", day(90), day(9000)))))
      }
    ),
  ]

  @Test(arguments: contents.indices)
  func `content that two readers could read differently is refused, also with a valid signature`(
    index: Int
  ) async throws {
    let attack = Self.contents[index]
    #expect(try await Self.reason(Self.fixture(attack.make).bytes()) == attack.reason, "\(attack.0)")
  }

  @Test func `a receipt of another app is refused where one is configured`() async throws {
    let bytes = try Self.fixture().bytes()
    #expect(try await Self.reason(bytes, bundleIDs: ["b"]) == nil)
    #expect(try await Self.reason(bytes, bundleIDs: ["other"]) == "foreign_bundle")
  }

  @Test(
    arguments: [
      ("Production", Environment.production), ("ProductionVPP", .production), ("ProductionSandbox", .sandbox),
      ("ProductionVPPSandbox", .sandbox), ("Xcode", .xcode), ("Sandbox", .sandbox), (nil, .unknown),
      ("Beta", .init(apple: "Beta")),
    ] as [(String?, AppStore.Environment)])
  func `only two signed words are production`(word: String?, environment: AppStore.Environment) async throws {
    let fixture = try Self.fixture {
      $0.attributes.removeFirst()
      if let word { $0.attributes.append(ReceiptFixture.attribute(0, .text(word))) }
    }
    guard case .evidence(let evidence)? = await (try Self.decoder()).decode(try fixture.bytes()).outcomes.first else {
      Issue.record("refused"); return
    }
    #expect(evidence.environment == environment && evidence.transactions[0].environment == environment)
  }

  // MARK: - Bytes

  static let texts: [(String, reason: String, make: @Sendable ([UInt8]) -> [UInt8])] = [
    ("one byte more", "malformed", { $0 + [0] }),
    ("two receipts joined", "malformed", { $0 + $0 }),
    ("the end is missing", "truncated", { Array($0.dropLast(9)) }),
    ("only the first bytes", "truncated", { Array($0.prefix(6)) }),
    ("a length of five bytes", "malformed", { [0x30, 0x85, 0, 0, 0, 0, 9] + $0 }),
    ("a length of 127 bytes", "unrecognised", { [0x30, 0xFF] + $0 }),
    ("a huge length", "truncated", { [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + $0 }),
    ("no end of an indefinite length", "truncated", { [0x30, 0x80] + $0 }),
    (
      "a thousand levels of indefinite length", "malformed",
      { _ in
        Array(repeating: [0x30, 0x80], count: 1000).flatMap(\.self)
      }
    ),
    ("a million levels", "malformed", { _ in Array(repeating: [0x30, 0x80], count: 1_000_000).flatMap(\.self) }),
    (
      "a million empty elements", "malformed",
      { _ in
        [0x30, 0x83, 0x1E, 0x84, 0x80] + Array(repeating: [0x30, 0x00], count: 1_000_000).flatMap(\.self)
      }
    ),
    ("more than a few megabytes", "too_long", { $0 + Array(repeating: 0, count: 5 << 20) }),
    ("an identifier of two bytes", "unrecognised", { [0x3F, 0x81] + $0 }),
  ]

  @Test(arguments: texts.indices)
  func `bytes that are not exactly one receipt are refused, in no time`(index: Int) async throws {
    let attack = Self.texts[index]
    let bytes = attack.make(try Self.fixture().bytes())
    let check = await (try Self.decoder()).check(receipt: Array(Data(bytes).base64EncodedData()))
    #expect(check.refusal?.reason.rawValue == attack.reason, "\(attack.0)")
  }
}
