import AppStore
import GRDB
import Ledger
import LedgerStore
import TestSupport
import Testing

/// The kinds of Apple's subscription events, by the names that reports have had since 2016.
@Suite struct AppleEventTests {
  static let names: [(kind: String, names: [String])] = [
    (
      "activations",
      ["Subscribe", "Start Introductory Offer", "Start Introductory Price", "Start Free Trial", "Opt-In"]
    ),
    ("activations", ["Start Offer Code", "Start Promotional Offer", "Subscribe with Contingent Price"]),
    ("conversions", ["Paid Subscription from Introductory Offer", "Paid Subscription from Free Trial"]),
    ("renewals", ["Renew", "renew"]),
    ("recoveries", ["Renewal from Billing Retry", "Crossgrade from Billing Retry", "Downgrade from Grace Period"]),
    ("recoveries", ["Introductory Price from Billing Retry"]),
    ("billing_issues", ["Billing Retry from Paid Subscription", "Billing Retry from Introductory Offer"]),
    ("cancellations", ["Cancel", "Canceled from Billing Retry", "Canceled from Billing Grace Period"]),
    ("cancellations", ["Canceled After Renewal Extension"]),
    ("plan_changes", ["Upgrade", "Downgrade", "Crossgrade from Introductory Offer"]),
    ("plan_changes", ["Paid Subscription from Win-Back Offer with Upgrade"]),
    ("returns", ["Reactivate", "Reactivate with Upgrade", "Reactivation to Promotional Offer"]),
    ("offers", ["Introductory Offer from Introductory Offer", "Introductory Price from Paid Subscription"]),
    ("offers", ["Free Trial from Free Trial", "Promotional Offer from Win-Back Offer", "Offer Code from Offer Code"]),
    ("refunds", ["Refund", "Refund with Crossgrade"]),
    ("starts", ["Free Trial Starts", "Paid Offer Starts", "Full price subscription start activation"]),
    ("offers", ["Free Trial Renewals", "Paid Offer Renewals", "Offer to Offer", "Offers from Paid"]),
    ("conversions", ["Full Price from Free Trial", "Contingent Price from Paid Offer"]),
    ("renewals", ["Full Price Renewals", "Contingent Price Renewal from Full Price", "Full price renewal"]),
    ("renewals", ["Full Price Commitment-Based Payments"]),
    ("billing_issues", ["Entered Grace Period from Paid Offer", "Entered Billing Retry from Full Price"]),
    ("billing_issues", ["Billing retry from full price"]),
    ("retries", ["Entered Billing Retry from Grace Period"]),
    ("recoveries", ["Full Price Recoveries from Grace Period", "Free Trial Recoveries from Billing Retry"]),
    ("cancellations", ["Voluntary Churn from Free Trials", "Involuntary churn from billing retry"]),
    ("refunds", ["Refunds from Full Price"]),
    ("plan_changes", ["Plan Changes"]),
    ("other", ["Gift Received", "Free Trial Extensions"]),
  ]

  @Test func `a newer report of analytics replaces the days that it has, and no others`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let header = "Date\tApp Apple Identifier\tState Metric\tSubscription Identifier\tTerritory\tCounts\n"
    func row(_ day: Int, _ app: Int, _ count: Int) -> String {
      "2026-09-0\(day)\t\(app)\tFull price\t77\tGB\t\(count)\n"
    }
    for (index, rows) in [
      [row(1, 9, 10), row(2, 9, 11), row(3, 9, 12)], [row(2, 9, 21), row(3, 9, 22), row(4, 9, 23)], [row(3, 8, 5)],
    ].enumerated() {
      var importer = AppleReportImporter(
        ledger: ledger, now: Instant(milliseconds: 1_790_000_000_000 + Int64(index)))
      let text = header + rows.joined()
      let summary = try await importer.run([{ .init(name: "state.txt", bytes: Array(text.utf8)) }])
      #expect(summary.recorded == 1 && summary.restated == 0, "\(summary)")
    }
    let units = try await DatabaseQueue(path: ledger.path).read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT d.app_apple_id || '/' || f.units FROM int_analytics_day d
          JOIN apple_figure f ON f.report_id = d.report_id AND f.day_at = d.day_at ORDER BY d.app_apple_id, d.day_at
          """)
    }
    #expect(units == ["8/5", "9/10", "9/21", "9/22", "9/23"])
  }

  @Test func `each name of an event belongs to one kind, and an unknown name is of a kind of its own`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let rows = Self.names.flatMap(\.names).map { "2026-01-05\t\($0)\t1500000001\tUS\t1\n" }
    let text = "Event Date\tEvent\tSubscription Apple ID\tCountry\tQuantity\n" + rows.joined()
    var importer = AppleReportImporter(ledger: ledger, now: AppleReportStorageTests.instants.first)
    importer.day = Instant("2026-01-05")
    let summary = try await importer.run([{ .init(name: "Subscription_Event.txt", bytes: Array(text.utf8)) }])
    #expect(summary.recorded == 1, "\(summary)")
    let kinds = try await DatabaseQueue(path: ledger.path).read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT event, kind FROM apple_event")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0["event"] as String, $0["kind"] as String) })
    }
    for (kind, names) in Self.names {
      for name in names { #expect(kinds[name] == kind, "\(name)") }
    }
    #expect(kinds.count == Self.names.reduce(0) { $0 + $1.names.count })
  }
}
