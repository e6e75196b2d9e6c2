import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import AppStoreSimulator

/// A simulated year, the reports that App Store Connect would offer of it, and what a reconciliation says of both.
@Suite struct ReconciliationTests {
  static let (from, to) = (Instant(milliseconds: 1_735_689_600_000), Instant(milliseconds: 1_768_003_200_000))

  /// The seed of the year, for all tests of a run.
  static let seed = RandomChoice.seed

  /// The days that are compared: 2025, without the edges.
  static func request(_ group: ReconciliationGroup? = nil) throws -> ReconciliationRequest {
    let now = Instant(milliseconds: to.milliseconds + 86_400_000)
    var request = ReconciliationRequest(
      firstDay: try #require(Instant("2025-01-05")), lastDay: try #require(Instant("2025-12-31")),
      parameters: QueryParameters(asOf: now, knownAt: now))
    request.group = group
    return request
  }

  static func simulation(_ seed: UInt64, customers: Int = SampleSize.pick(80, full: 300)) throws -> Simulation {
    try Simulation(catalog: .builtIn(), seed: seed, customers: customers, from: from, to: to)
  }

  static func importReports(_ reports: SimulatedReports, into ledger: LedgerRecorder) async throws
    -> AppleReportImporter.Summary
  {
    var importer = AppleReportImporter(ledger: ledger, now: to)
    return try await importer.run(
      reports.files().map { file in { AppleReportImporter.File(name: file.name, bytes: file.bytes) } })
  }

  /// Imports daily reports.
  /// - Parameters:
  ///   - isIncluded: whether to import the file with a name.
  ///   - change: returns what is imported in place of a file's lines.
  static func importDailyReports(
    _ reports: SimulatedReports, into ledger: LedgerRecorder, where isIncluded: (String) -> Bool = { _ in true },
    _ change: (_ name: String, _ lines: [Substring]) -> [Substring]
  ) async throws {
    let files = try reports.files().filter { file in
      ["S_D_", "Subscri"].contains { file.name.hasPrefix($0) } && isIncluded(file.name)
    }
    var importer = AppleReportImporter(ledger: ledger, now: to)
    let summary = try await importer.run(
      files.map { file in
        let text = String(decoding: try #require(try Gzip.decompress(file.bytes, limit: 1 << 24)), as: UTF8.self)
        let bytes = Array((change(file.name, text.split(separator: "\n")).joined(separator: "\n") + "\n").utf8)
        return { AppleReportImporter.File(name: file.name, bytes: bytes) }
      })
    #expect(summary.refused == 0 && summary.recorded == files.count)
  }

  static func reconciled(_ simulation: Simulation, _ formats: [Format], _ fault: ReportsFault? = nil) async throws
    -> (portfolio: Portfolio, imported: AppleReportImporter.Summary, result: Reconciliation)
  {
    let portfolio = try await Portfolio(simulation, formats)
    let reports = try SimulatedReports(simulation, fault: fault)
    let signer = try Portfolio.authority.get().signer
    let stream = MessageStream(simulation: simulation, formats: formats, signer: signer)
    if let added = MessageStream(sandboxOf: reports, like: stream) {
      var messages: [DeliveredMessage] = []
      try added.send { messages.append($0) }
      try await Portfolio.record(messages, in: portfolio.ledger)
    }
    let imported = try await importReports(reports, into: portfolio.ledger)
    let terms = try ProceedsTerm.table(Array(SimulatedReports.termsTable.utf8))
    _ = try portfolio.ledger.record(terms, isWhole: true, origin: "test", now: to)
    return (portfolio, imported, try portfolio.ledger.reader.reconcile(try request()))
  }

  /// The year without faults, for tests that change nothing in it.
  static let sound = Task { try await reconciled(simulation(seed), [.notificationV2]) }

  /// Returns the classes that explain something.
  static func classes(_ row: ReconciliationRow) -> Set<DifferenceClass> {
    Set(row.differences.filter { $0.value != 0 }.keys)
  }

  @Test(arguments: [
    [Format.notificationV2], [.history, .notificationV2], [.statuses, .refundHistory, .transactionInfo],
  ])
  func `a year without faults agrees in every unit`(_ formats: [Format]) async throws {
    let seed = Self.seed
    let (_, imported, result) = try await Self.reconciled(Self.simulation(seed), formats)
    #expect(imported.refused == 0 && imported.restated == 0 && imported.duplicates == 0)
    #expect(
      Set(result.rows.map(\.agreement)).isSuperset(of: [
        .payments, .sales, .states, .events, .proceeds, .analyticsStates, .analyticsEvents,
      ]), "seed \(seed)"
    )
    #expect(result.rows.filter { $0.agreement == .states }.count > 5, "seed \(seed)")
    #expect(result.rows.filter { $0.agreement == .events }.count > 7, "seed \(seed)")
    #expect(result.rows.filter { $0.agreement == .finance }.map(\.measure) == ["returns", "sales"], "seed \(seed)")
    for row in result.rows where row.agreement == .payments || formats.contains(.notificationV2) {
      // Apple settles what was bought at the end of a month in the next one.
      guard row.agreement != .finance else {
        #expect(Self.classes(row).isSubset(of: [.settlement]), "seed \(seed): \(row)")
        continue
      }
      // Apple's report of a day does not change when a refund is reversed later.
      let later = [.states, .analyticsStates].contains(row.agreement) ? row.differences[.learnedLater] ?? 0 : 0
      #expect(row.apple == row.ledger - later && row.agreed == row.apple, "seed \(seed): \(row)")
      #expect(Self.classes(row) == (later == 0 ? [] : [.learnedLater]), "seed \(seed): \(row)")
      #expect(row.ledger > 0 || [.states, .analyticsStates].contains(row.agreement), "seed \(seed): \(row)")
    }
  }

