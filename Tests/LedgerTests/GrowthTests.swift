import AppStore
import Foundation
import GRDB
import Ledger
import LedgerService
import TestSupport
import Testing

@testable import LedgerMaintenance
@testable import LedgerQueries
@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// What grows, grows in proportion: each question is asked of N and of 4N subscriptions, and SQLite's steps and pages are
/// counted.
@Suite(.serialized) struct GrowthTests {
  static let sizes = [40, 160]

  /// What walks the file grows at most with this power of its size, and a look-up does not grow.
  ///
  /// A search looks at one page for each level of an index. At these sizes an index grows from one level to two at some
  /// time, and a small table has one page. So the pages of a walk say little here, and only its steps are judged.
  static let mostOfWalk = (steps: 1.1, pages: Double.infinity)
  static let mostOfLookUp = (steps: 0.1, pages: 0.6)

  /// How much more the last count may be by itself: an `EXISTS` that finds its row at the first or at the second try. A walk
  /// where there should be a look-up is four times as much.
  static let tolerance = 1.35

  /// A ledger of so many subscriptions.
  struct SizedLedger {
    let size: Int
    let folder: TemporaryFolder
    let ledger: LedgerRecorder
    /// What recording it needed, and then the first report.
    let (recording, measuring): (StepCounter.Count, StepCounter.Count)
    let parameters = QueryParameters(asOf: day(45), knownAt: day(20_000))

    /// What SQLite did meanwhile, on a connection of its own as each command has.
    func count(_ body: (LedgerReader) async throws -> Void) async throws -> StepCounter.Count {
      let ledger = try LedgerReader(path: ledger.path)
      defer { ledger.close() }
      _ = StepCounter.take(ledger.path)
      try await body(ledger)
      return StepCounter.take(ledger.path)
    }

    /// What each statement needs in any SQL tool.
    /// - Returns: also how many rows it gave.
    func counts(_ statements: String...) throws -> [(count: StepCounter.Count, rows: Int)] {
      let tool = try DatabaseQueue(path: ledger.path)
      defer { try? tool.close() }
      return try statements.map { sql in
        _ = StepCounter.take(ledger.path)
        let rows = try tool.writeWithoutTransaction { database in
          LedgerFile.stopTracking(database)
          return try Row.fetchAll(database, sql: sql).count
        }
        return (StepCounter.take(ledger.path), rows)
      }
    }
  }

  /// The exponents with which steps and pages grow from the first size to the last: 1 is in proportion.
  static func exponents(_ counts: [StepCounter.Count]) -> [Double] {
    let growth = log(Double(sizes[sizes.count - 1]) / Double(sizes[0]))
    return [\StepCounter.Count.steps, \.pages].map { value in
      let (first, last) = (counts[0][keyPath: value], counts[counts.count - 1][keyPath: value])
      return log(Double(max(1, last)) / tolerance / Double(max(1, first))) / growth
    }
  }

  static func expect(
    _ counts: [StepCounter.Count], atMost most: (steps: Double, pages: Double), _ name: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(counts.allSatisfy { $0.steps > 0 }, "\(name): nothing was counted", sourceLocation: location)
    let words = counts.map { "\($0.steps) steps, \($0.pages) pages" }.joined(separator: "; ")
    let found = exponents(counts)
    #expect(found[0] <= most.steps && found[1] <= most.pages, "\(name): \(words)", sourceLocation: location)
  }

  // MARK: - Worlds

  private static let sizedLedgers = Task { try await sizes.asyncMap { try await sizedLedger($0) } }

