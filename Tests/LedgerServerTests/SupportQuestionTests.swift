import AppStore
import Foundation
import TestSupport
import Testing

@testable import LedgerServer

/// The questions that support is asked, each answered on the first screen of a page: before a reader scrolls.
@Suite(.takesTurns) struct SupportQuestionTests {
  /// A question, the page that a member of staff opens, and what must stand on its first screen.
  private struct Case {
    let question: String
    let path: String
    let asOf: Double
    var knownAt: Double?
    let phrases: [String]
  }

  private static let cases = [
    Case(
      question: "She paid, why is she locked out? - A payment failed, and she is in grace", path: "/people/ada",
      asOf: 40,
      phrases: ["Has pro until 2026-02-16 00:00:00Z, in a grace period: a payment failed, and Apple tries again."]),
    Case(
      question: "She paid, why is she locked out? - A payment failed, and grace is over", path: "/people/ada", asOf: 50,
      phrases: ["Has had no pro since 2026-02-16 00:00:00Z: a payment failed, and Apple still tries to collect it."]),
    Case(
      question: "She paid, why is she locked out? - In the Sandbox, which is no real purchase", path: "/people/bea",
      asOf: 10,
      phrases: ["SANDBOX: NO REAL PURCHASE", "All purchases are of a test environment: nobody paid."]),
    Case(
      question: "She paid, why is she locked out? - Another user of the app owns the subscription",
      path: "/people/cleo", asOf: 10, phrases: ["2 customers claim this purchase. Decide whose it is."]),
    Case(
      question: "She paid, why is she locked out? - Paid on the device, never verified here", path: "/people/ida",
      asOf: 21,
      phrases: [
        "Has no access: no evidence of a purchase arrived, only reports of the device.",
        "The device: paid on the device, never in the evidence",
      ]),
    Case(
      question: "He cancelled, why is he still in? - Renewal is off; access lasts until the period's end",
      path: "/people/hal", asOf: 10,
      phrases: [
        "Has pro until 2026-02-03 00:00:00Z. It will not renew.", "2026-01-06 00:00:00Z: Renewal was turned off.",
      ]),
    Case(
      question: "Was it refunded? - Which period, by whom, how much", path: "/people/eve", asOf: 20,
      phrases: [
        "Refunded by Apple on 2026-01-12 00:00:00Z because of a problem in the app: the period 2026-01-05 00:00:00Z to "
          + "2026-02-04 00:00:00Z of monthly, 9.99 EUR [5001]."
      ]),
    Case(
      question: "Was it refunded? - One is asked for", path: "/purchases/7001", asOf: 18,
      phrases: ["Refund requested on 2026-01-16 00:00:00Z: OPEN for 3 days [7001]."]),
    Case(
      question: "Why did the product change? - An upgrade at once, a downgrade with the renewal", path: "/people/fay",
      asOf: 20,
      phrases: [
        "Product changed immediately, from monthly to yearly, within a period (transaction 6002).",
        "Will renew to monthly instead of yearly.",
      ]),
    Case(
      question: "What did we show on that day? - Its answer, and what arrived later", path: "/people/eve", asOf: 11.5,
      knownAt: 11.5,
      phrases: [
        "Not the present.", "what was true at 2026-01-12 12:00:00Z, as known at 2026-01-12 12:00:00Z.",
        "With what is known now, the answer for that instant is another one.", "Has had no pro since",
        "recorded 2026-01-13 00:00:00Z", "Refunded by Apple because of a problem in the app",
      ]),
    Case(
      question: "Did Apple tell us? - What was received, and when", path: "/people/ada", asOf: 50,
      phrases: ["Apple sent DID_FAIL_TO_RENEW: payment failed, on 2026-01-31 02:24:00Z."]),
    Case(
      question: "Did Apple tell us? - What Apple tried to send", path: "/purchases/9001", asOf: 50,
      phrases: ["Apple delivered DID_RENEW, on 2026-02-01 02:24:00Z, recorded on 2026-02-10 00:00:00Z."]),
  ]

  /// Returns the first screen of a page as its reader sees it: everything before the details of purchases.
  private static func firstScreen(_ page: String) throws -> String {
    let ends = ["<h2 id=\"purchases\">", "<h2 id=\"customers\">"].compactMap { page.range(of: $0)?.lowerBound }
    let start = try #require(page.range(of: "<h1>")?.lowerBound)
    let screen = page[start..<(try #require(ends.min()))].replacing(/<[^>]*>/, with: " ")
    return HTMLText.plain(String(screen)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `each question of support is answered on the first screen`() async throws {
    let program = try SupportStory.program()
    let bench = try await ServerBench(ledger: program.folder.file("subledger.sqlite")) { .now }
    try bench.makeUsers([.viewer])
    let browser = try await bench.browser(.viewer)
    for item in Self.cases {
      let known = item.knownAt.map { "&known_at=\(day($0))" } ?? ""
      let screen = try Self.firstScreen(try await browser.send("\(item.path)?as_of=\(day(item.asOf))\(known)").body)
      for phrase in item.phrases {
        #expect(screen.contains(phrase), "\(item.question)\n\(phrase) is not in:\n\(screen)")
      }
      // About 30 lines of a screen.
      #expect(screen.count < 2400, "\(item.question)\n\(screen)")
    }
    try await bench.stop()
  }
}