  /// The lines of a report with the last row once more, as that of another app.
  private static func withOtherApp(_ lines: [Substring]) -> [Substring] {
    guard lines.count > 1 else { return lines }
    let values: [Substring: Substring] = [
      "App Apple ID": "999", "Subscription Apple ID": "998", "Apple Identifier": "998",
      "SKU": "com.example.other.monthly",
    ]
    let cells = [lines[0], lines[lines.count - 1]].map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    let row = zip(cells[0], cells[1]).map { values[$0] ?? $1 }
    return lines + [Substring(row.joined(separator: "\t"))]
  }

  @Test func `figures of another app count, unless one app is asked for`() async throws {
    let seed = Self.seed
    let simulation = try Self.simulation(seed)
    let portfolio = try await Portfolio(simulation, [.notificationV2])
    try await Self.importDailyReports(SimulatedReports(simulation), into: portfolio.ledger) { Self.withOtherApp($1) }
    var request = try Self.request()
    request.agreements = [.payments, .sales, .states]
    let all = try portfolio.ledger.reader.reconcile(request)
    for agreement in request.agreements {
      let rows = all.rows.filter { $0.agreement == agreement }
      let others = rows.reduce(0) { $0 + ($1.differences[.notReceived] ?? 0) }
      let later = rows.reduce(0) { $0 + ($1.differences[.learnedLater] ?? 0) }
      let surplus = rows.reduce(0) { $0 + $1.apple - $1.ledger }
      #expect(others > 0 && surplus == others - later, "seed \(seed): \(rows)")
    }
    request.bundleID = simulation.catalog.bundleID
    for row in try portfolio.ledger.reader.reconcile(request).rows {
      #expect(Self.classes(row).isSubset(of: [.learnedLater]) && row.ledger > 0, "seed \(seed): \(row)")
    }
    request.bundleID = "com.example.absent"
    let absent = try portfolio.ledger.reader.reconcile(request)
    #expect(absent.rows.allSatisfy { $0.ledger == 0 }, "seed \(seed)")
  }

  @Test func `receipts state no price and no country, and that is the only difference`() async throws {
    let seed = Self.seed
    let (_, _, result) = try await Self.reconciled(Self.simulation(seed), [.receipt])
    let payments = try #require(result.rows.first)
    #expect(payments.apple == payments.ledger, "seed \(seed)")
    #expect(payments.differences[.price] == payments.apple, "seed \(seed): \(payments)")
    #expect(Self.classes(payments) == [.price], "seed \(seed): \(payments)")
  }