  /// Subscriptions of two periods each. Every second has a one-time purchase beside it, every fourth a customer with a
  /// link, a grant, a refund request and a purchase attempt. One payload contradicts itself.
  static func sizedLedger(_ size: Int) async throws -> SizedLedger {
    let folder = try TemporaryFolder()
    StepCounter.watch(folder.file("l.sqlite"))
    let ledger = try EmptyLedger.make(in: folder)
    var catalogue = "product_id,type,entitlements\n"
    catalogue += "monthly,Auto-Renewable Subscription,pro\nlifetime,Non-Consumable,pro\n"
    _ = try ledger.record(
      ProductCatalogue(Array(catalogue.utf8)), bundleID: "b", origin: "t", now: day(0))
    var arrivals: [Arrival] = []
    for number in 0..<size { arrivals += await Self.arrivals(number) }
    try ledger.record(arrivals)
    let staffAction = StaffAction(author: "anna", reason: "asked", enteredAt: day(50))
    for number in stride(from: 0, to: size, by: 4) {
      _ = try ledger.link("user\(number)", to: "o\(number)", staffAction)
      try ledger.grant("extra", to: "user\(number)", from: day(1), until: nil, staffAction)
    }
    let recording = StepCounter.take(ledger.path)
    try ProjectionMaintainer(path: ledger.path).deriveMetricDeltas()
    return SizedLedger(
      size: size, folder: folder, ledger: ledger, recording: recording, measuring: StepCounter.take(ledger.path))
  }

  private static func arrivals(_ number: Int) async -> [Arrival] {
    let token = ("app_account_token", "\"\(token(number))\"")
    let originalID = "o\(number)"
    let start = Double(number % 20)
    var texts = [
      PayloadFixture.receipt(
        at: day(start + 31),
        latest: [
          TransactionFixture(originalID, originalID: originalID, day(start), day(start + 30), extra: [token]),
          TransactionFixture("r\(number)", originalID: originalID, day(start + 30), day(start + 60), extra: [token]),
        ],
        renewals: [RenewalFixture(originalID: originalID, status: number % 3 > 0)], environment: "Production")
    ]
    if number.isMultiple(of: 2) {
      let once = TransactionFixture(
        "c\(number)", originalID: "c\(number)", product: "lifetime", day(start), nil, extra: [token])
      texts.append(PayloadFixture.receipt(at: day(start + 31), latest: [once], environment: "Production"))
    }
    if number.isMultiple(of: 4) {
      let transaction = TransactionFixture("q\(number)", originalID: "q\(number)", day(start), day(start + 30))
      texts.append(
        PayloadFixture.v2("CONSUMPTION_REQUEST", at: day(start + 2), status: 1, transaction: transaction)
          .replacing("\"u", with: "\"u\(number)-"))
      texts.append(
        PayloadFixture.event("purchasing", at: day(start), customer: "user\(number)", device: "phone\(number)"))
    }
    if number == 1 {
      let past = TransactionFixture("x", originalID: "x", day(40), day(10))
      texts.append(PayloadFixture.receipt(at: day(5), latest: [past], environment: "Production"))
    }
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    var arrivals: [Arrival] = []
    for text in texts {
      arrivals += await decoder.decode(Array(text.utf8)).outcomes.map {
        Arrival(outcome: $0, receivedAt: day(start + 32), isExplicit: true, origin: "t")
      }
    }
    return arrivals
  }

  static func token(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }

  // MARK: - Look-ups

  /// The columns by which a public view finds one subscription, transaction or customer.
  private static let lookUps: [(view: String, column: String, value: String)] = [
    ("entitlement", "original_transaction_id", "o4"), ("entitlement", "original_transaction_key", "1"),
    ("entitlement", "transaction_id", "r4"), ("entitlement", "app_account_token", token(4)),
    ("entitlement_state", "original_transaction_id", "o4"), ("entitlement_state", "original_transaction_key", "1"),
    ("state_history", "original_transaction_id", "o4"), ("transaction_current", "original_transaction_id", "o4"),
    ("one_time_purchase", "original_transaction_id", "c4"), ("one_time_purchase", "transaction_id", "c4"),
    ("customer_original_transaction", "customer", "user4"), ("customer_original_transaction", "customer", token(3)),
    ("customer_original_transaction", "original_transaction_id", "o4"),
    ("customer_access", "customer", "user4"), ("customer_access", "original_transaction_id", "o4"),
    ("customer_entitlement", "customer", "user4"), ("customer_entitlement", "customer", token(3)),
    ("customer_grant", "customer", "user4"), ("refund_request", "original_transaction_id", "q4"),
  ]

