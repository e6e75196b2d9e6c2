import AppStore
import Ledger
import LedgerService
import TestSupport
import Testing

/// The change feed: every change of a state, once, in one total order.
@Suite struct ChangeFeedTests {
  /// A subscription or a one-time purchase with its state, as the feed tells it.
  private static func originalID(_ change: StateChange) -> String? {
    guard let after = change.after, let id = change.originalTransactionID else { return nil }
    let end = after.accessEndsAt.map { String($0.milliseconds) } ?? "-"
    return
      "\(change.environment ?? "") \(id) \(change.transactionID ?? "") \(after.name.rawValue) \(after.productID ?? "-") \(end)"
  }

  private static func key(_ change: StateChange) -> String {
    "\(change.kind.rawValue) \(change.environment ?? "") \(change.originalTransactionID ?? "") \(change.transactionID ?? "")"
  }

  /// What the ledger answers about everything, in the words of ``line(_:)``.
  private static func answers(_ ledger: LedgerReader, _ now: Instant) throws -> Set<String> {
    var originalIDs: Set<String> = []
    let parameters = QueryParameters(asOf: now, knownAt: now)
    try ledger.query(
      """
      SELECT environment || ' ' || original_transaction_id || '  ' || state || ' ' || COALESCE(product_id, '-') || ' '
        || COALESCE(access_ends_at, '-') FROM entitlement
      UNION ALL
      SELECT environment || ' ' || original_transaction_id || ' ' || transaction_id || ' ' || state || ' '
        || COALESCE(product_id, '-') || ' ' || COALESCE(access_ends_at, '-') FROM one_time_purchase
      """, parameters, columns: { _ in }
    ) { if case .text(let text) = $0[0] { originalIDs.insert(text) } }
    return originalIDs
  }

