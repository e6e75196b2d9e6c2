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
    ("other", ["Gift Received"]),
  ]

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