  @Test(arguments: [
    (ReportsFault.lostNotification, DifferenceClass.notReceived), (.sandbox, .environment),
    (.missingFile, .reportMissing),
  ])
  func `units that only one side has come back as the fault's class, all of them`(
    _ fault: ReportsFault, _ expected: DifferenceClass
  ) async throws {
    let simulation = try Self.simulation(Self.seed)
    let before = try await Self.sound.value.result
    let after = try await Self.reconciled(simulation, [.notificationV2], fault).result
    var units: Int64 = 0
    for sound in before.rows where ![.proceeds, .finance].contains(sound.agreement) {
      guard
        let faulty = after.rows.first(where: { $0.agreement == sound.agreement && $0.measure == sound.measure })
      else { continue }
      let planted = abs(faulty.apple - sound.apple)
      #expect(faulty.ledger == sound.ledger, "seed \(simulation.seed)")
      // On a day without a report, what Apple would have counted as refunded is missing too. Where Apple has units
      // that the ledger lacks, they can meet units of the same key that the ledger learned later.
      let later = [sound, faulty].map { $0.differences[.learnedLater] ?? 0 }
      let met = later[0] - later[1]
      let found = faulty.differences[expected] ?? 0
      #expect(
        found == (fault == .missingFile ? planted + met : planted - met) && met >= 0,
        "seed \(simulation.seed): \(faulty)")
      #expect(Self.classes(faulty).isSubset(of: [expected, .learnedLater]), "seed \(simulation.seed): \(faulty)")
      units += planted
    }
    #expect(units > 0, "seed \(simulation.seed): the fault changed nothing")
  }

  @Test func `days in UTC come back as the class of days, each moved unit once`() async throws {
    let simulation = try Self.simulation(Self.seed)
    let (portfolio, _, result) = try await Self.reconciled(simulation, [.notificationV2], .wrongZone)
    let request = try Self.request()
    let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
    var moved: Int64 = 0
    for customer in portfolio.customers {
      for subscription in customer.store.subscriptions where subscription.sharedFrom == nil {
        var orders: Set<Int64?> = []
        for one in subscription.transactions
        where (one.price ?? 0) > 0 && orders.insert(one.webOrderLineItemID).inserted {
          let date = Date(timeIntervalSince1970: Double(one.purchaseAt.milliseconds) / 1000)
          let local = one.purchaseAt.milliseconds + Int64(zone.secondsFromGMT(for: date)) * 1000
          let day = Instant(milliseconds: local - local % 86_400_000)
          guard day >= request.firstDay, day <= request.lastDay else { continue }
          if day.milliseconds != one.purchaseAt.milliseconds - one.purchaseAt.milliseconds % 86_400_000 { moved += 1 }
        }
      }
    }
    let payments = try #require(result.rows.first)
    #expect(moved > 20, "seed \(simulation.seed)")
    #expect(payments.differences[.day] == moved, "seed \(simulation.seed)")
    for row in result.rows {
      #expect(Self.classes(row).isSubset(of: [.day, .settlement, .learnedLater]), "seed \(simulation.seed): \(row)")
    }
  }

  @Test func `a file that comes twice is a duplicate, and another text replaces the earlier one`() async throws {
    let simulation = try Self.simulation(Self.seed)
    let types = SimulatedReportType.daily.count
    for (fault, duplicates, restated) in [(ReportsFault.duplicate, types, 0), (.restated, 0, types)] {
      let (portfolio, imported, result) = try await Self.reconciled(simulation, [.notificationV2], fault)
      #expect(imported.duplicates <= duplicates && imported.restated <= restated)
      #expect(imported.duplicates + imported.restated > 0)
      #expect(
        result.rows.allSatisfy { Self.classes($0).isSubset(of: [.settlement, .learnedLater]) },
        "seed \(simulation.seed): \(result.rows)")
      let series = try portfolio.ledger.reader.appleReportSeries(try Self.request().parameters)
      #expect(series.reduce(0) { $0 + Int($1.restated) } == imported.restated)
      // Everything again adds nothing.
      let again = try await Self.importReports(try SimulatedReports(simulation), into: portfolio.ledger)
      #expect(again.recorded == 0 && again.duplicates == again.files)
    }
  }

  @Test func `a month that Apple settles later differs by what was bought at its end, and each sale is in one month`()
    async throws
  {
    let simulation = try Self.simulation(Self.seed)
    let (portfolio, _, _) = try await Self.sound.value
    let reader = portfolio.ledger.reader
    let months = try reader.reconcile(try Self.request(.day)).rows.filter {
      $0.agreement == .finance && $0.measure == "sales"
    }
    #expect(months.count == 11, "seed \(simulation.seed)")
    let parameters = try Self.request().parameters
    let days = try months.compactMap { try reader.fiscalMonth(beginningOn: $0.day ?? Self.from, parameters) }
    try #require(days.count == 11)
    #expect(Set(days.map { ($0.upperBound.milliseconds - $0.lowerBound.milliseconds) / 86_400_000 + 1 }) == [28, 35])
    #expect(
      zip(days, days.dropFirst()).allSatisfy { $0.upperBound.milliseconds + 86_400_000 == $1.lowerBound.milliseconds })
    var request = try Self.request()
    (request.firstDay, request.lastDay) = (days[0].lowerBound, days[10].upperBound)
    let sold = try reader.reconcile(request).rows.first { $0.agreement == .sales }
    let settled = months.reduce(0) { $0 + $1.ledger }
    #expect(sold?.ledger == settled, "seed \(simulation.seed)")
    // Only the first and the last month lose and gain units, in the three days of a settlement.
    #expect(abs(months.reduce(0) { $0 + $1.apple } - settled) < settled / 20, "seed \(simulation.seed)")
  }

  @Test func `proceeds by another tax come back as the class of terms, and imply the tax that Apple took`() async throws
  {
    let simulation = try Self.simulation(Self.seed)
    let (portfolio, _, sound) = try await Self.reconciled(simulation, [.notificationV2])
    let terms = try ProceedsTerm.table(
      Array("term,storefront,from,value\ntax,GBR,2008-07-10,10\ntax,JPN,2008-07-10,25\n".utf8))
    _ = try portfolio.ledger.record(terms, isWhole: false, origin: "test", now: Self.to)
    let wrong = try portfolio.ledger.reader.reconcile(try Self.request(.country))
    let proceeds = wrong.rows.filter { $0.agreement == .proceeds }
    #expect(
      proceeds.reduce(0) { $0 + $1.apple } == sound.rows.first { $0.agreement == .proceeds }?.apple,
      "seed \(simulation.seed)")
    // The refund of a small part can be the same minor units with both taxes.
    let small = try portfolio.ledger.reader.reconcile(try Self.request(.key)).rows.filter {
      $0.agreement == .proceeds && abs($0.price?.rawValue ?? .max) < 40 * ($0.country == "JPN" ? 1000 : 10)
    }
    for row in proceeds {
      let isWrong = ["GBR", "JPN"].contains(row.country)
      let agreed = isWrong ? small.filter { $0.country == row.country }.reduce(0) { $0 + $1.agreed } : row.apple
      #expect(row.ledger == agreed, "seed \(simulation.seed): \(row)")
      #expect(Self.classes(row) == (isWrong ? [.terms] : []), "seed \(simulation.seed): \(row)")
    }
    let differences = try portfolio.ledger.reader.proceedsDifferences(try Self.request())
    #expect(
      differences.reduce(0) { $0 + $1.units } == proceeds.reduce(0) { $0 + ($1.differences[.terms] ?? 0) },
      "seed \(simulation.seed)")
    for one in differences {
      let tax = try #require(one.impliedTaxRate)
      // Apple rounds to a minor unit. Of small proceeds, such as those of a small refund, it is a large share.
      let minorUnit: Int64 = one.currency == "JPY" ? 1000 : 10
      let limit = 500 + 120_000 * minorUnit / max(1, one.proceeds.rawValue)
      #expect(abs(tax - (one.country == "GBR" ? 20_000 : 10_000)) < limit, "seed \(simulation.seed): \(one)")
    }
  }

  @Test func `before the reports were imported there is nothing to compare`() async throws {
    let simulation = try Self.simulation(Self.seed, customers: 5)
    let (portfolio, _, _) = try await Self.reconciled(simulation, [.notificationV2])
    var request = try Self.request()
    request.parameters = QueryParameters(asOf: Self.to, knownAt: Instant(milliseconds: Self.to.milliseconds - 1))
    let result = try portfolio.ledger.reader.reconcile(request)
    #expect(result.rows.isEmpty && result.withoutReports == Agreement.allCases)
  }

  @Test func `groups add up to the whole, and each key leads to the ledger's purchases`() async throws {
    let simulation = try Self.simulation(Self.seed)
    let (portfolio, _, whole) = try await Self.reconciled(simulation, [.notificationV2], .missingFile)
    let reader = portfolio.ledger.reader
    for group in ReconciliationGroup.allCases {
      let split = try reader.reconcile(try Self.request(group))
      for row in whole.rows {
        let parts = split.rows.filter { $0.agreement == row.agreement && $0.measure == row.measure }
        #expect(parts.reduce(0) { $0 + $1.apple } == row.apple, "\(group)")
        #expect(parts.reduce(0) { $0 + $1.ledger } == row.ledger, "\(group)")
      }
    }
    let missing = try reader.reconcile(try Self.request(.key)).rows.filter { $0.differences[.reportMissing] != 0 }
    #expect(!missing.isEmpty, "seed \(simulation.seed)")
    for row in missing {
      var request = try Self.request()
      (request.firstDay, request.lastDay) = (try #require(row.day), try #require(row.day))
      let items = try reader.reconciliationItems(request) {
        $0.agreement == row.agreement && $0.measure == row.measure && $0.day == row.day && $0.productID == row.productID
          && $0.country == row.country && $0.price == row.price && $0.excludedBy == nil
      }
      #expect(Int64(items.count) == row.ledger, "seed \(simulation.seed): \(row)")
    }
  }

  /// The canary: rules that are wrong on purpose. Every one must leave something unexplained.
  @Test(arguments: [
    ("transaction_current", "WHEN paid_milliunits = 0 THEN 1", "WHEN paid_milliunits >= 0 THEN 1"),
    ("transaction_current", "IN ('FAMILY_SHARED', 'ASSIGNED') THEN 0", "IN ('ASSIGNED') THEN 0"),
    ("transaction_current", "WHEN first_transaction_key = transaction_key THEN", "WHEN first_transaction_key > 0 THEN"),
  ])
  func `a rule that is altered leaves something unexplained`(_ view: String, _ rule: String, _ other: String)
    async throws
  {
    let simulation = try Self.simulation(11, customers: 150)
    let (portfolio, _, result) = try await Self.reconciled(simulation, [.notificationV2, .history])
    #expect(result.unexplained == 0)
    portfolio.ledger.close()
    let request = try Self.request()
    let unexplained = try await DatabaseQueue(path: portfolio.ledger.path).write { database in
      let text = try #require(
        try String.fetchOne(database, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [view]))
      #expect(text.contains(rule))
      try database.execute(
        sql: """
          DROP VIEW \(view);
          \(text.replacing(rule, with: other));
          DROP VIEW param_reconciliation;
          CREATE VIEW param_reconciliation AS SELECT \(request.firstDay.milliseconds) AS first_day_at,
            \(request.lastDay.milliseconds) AS last_day_at, NULL AS bundle_id;
          """)
      return try Int.fetchOne(database, sql: "SELECT SUM(ABS(unexplained)) FROM reconciliation") ?? 0
    }
    #expect(unexplained > 0)
  }

  @Test func `Pacific days are those of the calendar's own zone`() throws {
    let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let clock = try DatabaseQueue(path: ledger.path).read {
      try Row.fetchAll($0, sql: "SELECT * FROM pacific_clock ORDER BY begins_at")
    }
    #expect(zip(clock, clock.dropFirst()).allSatisfy { $0["ends_at"] as Int64 == $1["begins_at"] })
    var random = SplitMix(seed: RandomChoice.seed)
    let (first, last): (Int64, Int64) = (1_215_648_000_000, 2_840_140_800_000)
    let edges = clock.flatMap { row in [-1, 0].map { (row["begins_at"] as Int64) + $0 } }.filter { first < $0 }
    for instant in edges + (0..<2000).map({ _ in Int64.random(in: first..<last, using: &random) }) {
      let expected = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant) / 1000))) * 1000
      #expect(PacificTime.offset(at: Instant(milliseconds: instant)) == expected, "\(instant)")
      let row = clock.first { ($0["begins_at"] as Int64) <= instant && instant < ($0["ends_at"] as Int64) }
      #expect(row?["utc_offset"] == expected, "\(instant)")
      let day = PacificTime.day(of: Instant(milliseconds: instant))
      let start = PacificTime.start(of: day)
      #expect(start.milliseconds <= instant && instant < PacificTime.start(of: day + 86_400_000).milliseconds)
    }
  }
}