  @Test(arguments: lookUps.map { "\($0.view).\($0.column) = '\($0.value)'" })
  func `an id in a public view reaches an index`(condition: String) async throws {
    let view = condition.prefix { $0 != "." }
    let counts = try await Self.sizedLedgers.value.flatMap { try $0.counts("SELECT * FROM \(view) WHERE \(condition)") }
    #expect(counts.allSatisfy { $0.rows > 0 }, "finds nothing, and so measures nothing")
    Self.expect(counts.map(\.count), atMost: Self.mostOfLookUp, condition)
  }

  /// The views of a subscription's whole life, which an id reaches through ``LedgerReader/scopeScript(_:_:)``.
  private static let lives = ["transaction_current", "transaction_fact", "state_history", "history_event"]

  @Test(arguments: lives)
  func `with the script of a scope, a view reads these purchases alone`(view: String) async throws {
    let parameters = QueryParameters(asOf: day(45), knownAt: day(20_000))
    let counts = try await Self.sizedLedgers.value.map { sizedLedger in
      let matches = try sizedLedger.ledger.reader.search("o4").matches
      guard case .purchase(let originalID)? = matches.first else { return StepCounter.Count() }
      // A connection for each script, as a person has.
      func rows(_ originalIDs: [OriginalTransactionMatch]?, _ condition: String) throws -> Set<Row> {
        try DatabaseQueue(path: sizedLedger.ledger.path).writeWithoutTransaction { database in
          LedgerFile.stopTracking(database)
          try database.execute(sql: try LedgerReader.scopeScript(originalIDs, parameters))
          _ = StepCounter.take(sizedLedger.ledger.path)
          return try Row.fetchSet(database, sql: "SELECT * FROM \(view) \(condition)")
        }
      }
      let limited = try rows([originalID], "")
      let count = StepCounter.take(sizedLedger.ledger.path)
      #expect(
        try limited == rows(nil, "WHERE original_transaction_key = \(originalID.originalTransactionKey)")
          && !limited.isEmpty)
      return count
    }
    Self.expect(counts, atMost: Self.mostOfLookUp, view)
  }

  /// Without an index that the look-ups above need, they are found to walk.
  @Test func `canary: without an index a look-up grows`() async throws {
    let condition = "entitlement.transaction_id = 'r4'"
    let counts = try await Self.sizedLedgers.value.map { sizedLedger in
      let folder = try TemporaryFolder(copying: sizedLedger.folder)
      StepCounter.watch(folder.file("l.sqlite"))
      let tool = try DatabaseQueue(path: folder.file("l.sqlite"))
      try tool.write { try $0.execute(sql: "DROP INDEX transaction_info_of_transaction") }
      _ = StepCounter.take(folder.file("l.sqlite"))
      let rows = try tool.read { try Row.fetchAll($0, sql: "SELECT * FROM entitlement WHERE \(condition)").count }
      #expect(rows == 1)
      return StepCounter.take(folder.file("l.sqlite"))
    }
    #expect(Self.exponents(counts)[0] > Self.mostOfLookUp.steps)
  }

  /// What a program or a person asks about one subscription or customer.
  private static let questions: [(name: String, ask: @Sendable (LedgerReader, QueryParameters) throws -> Bool)] = [
    ("an entitlement", { try $0.entitlement(of: "o4", $1) != nil }),
    ("a customer's access", { try $0.access(of: "user4", to: "pro", $1) != .nothing }),
    ("a customer's record", { try !$0.record(of: "user4", $1).claims.isEmpty }),
    ("a search", { ledger, _ in try !ledger.search("r4").matches.isEmpty }),
    (
      "a history",
      { ledger, parameters in
        guard case .purchase(let originalID)? = try ledger.search("o4").matches.first else { return false }
        return try !ledger.history(of: originalID, parameters).isEmpty
      }
    ),
    (
      "an entitlement as known long ago",
      { ledger, _ in
        try ledger.entitlement(of: "o4", QueryParameters(asOf: day(40), knownAt: day(41))) != nil
      }
    ),
  ]

  @Test(arguments: questions.map(\.name))
  func `an answer about one costs the same among many`(name: String) async throws {
    let question = try #require(Self.questions.first { $0.name == name })
    let counts = try await Self.sizedLedgers.value.asyncMap { sizedLedger in
      try await sizedLedger.count { ledger in
        let isAnswered = try question.ask(ledger, sizedLedger.parameters)
        #expect(isAnswered)
      }
    }
    Self.expect(counts, atMost: Self.mostOfLookUp, name)
  }

  // MARK: - Walks

  private static let publicViews = Schema.views.map(\.name).filter { name in
    SchemaRelations.current[name].map { !$0.isStep && !$0.isParameter && !$0.isSQLiteOnly } ?? false
  }

  @Test(arguments: publicViews)
  func `a pass over a public view is one pass`(view: String) async throws {
    let counts = try await Self.sizedLedgers.value.map {
      try $0.counts("SELECT * FROM \(view)", "SELECT COUNT(*) FROM \(view)").map(\.count)
    }
    for statement in 0..<2 { Self.expect(counts.map { $0[statement] }, atMost: Self.mostOfWalk, view) }
  }

  private static let walks: [(name: String, run: @Sendable (LedgerReader, SizedLedger) async throws -> Void)] = [
    (
      "all entitlements",
      { ledger, sizedLedger in
        let count = try ledger.entitlements(sizedLedger.parameters).count
        #expect(count > sizedLedger.size)
      }
    ),
    (
      "all entitlements as known long ago",
      { ledger, _ in
        let isEmpty = try ledger.entitlements(QueryParameters(asOf: day(40), knownAt: day(45))).isEmpty
        #expect(!isEmpty)
      }
    ),
    ("a report", { _ = try $0.report(request($1.parameters)) }),
    (
      "a report as known long ago",
      { ledger, _ in
        _ = try ledger.report(request(QueryParameters(asOf: day(40), knownAt: day(45))))
      }
    ),
    (
      "an audit",
      { ledger, _ in
        let findings = try await ledger.audit().filter(\.isTampering)
        #expect(findings == [])
      }
    ),
    (
      "a backup",
      { ledger, _ in
        let folder = try TemporaryFolder()
        _ = try ledger.backUp(to: folder.file("b.sqlite"))
      }
    ),
    (
      "an export",
      { ledger, sizedLedger in
        let folder = try TemporaryFolder()
        _ = try ledger.export(to: folder.file("x"), ExportOptions(parameters: sizedLedger.parameters))
      }
    ),
  ]

  private static func request(_ parameters: QueryParameters) throws -> ReportRequest {
    let periods = try #require(ReportPeriods(.month, from: day(0), to: day(60)))
    return ReportRequest(try #require(Metric.named("active_subscriptions")), periods, parameters)
  }

  @Test(arguments: walks.map(\.name))
  func `a command that walks the file walks it in proportion`(name: String) async throws {
    let walk = try #require(Self.walks.first { $0.name == name })
    let counts = try await Self.sizedLedgers.value.asyncMap { sizedLedger in
      try await sizedLedger.count { try await walk.run($0, sizedLedger) }
    }
    Self.expect(counts, atMost: Self.mostOfWalk, name)
  }

  @Test func `recording and the first report grow in proportion`() async throws {
    let sizedLedgers = try await Self.sizedLedgers.value
    Self.expect(sizedLedgers.map(\.recording), atMost: Self.mostOfWalk, "recording")
    Self.expect(sizedLedgers.map(\.measuring), atMost: Self.mostOfWalk, "the first report")
  }

  @Test func `the change feed begins in proportion`() async throws {
    var counts: [StepCounter.Count] = []
    for sizedLedger in try await Self.sizedLedgers.value {
      let copy = sizedLedger.folder.file("feed.sqlite")
      _ = try sizedLedger.ledger.reader.backUp(to: copy)
      StepCounter.watch(copy)
      let recorder = try LedgerRecorder(path: copy)
      _ = StepCounter.take(copy)
      try ChangeFeed(recorder).advance(to: day(100))
      counts.append(StepCounter.take(copy))
    }
    Self.expect(counts, atMost: Self.mostOfWalk, "the beginning of the change feed")
  }
}

extension Array {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
