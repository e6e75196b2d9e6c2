import AppStore
import Foundation
import Ledger
import AppStoreSimulator
import TestSupport
import Testing

/// Each of Apple's ways of saying it, read as JSON, and what the ledger makes of each alone.
@Suite struct FormatTests {
  static func receipts(_ scenario: String, _ format: Format) throws -> [Story.Statement] {
    try Story(scenario, [format]).stated
  }

  @Test func `receipt: grace and retry are in pending_renewal_info while they hold`() throws {
    let receipts = try Self.receipts("grace-recovered", .receipt)
    let failing = try #require(receipts.first { $0.rows("pending_renewal_info")[0].text("expiration_intent") != nil })
    let pending = failing.rows("pending_renewal_info")[0]
    #expect(pending.text("is_in_billing_retry_period") == "1")
    #expect(pending.text("expiration_intent") == "2")
    #expect(pending.text("grace_period_expires_date")?.hasSuffix(" Etc/GMT") == true)
    #expect(pending.text("grace_period_expires_date_ms")?.count == 13)
    let after = try #require(receipts.last).rows("pending_renewal_info")[0]
    #expect(after["grace_period_expires_date_ms"] == nil && after["is_in_billing_retry_period"] == nil)
  }

  @Test func `receipt: everything is text, rows are the latest first, and a trial is marked`() throws {
    let receipt = try #require(try Self.receipts("trial-to-paid", .receipt).last)
    let rows = receipt.rows("latest_receipt_info")
    #expect(rows.count == 3)
    #expect(rows.map { $0.text("is_trial_period") } == ["false", "false", "true"])
    let starts = rows.compactMap { $0.text("purchase_date_ms") }
    #expect(starts == starts.sorted(by: >))
    #expect(Set(rows.map { $0.text("original_transaction_id") }).count == 1)
    #expect(rows.allSatisfy { $0.values.allSatisfy { $0 is String } })
    #expect(receipt.json.number("status") == 0)
    #expect(receipt.object("receipt").text("request_date_ms") != nil)
    #expect(receipt.json.text("latest_receipt")?.hasPrefix("MII") == true)
  }

  @Test func `receipt: California's dates are those of the calendar's own zone`() throws {
    let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = zone
    format.dateFormat = "yyyy-MM-dd HH:mm:ss 'America/Los_Angeles'"
    let simulation = try AgreementTests.simulation(.realTime, customers: 15)
    var compared = 0
    for row in try Story(simulation, [.receiptExcludingOld]).stated.flatMap({ $0.rows("latest_receipt_info") }) {
      for name in ["purchase_date", "expires_date", "original_purchase_date"] {
        guard let text = row.text(name + "_ms"), let milliseconds = Double(text) else { continue }
        #expect(row.text(name + "_pst") == format.string(from: Date(timeIntervalSince1970: milliseconds / 1000)))
        compared += 1
      }
    }
    #expect(compared > 100)
  }

