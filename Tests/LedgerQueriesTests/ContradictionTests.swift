import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// Rules §6: a payload that contradicts itself counts, and confirms nothing alone.
@Suite struct ContradictionTests {
  static let month = TransactionFixture(day(0), day(30))
  static let row = [("purchase_date", "\"2001-01-01 00:00:00 Etc/GMT\"")]

  /// A receipt whose request date is stated twice, and differently.
  static func forged(at request: Instant, _ rows: [TransactionFixture], _ renewals: [RenewalFixture] = [])
    -> ReceivedText
  {
    let text = PayloadFixture.receipt(at: request, latest: rows, renewals: renewals)
    return ReceivedText(
      text.replacing("\"bundle_id\"", with: "\"request_date\":\"2001-01-01 00:00:00 Etc/GMT\",\"bundle_id\""))
  }

  static func sound(at request: Instant, _ rows: [TransactionFixture], _ renewals: [RenewalFixture] = [])
    -> ReceivedText
  {
    ReceivedText(PayloadFixture.receipt(at: request, latest: rows, renewals: renewals))
  }

  static func purchase(_ ledger: LedgerRecorder) throws -> OriginalTransactionMatch {
    guard case .purchase(let purchase)? = try ledger.reader.search("t1").matches.first else {
      throw CancellationError()
    }
    return purchase
  }

  static func describe(_ found: Entitlement) -> String {
    "\(found.rule.rawValue)\(found.isConfirmed ? "" : " unconfirmed")\(found.isContradictory ? " contradictory" : "")"
  }

  @Test func `6: evidence that contradicts itself is never the only ground for confirmed`() async throws {
    let other = TransactionFixture(day(0), day(40))
    let refunded = TransactionFixture(day(0), day(30), revoked: day(5))
    let retry = RenewalFixture(status: true, retry: true)
    try await RuleTests.check(
      [
        ("active by it alone", [Self.forged(at: day(1), [Self.month])], 10, "covered unconfirmed contradictory"),
        (
          "active, the same row in a sound receipt",
          [Self.forged(at: day(2), [Self.month]), Self.sound(at: day(1), [Self.month])], 10, "covered contradictory"
        ),
        (
          "active, a sound receipt has another end",
          [Self.forged(at: day(2), [other]), Self.sound(at: day(1), [Self.month])], 10,
          "covered unconfirmed contradictory"
        ),
        (
          "active, the sound receipt came later",
          [Self.forged(at: day(1), [other]), Self.sound(at: day(2), [Self.month])], 10, "covered"
        ),
        (
          "the row contradicts itself",
          [Self.sound(at: day(1), [TransactionFixture(day(0), day(30), extra: Self.row)])], 10,
          "covered unconfirmed contradictory"
        ),
        ("refunded by it alone", [Self.forged(at: day(6), [refunded])], 10, "revoked unconfirmed contradictory"),
        (
          "refunded, and a sound receipt says so",
          [Self.forged(at: day(7), [refunded]), Self.sound(at: day(6), [refunded])], 10, "revoked contradictory"
        ),
        (
          "lapsed, and nothing else since the end",
          [Self.sound(at: day(1), [Self.month]), Self.forged(at: day(31), [Self.month])], 40,
          "unconfirmed unconfirmed contradictory"
        ),
        (
          "lapsed, and a sound receipt since the end",
          [Self.sound(at: day(32), [Self.month]), Self.forged(at: day(31), [Self.month])], 40, "lapsed"
        ),
        (
          "in retry by it alone", [Self.forged(at: day(31), [Self.month], [retry])], 40,
          "retry unconfirmed contradictory"
        ),
        ("no contradiction", [Self.sound(at: day(31), [Self.month])], 40, "lapsed"),
      ], Self.describe)
  }

