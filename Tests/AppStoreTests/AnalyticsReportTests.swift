import AppStore
import TestSupport
import Testing

/// The standard reports about subscriptions of App Store Connect's analytics. The columns are those of Apple's pages, and those
/// that files of September 2026 had instead.
@Suite struct AnalyticsReportTests {
  static let stateHeader =
    "Date\tApp Name\tApp Apple Identifier\tState Metric\tState Metric Grouping\tSubscription Name\tSubscription Identifier\t"
    + "Offer Pricing\tFamily Sharing\tApp Download Source Type\tTerritory\tCounts\n"
  static let eventHeader =
    "Event Date\tApp Name\tApp Apple Identifier\tEvent Group\tEvent Name\tSubscription Name\tSubscription Identifier\t"
    + "Offer Type\tChurn Tenure\tTerritory\tCounts\n"

  static func state(_ day: String, _ metric: String, _ count: Int, source: String = "App referrer", app: String = "99")
    -> String
  {
    "\(day)\tA\t\(app)\t\(metric)\tG\tMonthly\t77\t\tIndividual\t\(source)\tGB\t\(count)\n"
  }

  static func read(_ text: String, name: String = "state.txt", day: Instant? = nil) throws -> AppleReport {
    try AppleReportReader().read(Array(text.utf8), name: name, day: day)
  }

  @Test func `states of several days are one report of an app, summed over where it was downloaded`() throws {
    let report = try Self.read(
      Self.stateHeader + Self.state("2026-09-01", "Full price", 3)
        + Self.state("2026-09-01", "Full price", 2, source: "?")
        + Self.state("2026-09-02", "Free trials", 1) + Self.state("2026-09-02", "Free trial", 1))
    #expect(report.type == .analyticsState && report.vendorNumber == "99" && report.unknownColumns == [])
    #expect(report.firstDay.date == "2026-09-01" && report.lastDay.date == "2026-09-02")
    #expect(report.figures.map(\.units) == [5, 2])
    #expect(report.dimensions.map(\.measure.rawValue) == ["full_price", "free_trials"])
    #expect(report.dimensions[0][.productAppleID] == "77" && report.dimensions[0][.country] == "GB")
  }

  @Test func `the headers that files have lead to the same as those of Apple's page`() throws {
    let row = "2026-09-01\tA\t99\tVoluntary churn\tVoluntary churn from full price\tMonthly\t77\t\t\tGB\t4\n"
    let live = try Self.read(Self.eventHeader + row)
    #expect(live.type == .analyticsEvent && live.unknownColumns == [])
    let page = Self.eventHeader.replacing("Event Group\tEvent Name", with: "Event Grouping\tEvent Sub Type")
    let other = try Self.read(page + row)
    #expect(other.dimensions == live.dimensions && other.figures == live.figures)
    #expect(live.dimensions.map { $0[.event] } == ["Voluntary churn from full price"])
  }

  static let unusable: [(what: String, text: String, code: AppleReportError.Code)] = [
    ("the detailed report", stateHeader.replacing("Territory", with: "Campaign\tTerritory"), .detailedReport),
    (
      "two apps", stateHeader + state("2026-09-01", "Full price", 1) + state("2026-09-01", "Full price", 1, app: "98"),
      .severalApps
    ),
    ("no rows and no day", stateHeader, .unknownDay),
    (
      "half a count", stateHeader + state("2026-09-01", "Full price", 1).replacing("\t1\n", with: "\t1.5\n"),
      .unreadableValue
    ),
    ("a date of a spreadsheet", stateHeader + state("01.09.26", "Full price", 1), .unreadableValue),
    ("another report", "Date\tApp Name\tDownload Type\tCounts\n", .unrecognised),
    ("purchases", "Date\tApp Name\tPurchases\tProceeds in USD\n", .unrecognised),
    ("no territory", stateHeader.replacing("Territory", with: "Land"), .unrecognised),
  ]

  @Test(arguments: unusable.indices)
  func `what is not a standard report of one app is refused`(_ index: Int) throws {
    let (what, text, code) = Self.unusable[index]
    let error = #expect(throws: AppleReportError.self, "\(what)") { try Self.read(text) }
    #expect(error?.code == code, "\(what): \(String(describing: error))")
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `a day without subscriptions is one that its user names`() throws {
    let day = Instant("2026-09-01")
    let report = try Self.read(Self.stateHeader, day: day)
    #expect(report.firstDay == day && report.figures.isEmpty)
  }
}
