import AppStore
import GRDB
import Ledger
import TestSupport
import Testing

import LedgerQueries
import LedgerSchema
import LedgerStore

/// Looking up: by every kind of id, whole or begun, in every environment.
@Suite struct SearchTests {
  /// One line with every id that can name it.
  static func ledger(_ environment: String) async throws -> (LedgerRecorder, TemporaryFolder) {
    let extra = [
      ("webOrderLineItemId", "\"w-\(environment)\""), ("appAccountToken", "\"\(CustomerFixture.token)\""),
      ("appTransactionId", "\"a-\(environment)\""), ("previousOriginalTransactionId", "\"p-\(environment)\""),
    ]
    let authority = try TestAuthority()
    let text = try PayloadFixture.signedV2(
      "DID_RENEW", at: day(1),
      transaction: TransactionFixture(
        "t-\(environment)", originalID: "o-\(environment)", day(0), day(30), extra: extra),
      environment: environment, chain: authority.chain())
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let decoder = PayloadDecoder.permissive(trust: try TrustStore(trusting: [authority.rootDER]))
    let outcomes = await decoder.decode(Array(text.utf8)).outcomes
    try ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "x") })
    return (ledger, folder)
  }

  static func find(_ ledger: LedgerRecorder, _ text: String) throws -> [String] {
    try ledger.reader.search(text).matches.map { match in
      switch match {
      case .purchase(let purchase):
        "\(purchase.environment) \(purchase.originalTransactionID) by \(purchase.kind.rawValue)"
      case .customer(let customer): "customer \(customer)"
      case .notification(let uuid, let type, _): "notification \(uuid) \(type)"
      case .order(let order): "order \(order)"
      case .payload(let digest): "payload \(digest.hexadecimal.prefix(8))"
      case .unread(let id): "unread \(id)"
      }
    }
  }

  @Test(arguments: ["Production", "Sandbox", "Xcode", "LocalTesting"])
  func `every kind of id finds its purchase, whole or by its beginning, in any environment`(environment: String)
    async throws
  {
    let (ledger, folder) = try await Self.ledger(environment)
    let table = [
      ("o-", "original_transaction_id"), ("t-", "transaction_id"), ("w-", "web_order_line_item_id"),
      ("a-", "app_transaction_id"), ("p-", "previous_original_transaction_id"),
    ]
    for (prefix, kind) in table {
      let expected = ["\(environment) o-\(environment) by \(kind)"]
      #expect(try Self.find(ledger, prefix + environment) == expected)
      #expect(try Self.find(ledger, prefix + environment.dropLast(2)) == expected)
    }
    let uuid = "u\(day(1).milliseconds)"
    #expect(try Self.find(ledger, uuid) == ["\(environment) o-\(environment) by notification_uuid"])
    #expect(try Self.find(ledger, String(uuid.dropLast(3))) == ["\(environment) o-\(environment) by notification_uuid"])
    #expect(try Self.find(ledger, CustomerFixture.token.uppercased()) == ["customer \(CustomerFixture.token)"])
    #expect(try Self.find(ledger, String(CustomerFixture.token.prefix(9))) == ["customer \(CustomerFixture.token)"])
    withExtendedLifetime(folder) {}
  }

  @Test func `an order is found where its look-up was imported with its id`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let authority = try TestAuthority()
    let chain = try authority.chain()
    let decoder = PayloadDecoder.permissive(trust: try TrustStore(trusting: [authority.rootDER]))
    let jws = try chain.sign(
      TransactionFixture("t1", originalID: "t1", day(0), day(30)).signed(day(1), environment: "Production"))
    let answer = "{\"status\":0,\"signedTransactions\":[\"\(jws)\"]}"
    func take(_ text: String) async throws -> ImportSummary {
      let item = await decoder.decode(Array(text.utf8))
      return try ledger.record(
        item.outcomes.map {
          Arrival(outcome: $0, receivedAt: day(2), isExplicit: true, origin: "x", orderID: item.orderID)
        }
      )
    }
    // The answer alone does not say which order it was; told later, it is known from then on.
    #expect(try await take(answer).recorded == 1)
    #expect(try Self.find(ledger, "MQ123") == [])
    #expect(try await take("{\"orderId\":\"MQ1234567\",\"payload\":\(answer)}").duplicates == 1)
    #expect(try Self.find(ledger, "MQ1234567") == ["Production t1 by order_id"])
    #expect(try Self.find(ledger, "MQ123") == ["Production t1 by order_id"])
    #expect(try await take("{\"orderId\":\"MQ999\",\"status\":1,\"signedTransactions\":[]}").recorded == 1)
    #expect(try Self.find(ledger, "MQ999") == ["order MQ999"])
    withExtendedLifetime(folder) {}
  }

  @Test func `customers, tests and payloads are found too, and what is nowhere has neighbours`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(PayloadFixture.v2("TEST", at: day(3))),
      .init(TransactionFixture("20001", originalID: "20001", day(0), day(30)).signed(day(0))),
      .init(TransactionFixture("20002", originalID: "20002", day(0), day(30)).signed(day(0))),
      .init(PayloadFixture.event("purchasing", at: day(1), customer: "claimed")),
    ])
    try ledger.link("ann", to: "20001", CustomerFixture.staffAction(1))
    try ledger.note("x", about: "anna", by: "y", now: day(1))
    #expect(try Self.find(ledger, "ann") == ["customer ann"], "a whole id comes before longer ones")
    #expect(try Self.find(ledger, "an") == ["customer ann", "customer anna"])
    #expect(try Self.find(ledger, "claimed") == ["customer claimed"])
    #expect(try Self.find(ledger, "u\(day(3).milliseconds)") == ["notification u\(day(3).milliseconds) TEST"])
    #expect(
      try Self.find(ledger, "2000") == [
        "Sandbox 20001 by original_transaction_id", "Sandbox 20002 by original_transaction_id",
      ])
    #expect(try ledger.reader.search("20009").matches.isEmpty)
    #expect(try ledger.reader.nearest(to: "20009").count == 2)
    #expect(try ledger.reader.nearest(to: "zzz").isEmpty && ledger.reader.search("").matches.isEmpty)
    let history = try ledger.reader.history(
      of: try #require(ledger.reader.purchases(of: "ann", QueryParameters(asOf: day(9), knownAt: day(9))).first),
      QueryParameters(asOf: day(9), knownAt: day(9)))
    let digest = try #require(history.first?.payload)
    #expect(try Self.find(ledger, String(digest.hexadecimal.prefix(12))) == ["payload \(digest.hexadecimal.prefix(8))"])
    withExtendedLifetime(folder) {}
  }

  @Test func `ids that carry SQL, wildcards and controls are looked up letter by letter`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([.init(TransactionFixture(day(0), day(30)).signed(day(0)))])
    for id in ["%", "_", "t_", "' OR 1=1 --", "*", "\u{202E}1t", "t1\u{0007}", "\u{10FFFF}"] {
      #expect(try Self.find(ledger, id) == [], "\(id)")
      try ledger.link(id + "-customer", to: "t1", CustomerFixture.staffAction(1))
      #expect(try Self.find(ledger, id + "-customer") == ["customer \(id)-customer"])
    }
    withExtendedLifetime(folder) {}
  }
}