  @Test(arguments: RandomChoice.seeds)
  func `the feed, read from its beginning, gives the state of everything at every instant`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 60)
    let bench = try LedgerBench([])
    let feed = ChangeFeed(bench.ledger)
    var random = SplitMix(seed: seed)
    var batches = RandomChoice.split(history.arrivals.shuffled(using: &random), &random)
    try feed.advance(to: day(-1))
    var (known, last) = ([String: String](), nil as ChangeID?)
    for now in history.instants {
      if !batches.isEmpty, random.once(in: 2) {
        // A server receives things at the present instant.
        try bench.ledger.record(
          batches.removeFirst().map {
            Arrival(outcome: $0.outcome, receivedAt: now, isExplicit: true, origin: "server")
          })
      }
      let count = try feed.advance(to: now)
      #expect(try feed.advance(to: now) == 0, "seed \(seed): nothing changed")
      let changes = try #require(try bench.ledger.reader.changes(after: last, limit: 1000, now: now)).changes
      #expect(changes.count == count)
      for change in changes {
        #expect(change.id.number > last?.number ?? 0 && change.changedAt == now)
        #expect((change.before == nil) == (known[Self.key(change)] == nil), "seed \(seed)")
        (known[Self.key(change)], last) = (Self.originalID(change), change.id)
      }
      let wrong = try Self.answers(bench.ledger.reader, now).symmetricDifference(known.values)
      #expect(wrong == [], "seed \(seed), \(now)")
    }
    #expect(last?.number ?? 0 > 10, "seed \(seed): canary, the history changes states")
  }

  @Test func `a subscription ends by time, and a grant begins and ends`() async throws {
    let text = TransactionFixture("t1", originalID: "t1", day(0), day(30)).signed(day(0))
    let bench = try LedgerBench([])
    let feed = ChangeFeed(bench.ledger)
    try feed.advance(to: day(-1))
    let outcomes = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes
    try bench.ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "t") })
    try bench.ledger.link("ann", to: "t1", CustomerFixture.staffAction(1))
    try bench.ledger.grant("pro", to: "ann", from: day(5), until: day(10), CustomerFixture.staffAction(1))
    var reported: [String] = []
    var next: ChangeID?
    for now in [1, 4, 5, 9, 10, 29, 30, 31, 200].map({ day($0) }) {
      try feed.advance(to: now)
      let page = try #require(try bench.ledger.reader.changes(after: next, limit: 100, now: now))
      next = page.next
      reported += page.changes.map { change in
        let states = [change.before?.name.rawValue, change.after?.name.rawValue].map { $0 ?? "-" }.joined(
          separator: " to ")
        let dayNumber = (now.milliseconds - day(0).milliseconds) / 86_400_000
        return "\(dayNumber) \(change.cause.rawValue) \(change.kind.rawValue) \(states) \(change.customers.joined())"
      }
    }
    #expect(
      reported == [
        "1 evidence subscription - to active ann", "1 staff grant - to not_begun ann", "1 staff link - to - ann",
        "5 time grant not_begun to active ann", "10 time grant active to expired ann",
        "30 time subscription active to expired ann",
      ])
  }

  @Test func `a feed that begins late states nothing of before, and everything after`() async throws {
    let history = await RandomHistory(seed: 1, count: 60)
    let bench = try LedgerBench([
      history.arrivals.map { Arrival(outcome: $0.outcome, receivedAt: day(10), isExplicit: true, origin: "server") }
    ])
    let feed = ChangeFeed(bench.ledger)
    #expect(try bench.ledger.reader.changes(after: nil, limit: 1, now: day(20)) == nil)
    #expect(try feed.advance(to: day(20)) == 0)
    #expect(try bench.ledger.reader.status().lastChange?.number == 0)
    let before = try Self.answers(bench.ledger.reader, day(20))
    try feed.advance(to: day(300))
    let after = try Self.answers(bench.ledger.reader, day(300))
    let changed = try #require(try bench.ledger.reader.changes(after: nil, limit: 1000, now: day(300))).changes
    #expect(Set(changed.compactMap(Self.originalID)) == after.subtracting(before))
    #expect(changed.allSatisfy { $0.cause == .time } && !changed.isEmpty)
  }

  @Test func `a clock that goes back by a small step brings back no state`() async throws {
    let bench = try await Self.oneMonth()
    let feed = ChangeFeed(bench.ledger)
    try feed.advance(to: day(40))
    for seconds in [-59, -1, 60] as [Int64] {
      #expect(try feed.advance(to: Instant(milliseconds: day(40).milliseconds + seconds * 1000)) == 0)
    }
  }

  @Test func `after a clock was ahead, the feed states again what is true`() async throws {
    let bench = try await Self.oneMonth()
    let feed = ChangeFeed(bench.ledger)
    try bench.ledger.grant("pro", to: "ann", from: day(5), until: day(10), CustomerFixture.staffAction(1))
    try feed.advance(to: day(2))
    var reported: [String] = []
    for now in [400, 3, 12, 29, 30.0].map(day) {
      let next = try bench.ledger.reader.status().lastChange
      let count = try feed.advance(to: now)
      #expect(try feed.advance(to: now) == 0)
      let changes = try #require(try bench.ledger.reader.changes(after: next, limit: 100, now: now)).changes
      #expect(changes.count == count)
      reported += changes.map {
        "\($0.kind.rawValue) \($0.before?.name.rawValue ?? "-") to \($0.after?.name.rawValue ?? "-")"
      }
    }
    #expect(
      reported == [
        "subscription active to expired", "grant not_begun to expired",
        "subscription expired to active", "grant expired to not_begun",
        "grant not_begun to expired", "subscription active to expired",
      ])
  }

  @Test
  func `a payload that is delivered again with an earlier instant changes an answer, and the feed has the change`()
    async throws
  {
    let bench = try LedgerBench([])
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    func deliver(_ text: String, _ instant: Instant) async throws {
      let outcomes = await decoder.decode(Array(text.utf8)).outcomes
      try bench.ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: instant, isExplicit: true, origin: "t") })
    }
    // A V1 notification states no instant, so the received one decides which of the two was later.
    let paid = PayloadFixture.v1("DID_RENEW", latest: [TransactionFixture("t1", originalID: "t1", day(0), day(30))])
    let refunded = PayloadFixture.v1(
      "CANCEL", latest: [TransactionFixture("t1", originalID: "t1", day(0), day(30), revoked: day(3))])
    try await deliver(refunded, day(5))
    try await deliver(paid, day(6))
    let feed = ChangeFeed(bench.ledger)
    try feed.advance(to: day(7))
    try await deliver(paid, day(4))
    #expect(try feed.advance(to: day(8)) == 1)
    #expect(try feed.advance(to: day(8)) == 0)
    let reported = try Self.reported(bench, now: day(8))
    #expect(reported == ["evidence subscription active to revoked"])
  }

  @Test func `the feed states what a catalogue decides about a one-time purchase`() async throws {
    let bench = try LedgerBench([])
    let text = PayloadFixture.receipt(
      at: day(1), latest: [TransactionFixture("c1", originalID: "c1", product: "lifetime", day(0), nil)])
    let outcomes = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes
    try bench.ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "t") })
    let feed = ChangeFeed(bench.ledger)
    try feed.advance(to: day(2))
    for type in ["Consumable", "Non-Consumable", "Non-Consumable"] {
      _ = try bench.ledger.record(
        ProductCatalogue(Array("product_id,type\nlifetime,\(type)\n".utf8)), bundleID: "b", origin: "t", now: day(3))
      try feed.advance(to: day(4))
    }
    #expect(
      try Self.reported(bench, now: day(4)) == [
        "staff one_time_purchase unknown to consumable", "staff one_time_purchase consumable to active",
      ])
  }

  @Test func `the feed states what evidence about other purchases of the product decides about a one-time purchase`()
    async throws
  {
    let bench = try LedgerBench([])
    let feed = ChangeFeed(bench.ledger)
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    func deliver(_ text: String) async throws {
      let outcomes = await decoder.decode(Array(text.utf8)).outcomes
      try bench.ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "t") })
    }
    // Receipts state no type.
    try await deliver(
      PayloadFixture.receipt(
        at: day(1), latest: [TransactionFixture("c1", originalID: "c1", product: "lifetime", day(0), nil)]))
    try feed.advance(to: day(2))
    for (number, type, environment, changes) in [
      (2, "Non-Consumable", "Production", 0), (3, "Non-Consumable", "Sandbox", 1), (4, "Non-Consumable", "Sandbox", 0),
      (5, "Consumable", "Sandbox", 1), (6, "Non-Consumable", "Sandbox", 0),
    ] {
      let other = TransactionFixture(
        "c\(number)", originalID: "c\(number)", product: "lifetime", day(0), nil, extra: [("type", "\"\(type)\"")])
      try await deliver(other.signed(day(1), environment: environment))
      let count = try feed.advance(to: day(Double(number)))
      #expect(count == changes + 1, "\(number)")
    }
    #expect(
      try Self.reported(bench, now: day(6)).filter { $0.contains("unknown") || $0.contains("to consumable") } == [
        "evidence one_time_purchase unknown to active", "evidence one_time_purchase - to consumable",
        "evidence one_time_purchase active to consumable",
      ])
  }

  /// Every change of the feed, in short words.
  private static func reported(_ bench: LedgerBench, now: Instant) throws -> [String] {
    try #require(try bench.ledger.reader.changes(after: nil, limit: 100, now: now)).changes.map { change in
      "\(change.cause.rawValue) \(change.kind.rawValue) \(change.before?.name.rawValue ?? "-") to \(change.after?.name.rawValue ?? "-")"
    }
  }

  @Test func `an id of another run, or beyond the last one, has no place in the feed`() async throws {
    let bench = try await Self.oneMonth()
    try ChangeFeed(bench.ledger).advance(to: day(0))
    try ChangeFeed(bench.ledger).advance(to: day(40))
    let last = try #require(try bench.ledger.reader.status().lastChange)
    for (id, containsCursor) in [
      ("\(last.epoch)-0", true), ("\(last)", true), ("\(last.epoch)-\(last.number + 1)", false), ("0-0", false),
    ] {
      let id = try #require(ChangeID(id))
      let page = try bench.ledger.reader.changes(after: id, limit: 10, now: day(40))
      #expect(page?.containsCursor == containsCursor && page?.last == last, "\(id)")
    }
    for wrong in ["", "1", "-1", "a-", "a-01", "a--1", "a-1-1", "A-1", "a-9223372036854775808", "a/-1"] {
      #expect(ChangeID(wrong) == nil, "\(wrong)")
    }
  }

  /// A ledger with one subscription from day 0 to day 30.
  private static func oneMonth() async throws -> LedgerBench {
    let text = TransactionFixture("t1", originalID: "t1", day(0), day(30)).signed(day(0))
    let bench = try LedgerBench([])
    let outcomes = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8)).outcomes
    try bench.ledger.record(outcomes.map { Arrival(outcome: $0, receivedAt: day(1), isExplicit: true, origin: "t") })
    return bench
  }
}
