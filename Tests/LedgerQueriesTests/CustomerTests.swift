import AppStore
import Ledger
import TestSupport
import Testing

/// Whose purchases they are, and what that lets them use (rules §9).
@Suite struct CustomerTests {
  @Test func `a purchase belongs to its account token, in any spelling, as far as was known`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", received: 0),
      CustomerFixture.bought("t1", token: CustomerFixture.token.uppercased(), stated: 5, received: 5),
    ])
    #expect(try CustomerFixture.claims(ledger) == ["\(CustomerFixture.token) t1 app_account_token"])
    #expect(try CustomerFixture.claims(ledger, knownAt: 4) == [])
    let record = try ledger.reader.record(
      of: CustomerFixture.token.uppercased(), QueryParameters(asOf: day(9), knownAt: day(9)))
    #expect(record.claims.count == 1)
    withExtendedLifetime(folder) {}
  }

  @Test func `a link names a purchase by any of its ids, also before any evidence of it`() async throws {
    for id in ["t1", "t2", "w1", CustomerFixture.token, "a1", "MQ1", "UUID1"] {
      let folder = try TemporaryFolder()
      let ledger = try EmptyLedger.make(in: folder)
      #expect(try ledger.link("user", to: id, CustomerFixture.staffAction(1)).purchaseCount == 0)
      #expect(try CustomerFixture.claims(ledger) == [])
      let extra = [
        ("appAccountToken", "\"\(CustomerFixture.token)\""), ("webOrderLineItemId", "\"w1\""),
        ("appTransactionId", "\"a1\""),
      ]
      let renewed = TransactionFixture("t2", originalID: "t1", day(30), day(60), extra: extra)
      for text in [
        TransactionFixture("t1", originalID: "t1", day(0), day(30)).signed(day(0)),
        PayloadFixture.v2("DID_RENEW", at: day(30), transaction: renewed).replacing(
          "u\(day(30).milliseconds)", with: "UUID1"),
      ] {
        let outcomes = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes
        try ledger.record(
          outcomes.map { Arrival(outcome: $0, receivedAt: day(2), isExplicit: true, origin: "t", orderID: "MQ1") })
      }
      // A token that is linked stands for the customer; any other id leaves the token's own claim beside it.
      let expected =
        id == CustomerFixture.token
        ? ["user t1 link"] : ["\(CustomerFixture.token) t1 app_account_token contested", "user t1 link contested"]
      #expect(try CustomerFixture.claims(ledger) == expected, "\(id)")
      #expect(try ledger.link("user", to: id, CustomerFixture.staffAction(3)).isNew == false)
    }
  }

  @Test func `a question about the past as it was known never changes, whatever is recorded later`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", originalID: "t1", 0, 30, received: 1)
    ])
    try ledger.link("ann", to: "t2", CustomerFixture.staffAction(2))
    #expect(try CustomerFixture.claims(ledger, asOf: 5, knownAt: 3) == [])
    // The renewal by whose id she was linked is recorded later.
    for stated in [CustomerFixture.bought("t2", originalID: "t1", 30, 60, received: 40)] {
      let outcomes = await PayloadDecoder.permissive().decode(Array(stated.text.utf8)).outcomes
      try ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(40), isExplicit: true, origin: "t") })
    }
    #expect(try CustomerFixture.claims(ledger, asOf: 5, knownAt: 3) == [])
    #expect(try CustomerFixture.claims(ledger, asOf: 5, knownAt: 40) == ["ann t1 link"])
    withExtendedLifetime(folder) {}
  }

  @Test func `links, unlinks and transfers are dated entries: the last recorded of those that hold decides`()
    async throws
  {
    let (ledger, folder) = try await ReceivedText.ledger([CustomerFixture.bought("t1", 0, 300)])
    try ledger.link("ann", to: "t1", CustomerFixture.staffAction(10))
    #expect(try CustomerFixture.claims(ledger, asOf: 1) == ["ann t1 link"], "a link holds since ever")
    #expect(try CustomerFixture.claims(ledger, asOf: 1, knownAt: 9) == [], "and was not known before it was made")
    try ledger.unlink("ann", from: "t1", at: day(20), CustomerFixture.staffAction(20))
    #expect(try CustomerFixture.claims(ledger, asOf: 19) == ["ann t1 link"])
    #expect(try CustomerFixture.claims(ledger, asOf: 20) == [])
    #expect(try CustomerFixture.claims(ledger, asOf: 30, knownAt: 19) == ["ann t1 link"])
    try ledger.link("ann", to: "t1", since: day(40), CustomerFixture.staffAction(40))
    #expect(try CustomerFixture.claims(ledger, asOf: 39) == [])
    try ledger.transfer("t1", from: "ann", to: "ben", at: day(50), CustomerFixture.staffAction(50))
    #expect(try CustomerFixture.claims(ledger, asOf: 49) == ["ann t1 link"])
    #expect(try CustomerFixture.claims(ledger, asOf: 50) == ["ben t1 link"])
    try ledger.link("cid", to: "t1", since: day(60), CustomerFixture.staffAction(60))
    #expect(try CustomerFixture.claims(ledger, asOf: 60) == ["ben t1 link contested", "cid t1 link contested"])
    let entries = try ledger.reader.record(of: "ann", QueryParameters(asOf: day(90), knownAt: day(90))).entries
    #expect(entries.map(\.action) == [.link, .unlink, .link, .unlink] && entries.last?.otherCustomer == "ben")
    withExtendedLifetime(folder) {}
  }

  @Test func `a token's purchase can be transferred, and a linked token still stands for its customer`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", token: CustomerFixture.token),
      CustomerFixture.bought("t2", token: CustomerFixture.token),
    ])
    try ledger.transfer("t1", from: CustomerFixture.token, to: "ben", at: day(5), CustomerFixture.staffAction(5))
    #expect(try CustomerFixture.claims(ledger) == ["ben t1 link", "\(CustomerFixture.token) t2 app_account_token"])
    try ledger.link("ann", to: CustomerFixture.token, CustomerFixture.staffAction(6))
    #expect(try CustomerFixture.claims(ledger) == ["ann t1 link contested", "ben t1 link contested", "ann t2 link"])
    try ledger.unlink("ann", from: "t1", at: day(7), CustomerFixture.staffAction(7))
    #expect(try CustomerFixture.claims(ledger) == ["ben t1 link", "ann t2 link"])
    withExtendedLifetime(folder) {}
  }

  @Test func `a token that is linked answers for its customer, and linking again fills no gap`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", token: CustomerFixture.token, 0, 300)
    ])
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    try ledger.link(" ann\n", to: CustomerFixture.token, CustomerFixture.staffAction(1))
    guard
      case .decided(let access) = try ledger.reader.access(
        of: CustomerFixture.token.uppercased(), to: "pro", QueryParameters(asOf: day(10), knownAt: day(1e4)))
    else {
      Issue.record("nothing decided")
      return
    }
    #expect(access.customer == "ann" && access.hasAccess)
    #expect(
      try !ledger.reader.clearance(
        of: CustomerFixture.token, toPurchase: "monthly", attemptTimeout: 0, AttemptTests.at(48)
      ).mayPurchase)
    try ledger.unlink("ann", from: CustomerFixture.token, at: day(20), CustomerFixture.staffAction(20))
    let own = ["\(CustomerFixture.token) t1 app_account_token"]
    #expect(try CustomerFixture.claims(ledger, asOf: 25) == own, "unlinked, a token stands for itself")
    #expect(try ledger.link("ann", to: CustomerFixture.token, CustomerFixture.staffAction(30)).since == day(30))
    #expect(try CustomerFixture.claims(ledger, asOf: 25) == own)
    #expect(try CustomerFixture.claims(ledger, asOf: 31) == ["ann t1 link"])
    // Nothing is taken from anyone before it was theirs.
    #expect(throws: LedgerError.self) {
      try ledger.unlink("ann", from: CustomerFixture.token, at: day(25), CustomerFixture.staffAction(40))
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `one account and two users of the app: the purchase shows on both, marked, and lets both in`() async throws
  {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", token: CustomerFixture.token),
      CustomerFixture.bought("t2", originalID: "t1", token: CustomerFixture.otherToken, 30, 60),
    ])
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    #expect(
      try CustomerFixture.claims(ledger, asOf: 40) == [
        "\(CustomerFixture.token) t1 app_account_token contested",
        "\(CustomerFixture.otherToken) t1 app_account_token contested",
      ])
    for token in [CustomerFixture.token, CustomerFixture.otherToken] {
      guard
        case .decided(let access) = try ledger.reader.access(
          of: token, to: "pro", QueryParameters(asOf: day(40), knownAt: day(1e4)))
      else {
        Issue.record("nothing decided")
        continue
      }
      #expect(access.hasAccess && access.claimantCount == 2)
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `what is not a customer's cannot be taken from them, and bad ids are refused`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([CustomerFixture.bought("t1", token: CustomerFixture.token)])
    #expect(throws: LedgerError.self) {
      try ledger.unlink("ann", from: "t1", at: day(5), CustomerFixture.staffAction(5))
    }
    #expect(throws: LedgerError.self) {
      try ledger.transfer("t1", from: "ann", to: "ben", at: day(5), CustomerFixture.staffAction(5))
    }
    #expect(throws: LedgerError.self) {
      try ledger.transfer(
        "t1", from: CustomerFixture.token, to: CustomerFixture.token, at: day(5), CustomerFixture.staffAction(5))
    }
    for id in ["", " \n", String(repeating: "x", count: 2000), "a\0b"] {
      #expect(throws: LedgerError.self) { try ledger.link(id, to: "t1", CustomerFixture.staffAction(5)) }
      #expect(throws: LedgerError.self) { try ledger.link("ann", to: id, CustomerFixture.staffAction(5)) }
      #expect(throws: LedgerError.self) { try ledger.note("n", about: id, by: "x", now: day(5)) }
    }
    #expect(throws: LedgerError.self) { try ledger.link("ann", to: "t1", CustomerFixture.staffAction(5, by: "")) }
    #expect(throws: LedgerError.self) {
      try ledger.grant("pro", to: "ann", from: day(5), until: day(4), CustomerFixture.staffAction(5))
    }
    #expect(try CustomerFixture.claims(ledger) == ["\(CustomerFixture.token) t1 app_account_token"])
    withExtendedLifetime(folder) {}
  }

  /// Rules §9: active, then grace_period, billing_retry, expired, revoked; of equals the later end.
  @Test(
    arguments: [
      ("active over expired", [("m", 0.0, 30.0, nil), ("m", 0, 90, nil)], 40.0, "active 90"),
      ("the later end of two", [("m", 0, 60, nil), ("y", 0, 90, nil)], 40, "active 90"),
      ("expired over revoked", [("m", 0, 30, nil), ("y", 0, 90, 20)], 40, "expired 30"),
      ("revoked alone", [("y", 0, 90, 20)], 40, "revoked 20"),
      ("other products do not count", [("m", 0, 30, nil), ("coins", 0, 90, nil)], 40, "expired 30"),
      ("nothing begun", [("coins", 0, 90, nil)], 40, "nothing"),
    ] as [(String, [(String, Double, Double, Double?)], Double, String)])
  func `9: the best state over the purchases that map to an entitlement`(
    name: String, originalIDs: [(String, Double, Double, Double?)], asOf: Double, expected: String
  ) async throws {
    let words = originalIDs.enumerated().map { index, originalID in
      CustomerFixture.bought(
        "t\(index)", token: CustomerFixture.token, product: originalID.0, originalID.1, originalID.2,
        revoked: originalID.3, stated: asOf)
    }
    let (ledger, folder) = try await ReceivedText.ledger(words)
    _ = try ledger.entitle("pro", products: ["m", "y"], of: "b", now: day(0))
    let answer = try ledger.reader.access(
      of: CustomerFixture.token, to: "pro", QueryParameters(asOf: day(asOf), knownAt: day(1e4)))
    switch answer {
    case .decided(let access):
      let end = access.accessEndsAt.map { Double($0.milliseconds - day(0).milliseconds) / 86_400_000 } ?? -1
      #expect("\(access.state.rawValue) \(Int(end))" == expected, "\(name)")
    case .nothing: #expect(expected == "nothing", "\(name)")
    default: Issue.record("\(name): \(answer)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `9: grace and billing retry stand between active and expired`() async throws {
    let failed = RenewalFixture(originalID: "t1", retry: true, grace: day(36))
    let words = PayloadFixture.receipt(
      at: day(31),
      latest: [
        TransactionFixture(
          "t1", originalID: "t1", day(0), day(30), extra: [("app_account_token", "\"\(CustomerFixture.token)\"")])
      ],
      renewals: [failed], environment: "Production")
    let (ledger, folder) = try await ReceivedText.ledger([
      .init(words, received: day(31)), CustomerFixture.bought("t2", token: CustomerFixture.token, 0, 20),
    ])
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    for (asOf, state, may) in [(32.0, "grace_period", true), (40, "billing_retry", false)] {
      guard
        case .decided(let access) = try ledger.reader.access(
          of: CustomerFixture.token, to: "pro", QueryParameters(asOf: day(asOf), knownAt: day(1e4)))
      else {
        Issue.record("nothing decided")
        continue
      }
      #expect(access.state.rawValue == state && access.hasAccess == may && access.originalTransactionID == "t1")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `9: purchases of other environments never count unless they are asked for`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", token: CustomerFixture.token, environment: "Sandbox"),
      CustomerFixture.bought("t2", token: CustomerFixture.token, -60, -30, stated: -60),
    ])
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    let parameters = QueryParameters(asOf: day(10), knownAt: day(1e4))
    func state(_ environment: Environment) throws -> String? {
      if case .decided(let access) = try ledger.reader.access(
        of: CustomerFixture.token, to: "pro", in: environment, parameters)
      {
        access.state.rawValue
      } else {
        nil
      }
    }
    #expect(try state(.production) == "expired")
    #expect(try state(.sandbox) == "active")
    #expect(try state(.xcode) == nil)
    withExtendedLifetime(folder) {}
  }

  @Test func `9: what was bought once counts by its type, and a consumable grants nothing`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", token: CustomerFixture.token, product: "life", 0, nil, revoked: 50),
      CustomerFixture.bought("t2", token: CustomerFixture.token, product: "coins", 0, nil),
    ])
    _ = try ledger.record(
      ProductCatalogue(Array("product_id,type,entitlements\nlife,NonConsumable,pro\ncoins,Consumable,rich\n".utf8)),
      bundleID: "b", origin: "t", now: day(0))
    func answer(_ name: String, _ asOf: Double) throws -> AccessAnswer {
      try ledger.reader.access(of: CustomerFixture.token, to: name, QueryParameters(asOf: day(asOf), knownAt: day(1e4)))
    }
    guard case .decided(let before) = try answer("pro", 10), case .decided(let after) = try answer("pro", 60) else {
      Issue.record("nothing decided")
      return
    }
    #expect(
      before.hasAccess && before.basis == .oneTimePurchase && before.accessEndsAt == nil && before.rule == .bought)
    #expect(!after.hasAccess && after.state == .revoked && after.accessEndsAt == day(50))
    #expect(try answer("rich", 10) == .nothing)
    withExtendedLifetime(folder) {}
  }

  @Test func `grants count as what they are, can be taken back, and stand in no figure of the App Store's`()
    async throws
  {
    let (ledger, folder) = try await ReceivedText.ledger([
      CustomerFixture.bought("t1", token: CustomerFixture.token, 0, 30)
    ])
    _ = try ledger.entitle("pro", products: ["monthly"], of: "b", now: day(0))
    try ledger.grant("pro", to: CustomerFixture.token, from: day(40), until: day(60), CustomerFixture.staffAction(40))
    try ledger.grant("vip", to: "nobody", from: day(40), until: nil, CustomerFixture.staffAction(40))
    func answer(_ customer: String, _ name: String, _ asOf: Double, known: Double = 1e4) throws -> String {
      switch try ledger.reader.access(of: customer, to: name, QueryParameters(asOf: day(asOf), knownAt: day(known))) {
      case .decided(let access): "\(access.basis.rawValue) \(access.rule.rawValue) \(access.hasAccess)"
      case .nothing: "nothing"
      case .unknownCustomer: "unknown customer"
      case .unknownEntitlement: "unknown entitlement"
      }
    }
    #expect(try answer(CustomerFixture.token, "pro", 10) == "subscription covered true")
    #expect(try answer(CustomerFixture.token, "pro", 50) == "grant granted true")
    #expect(try answer(CustomerFixture.token, "pro", 50, known: 39) == "subscription unconfirmed false")
    #expect(try answer(CustomerFixture.token, "pro", 70) == "grant grant_ended false")
    #expect(try answer("nobody", "vip", 1000) == "grant granted true")
    #expect(try answer("nobody", "pro", 50) == "nothing")
    #expect(try answer("stranger", "pro", 50) == "unknown customer")
    #expect(try answer("nobody", "nonsense", 50) == "unknown entitlement")
    #expect(try ledger.revokeGrants(of: "vip", from: "nobody", at: day(50), CustomerFixture.staffAction(50)) == 1)
    #expect(try ledger.revokeGrants(of: "vip", from: "nobody", at: day(51), CustomerFixture.staffAction(51)) == 0)
    #expect(try answer("nobody", "vip", 49) == "grant granted true")
    #expect(try answer("nobody", "vip", 51) == "grant grant_revoked false")
    let entitlements = try ledger.reader.entitlements(QueryParameters(asOf: day(50), knownAt: day(1e4)))
    #expect(entitlements.map(\.originalTransactionID) == ["t1"])
    withExtendedLifetime(folder) {}
  }

  @Test func `notes stay, with author and instant`() async throws {
    let (ledger, folder) = try await ReceivedText.ledger([])
    try ledger.note("called, is angry", about: "ann", by: "ben", now: day(1))
    try ledger.note("called again", about: "ann", by: "cid", now: day(2))
    let notes = try ledger.reader.record(of: "ann", QueryParameters(asOf: day(9), knownAt: day(1))).notes
    #expect(notes.map { "\($0.author): \($0.text)" } == ["ben: called, is angry"] && notes.first?.enteredAt == day(1))
    withExtendedLifetime(folder) {}
  }
}
