import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import AppStoreSimulator

/// Apple's reports compared with each other, for a simulated year and for reports with one wrong figure.
@Suite struct AppleReportComparisonTests {
  static let now = Instant(milliseconds: 1_768_089_600_000)

  static func compared(_ ledger: LedgerRecorder) throws -> (
    agreements: [AppleReportComparison: AppleReportAgreement], differences: [AppleReportDifference]
  ) {
    let (agreements, differences) = try ledger.reader.compareAppleReports(
      QueryParameters(asOf: now, knownAt: now))
    return (Dictionary(uniqueKeysWithValues: agreements.map { ($0.comparison, $0) }), differences)
  }

  /// A new ledger with daily reports of a simulation, and none of its purchases.
  /// - Parameters:
  ///   - isIncluded: whether to import the file with a name.
  ///   - change: what is imported in place of a file's text.
  static func ledger(
    _ simulation: Simulation, where isIncluded: (String) -> Bool = { _ in true },
    _ change: (_ name: String, _ lines: [Substring]) -> [Substring] = { $1 }
  ) async throws -> (ledger: LedgerRecorder, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("ledger.sqlite"))
    try await ReconciliationTests.importDailyReports(
      SimulatedReports(simulation), into: ledger, where: isIncluded, change)
    return (ledger, folder)
  }

  @Test func `the reports of a year agree, apart from refunds that events do not tell apart`() async throws {
    let seed = RandomChoice.seed
    let simulation = try ReconciliationTests.simulation(seed)
    let (ledger, folder) = try await Self.ledger(simulation)
    defer { withExtendedLifetime(folder) {} }
    let (agreements, differences) = try Self.compared(ledger)
    #expect(differences.isEmpty, "seed \(seed): \(differences.prefix(3))")
    for comparison in AppleReportComparison.allCases {
      let one = try #require(agreements[comparison])
      #expect(one.unexplained == 0 && one.figures > 0 && one.days > 0, "seed \(seed): \(one)")
      if comparison != .subscriptions {
        #expect(one.agreed == one.figures && one.refunds == 0 && one.reversals == 0, "seed \(seed): \(one)")
      }
    }
    let subscriptions = try #require(agreements[.subscriptions])
    #expect(subscriptions.agreed * 2 > subscriptions.figures, "seed \(seed): \(subscriptions)")
  }

  @Test(arguments: [AppleReportType.subscriber, .subscriptionEvent])
  func `a lost row is found, on its day and nowhere else`(_ type: AppleReportType) async throws {
    let seed = RandomChoice.seed
    let simulation = try ReconciliationTests.simulation(seed)
    var changed: String?
    let (ledger, folder) = try await Self.ledger(simulation, where: { $0.contains(/_20250[1-9]/) }) { name, lines in
      let isWanted = name.hasPrefix(type == .subscriber ? "Subscriber_" : "Subscription_Event_")
      let day = Int(name.filter(\.isNumber).suffix(2)) ?? 0
      // A refund of the same day would explain a lost end of a subscription.
      guard isWanted, changed == nil, (3...28).contains(day),
        !lines.dropFirst().contains(where: { $0.contains("\tRefund\t") }),
        let row = lines.indices.dropFirst().last(where: { type == .subscriber || lines[$0].contains("\tCancel\t") })
      else { return lines }
      changed = name
      var rest = lines
      rest.remove(at: row)
      return rest
    }
    defer { withExtendedLifetime(folder) {} }
    let day = try #require(changed, "seed \(seed): no file was changed").filter(\.isNumber).suffix(8)
    let (_, differences) = try Self.compared(ledger)
    #expect(differences.count == 1, "seed \(seed): \(differences)")
    for one in differences {
      #expect(one.day.date.filter(\.isNumber) == day, "seed \(seed): \(one)")
      #expect(one.comparison.reports.second == type && abs(one.first - one.second) > 0, "seed \(seed): \(one)")
      #expect(one.productID != nil, "seed \(seed): \(one)")
    }
  }

  @Test func `a snapshot is needed for a day and the day before, and a lost file of events is a difference`()
    async throws
  {
    let simulation = try ReconciliationTests.simulation(RandomChoice.seed)
    func compared(without missing: String) async throws -> (days: Int64, differences: [AppleReportDifference]) {
      let (ledger, folder) = try await Self.ledger(simulation) { $0.contains(/_20250[1-6]/) && !$0.hasPrefix(missing) }
      defer { withExtendedLifetime(folder) {} }
      let (agreements, differences) = try Self.compared(ledger)
      return (try #require(agreements[.subscriptions]).days, differences)
    }
    let vendor = SimulatedReports.vendorNumber
    let all = try await compared(without: "nothing")
    #expect(all.days > 20 && all.differences.isEmpty, "seed \(simulation.seed): \(all)")
    let snapshot = try await compared(without: "Subscription_\(vendor)_20250615")
    #expect(snapshot.days == all.days - 2 && snapshot.differences.isEmpty, "seed \(simulation.seed): \(snapshot)")
    let event = try await compared(without: "Subscription_Event_\(vendor)_20250615")
    #expect(event.days == all.days, "seed \(simulation.seed): \(event)")
    #expect(event.differences.allSatisfy { $0.day.date == "2025-06-15" }, "seed \(simulation.seed): \(event)")
  }
}