  @Test
  func `receipt: exclude-old has one row for each subscription, iOS 6 style one transaction, and 21006 after its end`()
    throws
  {
    #expect(
      try Self.receipts("trial-to-paid", .receiptExcludingOld).allSatisfy { $0.rows("latest_receipt_info").count == 1 })
    let old = try Self.receipts("cancelled", .receiptIOS6)
    #expect(old.map { $0.json.number("status") } == [0, 0, 0, 21_006])
    #expect(old[0].object("latest_receipt_info").text("expires_date")?.count == 13)
    let expired = try #require(old.last)
    #expect(expired.json.text("expiration_intent") == "1")
    #expect(expired.json.number("auto_renew_status") == 0)
    #expect(expired.object("latest_expired_receipt_info").text("transaction_id") != nil)
    #expect(expired.object("receipt").text("transaction_id") != nil)
  }

  @Test func `V1: it has the shared secret, a number for the subscription, and no notification of an end`() throws {
    let stated = try Self.receipts("cancelled", .notificationV1)
    #expect(stated.map(\.type) == ["INITIAL_BUY", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS"])
    let last = try #require(stated.last)
    #expect(last.json.text("password")?.count == 32)
    #expect(last.json.text("environment") == "PROD")
    #expect(last.json.text("auto_renew_status") == "false")
    #expect(last.json.number("original_transaction_id") != nil)
    #expect(last.object("unified_receipt").number("status") == 0)
    let words: [String: [String]] = [
      "grace-recovered": ["INITIAL_BUY", "DID_FAIL_TO_RENEW", "DID_RECOVER", "DID_RENEW"],
      "refund": ["INITIAL_BUY", "CANCEL", "DID_CHANGE_RENEWAL_STATUS"],
      "consumable-refunded": ["CONSUMPTION_REQUEST", "REFUND"],
      "upgrade": ["INITIAL_BUY", "INTERACTIVE_RENEWAL", "DID_RENEW"],
      "family-revoked": ["INITIAL_BUY", "DID_RENEW", "DID_RENEW", "DID_RENEW", "REVOKE", "DID_RENEW"],
    ]
    for (scenario, expected) in words {
      let types = try Self.receipts(scenario, .notificationV1).map(\.type)
      #expect(types == expected, "\(scenario)")
    }
  }

  @Test func `V1: the secret reaches no ledger`() async throws {
    let simulation = try Simulation(
      catalog: .builtIn(), seed: 1, customers: 1, from: day(0), to: day(60), scenario: Scenario(named: "cancelled"))
    let portfolio = try await Portfolio(simulation, [.notificationV1])
    portfolio.ledger.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: portfolio.folder.file("l.sqlite")))
    #expect(bytes.range(of: Data("6d2fd6a8c52e4a0b9c35e1f7b08a94d3".utf8)) == nil)
  }

  @Test func `history comes in pages of twenty, the oldest first`() throws {
    let pages = try Story("billed-monthly-cancelled", [.history]).stated
    #expect(pages.allSatisfy { $0.rows("signedTransactions").count <= 20 })
    // The first seed that makes a customer who pays often.
    let stories = (1...40).lazy.map { seed in
      try? Story(
        Simulation(
          catalog: .builtIn(), seed: seed, customers: 1, from: day(0), to: day(800), rates: Rates.quiet()),
        [.history])
    }
    let last = try #require(stories.compactMap(\.self).first { $0.stated.contains { $0.json.flag("hasMore") == true } })
      .stated.suffix(2)
    #expect(last.map { $0.json.flag("hasMore") } == [true, false])
    let starts = last.flatMap { $0.rows("signedTransactions") }.compactMap { $0.number("purchaseDate") }
    #expect(starts == starts.sorted() && starts.count > 20)
    #expect(last.first?.json.text("revision")?.contains("_") == true)
  }

  @Test func `notification history has twenty a page at most, each with Apple's attempt, and every one once`() throws {
    let simulation = try AgreementTests.simulation(.realTime, customers: 10)
    let pages = try Story(simulation, [.notificationHistory]).stated
    let items = pages.flatMap { $0.rows("notificationHistory") }
    #expect(pages.allSatisfy { $0.rows("notificationHistory").count <= 20 })
    #expect(items.allSatisfy { ($0["sendAttempts"] as? [Story.Object])?.first?.text("sendAttemptResult") == "SUCCESS" })
    let reported = try Story(simulation).stated.map { $0.json.text("notificationUUID") ?? "" }
    let listed = items.compactMap { ($0["signedPayload"] as? Story.Object)?.text("notificationUUID") }
    #expect(listed.sorted() == reported.sorted())
  }

  @Test func `statuses are grouped, and refund history lists what was refunded`() throws {
    let statuses = try #require(try Story("refund", [.statuses]).stated.last)
    let last = try #require(statuses.rows("data").first?["lastTransactions"] as? [Story.Object])
    #expect(last.first?.number("status") == 5)
    let refunds = try #require(try Story("refund", [.refundHistory]).stated.last)
    #expect(refunds.rows("signedTransactions").count == 1)
    #expect(refunds.json["environment"] == nil)
  }

  @Test func `client events say what the queue did, and name the error`() throws {
    let events = try Story("interrupted-purchase", [.clientEvents]).stated.map(\.json)
    #expect(
      events.map { $0.text("transaction_state") ?? "" } == ["purchasing", "failed", "failed", "purchased", "purchased"])
    #expect((events[1]["error"] as? Story.Object)?.text("domain") == "SKErrorDomain")
    #expect(events.last?.text("event") == "removed")
    #expect(events.last?.text("transaction_id") != nil)
  }

  // MARK: Each alone

  /// What a format cannot say: iOS 6 receipts know no grace, app receipts neither grace nor retry, and V1 no reversal, no
  /// extension and no end.
  static func isUntold(_ format: Format, _ customer: Portfolio.Customer, _ truth: GroundTruth?) -> Bool {
    switch format {
    case .receiptIOS6: truth?.state == .gracePeriod
    case .appReceipt: truth?.state == .gracePeriod || truth?.state == .billingRetry
    case .notificationV1:
      customer.words.contains { ["RENEWAL_EXTENDED", "REFUND_REVERSED"].contains($0) } || truth?.state == .expired
    default: false
    }
  }

  @Test(arguments: [
    Format.receipt, .receiptExcludingOld, .receiptIOS6, .appReceipt, .statuses, .notificationV1, .notificationHistory,
  ])
  func `from all payloads of one format the ledger derives each state`(format: Format) async throws {
    let portfolio = try await Portfolio(
      AgreementTests.simulation(.realTime, customers: SampleSize.pick(12, full: 25)), [format])
    var random = SplitMix(seed: AgreementTests.seed)
    var (compared, wrong) = (0, [String]())
    for _ in 0..<40 {
      let instant = portfolio.instant(&random)
      // Notification history is asked long after.
      let knownAt = format == .notificationHistory ? day(20_000) : instant
      let answers = try portfolio.answers(QueryParameters(asOf: instant, knownAt: knownAt))
      for customer in portfolio.customers where portfolio.isSettled(customer, at: instant) {
        for subscription in customer.store.subscriptions {
          let truth =
            format == .notificationHistory
            ? subscription.truthInHindsight(at: instant) : subscription.truth(at: instant)
          if Self.isUntold(format, customer, truth) { continue }
          // Version 1 says nothing of a family's first purchase.
          if format == .notificationV1, subscription.account != 0 { continue }
          compared += 1
          let state = answers[String(subscription.id)]?.state.rawValue
          if state != truth?.state.rawValue {
            wrong.append(
              "\(subscription.id) at \(instant): true \(truth?.state.rawValue ?? "-"), ledger \(state ?? "-")")
          }
        }
      }
    }
    #expect(compared > 300)
    #expect(wrong.prefix(5) == [], "\(wrong.count) of \(compared)")
    #expect(try portfolio.ledger.reader.disagreements().map(\.detail) == [])
  }

  // iOS 6 receipts know no grace, and their silence would count as Apple's last word.
  @Test func `from all formats at once the answers agree, and nothing is in quarantine`() async throws {
    let portfolio = try await Portfolio(
      AgreementTests.simulation(.realTime, customers: SampleSize.pick(5, full: 15)),
      Format.allCases.filter { $0 != .receiptIOS6 })
    #expect(try portfolio.ledger.reader.quarantined().isEmpty)
    #expect(try await portfolio.ledger.reader.audit(trust: Portfolio.decoder().trust) == [])
    let (_, found) = try AgreementTests.differences(portfolio, instants: 30, seed: AgreementTests.seed)
    #expect(found.map(\.description).prefix(5) == [])
  }
}
