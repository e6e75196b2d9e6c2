import AppStore
import Crypto
import CryptoExtras
import Foundation
import TestSupport
import Testing

/// Receipts of iOS 6 and earlier: property lists with one purchase, whose signature does not cover the environment.
@Suite struct TransactionReceiptTests {
  struct Fixture {
    var purchase = [
      ("transaction-id", "t1"), ("original-transaction-id", "t1"), ("product-id", "monthly"), ("bid", "b"),
      ("purchase-date-ms", "\(day(30).milliseconds)"), ("expires-date", "\(day(60).milliseconds)"), ("quantity", "1"),
    ]
    var environment: String? = "Sandbox"
    var version: UInt8 = 3
    var certificate: [UInt8]?
    /// Changes the text after it was signed.
    var change: (String) -> String = { $0 }
    var changeBlock: ([UInt8]) -> [UInt8] = { $0 }

    func text() throws -> String {
      let chain = try ReceiptAuthority.shared.get().chain()
      let info = Self.list(purchase)
      let signed = [version] + Array(info.utf8)
      let signature = try chain.key.signature(for: Insecure.SHA1.hash(data: signed), padding: .insecurePKCS1v1_5)
      let certificate = certificate ?? chain.certificates[0]
      let length = withUnsafeBytes(of: UInt32(certificate.count).bigEndian) { Array($0) }
      let block = changeBlock([version] + Array(signature.rawRepresentation) + length + certificate)
      var members = [("signature", Data(block).base64EncodedString())]
      members.append(("purchase-info", Data(change(info).utf8).base64EncodedString()))
      if let environment { members.append(("environment", environment)) }
      members += [("pod", "100"), ("signing-status", "0")]
      return Self.list(members)
    }

    func base64() throws -> [UInt8] { Array(Data(try text().utf8).base64EncodedData()) }

    static func list(_ members: [(String, String)]) -> String {
      "{\n" + members.map { "\t\"\($0.0)\" = \"\($0.1)\";\n" }.joined() + "}"
    }
  }

  /// A decoder that knows the intermediate, which such a receipt does not contain.
  static func decoder(knowsIntermediate: Bool = true) throws -> PayloadDecoder {
    let authority = try ReceiptAuthority.shared.get()
    let intermediates = knowsIntermediate ? [try authority.chain().certificates[1]] : []
    return PayloadDecoder(
      trust: try TrustStore(trusting: [authority.rootDER], intermediates: intermediates), now: day(100))
  }

  @Test(
    arguments: [("Sandbox", Environment.sandbox), ("Production", .unverified), (nil, .unverified)]
      as [(String?, AppStore.Environment)])
  func `a signed purchase is verified, and its environment is never believed to be production`(
    line: String?, environment: AppStore.Environment
  ) async throws {
    let text = try Fixture(environment: line).base64()
    guard case .evidence(let evidence)? = await (try Self.decoder()).decode(text).outcomes.first else {
      Issue.record("refused")
      return
    }
    #expect(evidence.kind == .transactionReceipt && evidence.trust == .verified && evidence.root != nil)
    #expect(evidence.environment == environment && evidence.bundleID == "b" && evidence.statedAt == nil)
    let row = try #require(evidence.transactions.first)
    #expect(row.transactionID == "t1" && row.environment == environment && row.fields.productID == "monthly")
    #expect(row.fields.purchaseAt == day(30) && row.fields.expiresAt == day(60))
    #expect(evidence.inferredAt == day(30) && evidence.text.compact == text)
  }

  static let attacks: [(String, reason: String, make: @Sendable () throws -> Fixture)] = [
    (
      "a longer period", "signature/invalid_signature",
      {
        Fixture(change: { $0.replacing("\(day(60).milliseconds)", with: "\(day(9000).milliseconds)") })
      }
    ),
    (
      "a purchase before the certificates", "signature/certificate_not_valid",
      {
        var fixture = Fixture()
        fixture.purchase[4].1 = "1000000000000"
        return fixture
      }
    ),
    (
      "no date", "signature/missing_signed_date",
      {
        var fixture = Fixture()
        fixture.purchase.remove(at: 4)
        return fixture
      }
    ),
    (
      "a developer's certificate", "signature/missing_leaf_purpose",
      {
        var flaws = ReceiptAuthority.Flaws()
        flaws.leafPurpose = false
        return Fixture(certificate: try ReceiptAuthority.shared.get().chain(flaws).certificates[0])
      }
    ),
    ("another version", "signature/unsupported_algorithm", { Fixture(version: 4) }),
    ("no certificate", "malformed", { Fixture(changeBlock: { Array($0.dropLast(9)) }) }),
    ("bytes that are not a certificate", "signature/malformed_certificate", { Fixture(certificate: [1, 2, 3]) }),
    ("two transaction ids", "duplicate_key", { Fixture(purchase: Fixture().purchase + [("transaction-id", "t2")]) }),
    ("a text that ends early", "truncated", { Fixture(change: { String($0.dropLast(3)) }) }),
    ("text after the list", "malformed", { Fixture(change: { $0 + "x" }) }),
  ]

  @Test(arguments: attacks.indices)
  func `a changed or strange receipt is refused with its reason`(index: Int) async throws {
    let attack = Self.attacks[index]
    let check = await (try Self.decoder()).check(receipt: try attack.make().base64())
    #expect(check.refusal?.reason.rawValue == attack.reason, "\(attack.0)")
  }

  @Test func `a signer whose issuer is not known is not trusted`() async throws {
    let check = await (try Self.decoder(knowsIntermediate: false)).check(receipt: try Fixture().base64())
    #expect(check.refusal?.reason.rawValue == "signature/untrusted_root" && check.transactionID == "t1")
  }
}