  @Test(arguments: [
    ("2099-09-0909:38:39", true), ("2001-01-01", true), ("yesterday", true), ("", false), ("1704067200000", false),
  ])
  func `6: a text that cannot be read contradicts the milliseconds beside it`(text: String, contradicts: Bool)
    async throws
  {
    // Found in forged receipts.
    let row = TransactionFixture(day(0), day(30), extra: [("purchase_date", "\"\(text)\"")])
    let (ledger, folder) = try await ReceivedText.ledger([Self.sound(at: day(1), [row])])
    defer { withExtendedLifetime(folder) {} }
    let found = try ledger.reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(10)))
    #expect(found.map(Self.describe) == [contradicts ? "covered unconfirmed contradictory" : "covered"])
    let evidence = await PayloadDecoder.permissive().decode(Array(Self.sound(at: day(1), [row]).text.utf8))
    guard case .evidence(let read)? = evidence.outcomes.first else { throw CancellationError() }
    #expect(read.problems.map(\.code) == (contradicts ? [.contradictoryDate] : []))
    #expect(read.problems.map(\.path) == (contradicts ? ["$.latest_receipt_info[0].purchase_date"] : []))
  }

  @Test func `6: what was known before a contradiction came in is as it was`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      ReceivedText(PayloadFixture.receipt(at: day(1), latest: [Self.month]), received: day(1)),
      ReceivedText(Self.forged(at: day(2), [TransactionFixture(day(0), day(3650))]).text, received: day(9)),
    ])
    defer { withExtendedLifetime(folder) {} }
    let before = try ledger.reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(8)))
    #expect(before.map(Self.describe) == ["covered"] && before.first?.expiresAt == day(30))
    let after = try ledger.reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(9)))
    #expect(after.map(Self.describe) == ["covered unconfirmed contradictory"])
    #expect(try await ledger.reader.audit().filter { $0.code != .disagreement } == [])
    try ProjectionMaintainer(path: ledger.path).rebuild()
    #expect(try ledger.reader.entitlements(QueryParameters(asOf: day(10), knownAt: day(9))) == after)
  }

  @Test func `6: a purchase made once is not confirmed by it alone`() async throws {
    let once = TransactionFixture(day(0), nil)
    let product = "product_id,type,name,entitlements\nmonthly,Non-Consumable,Monthly,pro\n"
    for (words, isConfirmed) in [
      ([Self.forged(at: day(1), [once])], false),
      ([Self.forged(at: day(2), [once]), Self.sound(at: day(1), [once])], true),
    ] {
      let (ledger, folder) = try await ReceivedText.ledger(words)
      defer { withExtendedLifetime(folder) {} }
      _ = try ledger.record(ProductCatalogue(Array(product.utf8)), bundleID: "b", origin: "p", now: day(1))
      let staffAction = StaffAction(author: "a", reason: "r", enteredAt: day(1))
      _ = try ledger.link("ada", to: "t1", staffAction)
      let parameters = QueryParameters(asOf: day(10), knownAt: day(10))
      guard case .decided(let access) = try ledger.reader.access(of: "ada", to: "pro", in: .sandbox, parameters) else {
        Issue.record("no answer")
        continue
      }
      #expect(access.hasAccess && access.isConfirmed == isConfirmed && access.isContradictory)
    }
  }

  @Test func `1: the change of renewal dates a notification: a lapse that Apple stated is confirmed`() async throws {
    let changed = "\"auto_renew_status_change_date_ms\":\"\(day(31).milliseconds)\",\"notification_type\""
    func notification(_ renewal: RenewalFixture) -> ReceivedText {
      ReceivedText(
        PayloadFixture.v1("DID_CHANGE_RENEWAL_STATUS", latest: [Self.month], renewals: [renewal])
          .replacing("\"notification_type\"", with: changed), clock: day(99))
    }
    try await RuleTests.check(
      [
        ("a lapse that Apple told", [notification(RenewalFixture(status: false, intent: 1))], 40, "lapsed false"),
        (
          "a renewal that was switched on again",
          [
            Self.sound(at: day(20), [Self.month], [RenewalFixture(status: false)]),
            notification(RenewalFixture(status: true)),
          ], 40, "lapsed true"
        ),
      ]
    ) { "\($0.rule.rawValue) \($0.willRenew ?? false)" }
  }

  @Test func `a telling that leaves out the end of a period is no purchase beside it`() async throws {
    let flat = TransactionFixture(day(0), nil).row
    let text =
      "{\"status\":0,\"environment\":\"Sandbox\",\"receipt\":\(flat),\"latestReceiptInfo\":[\(Self.month.row)]}"
    let (ledger, folder) = try await ReceivedText.ledger([ReceivedText(text, received: day(1))])
    defer { withExtendedLifetime(folder) {} }
    let purchase = try Self.purchase(ledger)
    let parameters = QueryParameters(asOf: day(10), knownAt: day(10))
    #expect(try ledger.reader.history(of: purchase, parameters).map(\.kind) == [.period])
    #expect(try ledger.reader.transactions(of: purchase, parameters).map(\.oneTimeState) == [nil])
    #expect(try ledger.reader.entitlement(of: purchase, parameters)?.rule == .covered)
  }

  @Test func `what has no date is marked so, and V1's change of renewal says which way`() async throws {
    let off = PayloadFixture.v1(
      "DID_CHANGE_RENEWAL_STATUS", latest: [Self.month], renewals: [RenewalFixture(status: false)])
    for (received, isInferred) in [(nil, true), (day(3), false)] as [(Instant?, Bool)] {
      let (ledger, folder) = try await ReceivedText.ledger([ReceivedText(off, received: received)])
      defer { withExtendedLifetime(folder) {} }
      let purchase = try Self.purchase(ledger)
      let parameters = QueryParameters(asOf: day(10), knownAt: day(10))
      let events = try ledger.reader.history(of: purchase, parameters)
      #expect(Set(events.map(\.kind)) == [.notification, .period, .renewalOff] && events.count == 3)
      #expect(events.first { $0.kind == .notification }?.autoRenewStatus == false)
      #expect(Set(events.filter(\.isInferred).map(\.kind)) == (isInferred ? [.notification, .renewalOff] : []))
      let entitlement = try #require(try ledger.reader.entitlement(of: purchase, parameters))
      #expect(try ledger.reader.evidence(for: entitlement).map(\.isInferred) == [isInferred])
    }
  }
}
