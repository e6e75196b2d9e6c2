import AppStore
import Foundation
import Ledger
import LedgerPresentation
import TestSupport
import Testing

@testable import LedgerServer

/// The pages at past instants, and with past knowledge.
@Suite(.takesTurns) struct TimeMachineTests {
  /// Simulated customers, whose messages arrive late, out of order, repeated and not at all.
  static func simulation(_ seed: UInt64) throws -> Program {
    let program = try Program()
    for arguments in [
      [
        "simulate", "--seed", "\(seed)", "--customers", "\(SampleSize.pick(8, full: 24))", "--from", "2025-01-01",
        "--to",
        "2025-09-01", "--payload-format", "v2,receipt", "--deliver", "shuffled,late,repeated,lost", "--out", "w",
      ],
      ["import", "w/payloads", "--trust", "w/authority/root.pem"],
    ] {
      let done = try program.run(arguments)
      #expect(done.code == 0, "\(done.complaints)")
    }
    return program
  }

  /// What a command prints after a heading, for each purchase.
  private static func values(_ output: String, _ heading: String) -> [String] {
    output.split(separator: "\n").compactMap { line in
      line.hasPrefix("  \(heading) ") ? line.dropFirst(13).trimmingCharacters(in: .whitespaces) : nil
    }
  }

  @Test(arguments: RandomChoice.seeds.prefix(SampleSize.pick(1, full: 3)))
  func `at random instants a page says what subledger why says, for random people`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let program = try Self.simulation(seed)
    let bench = try await ServerBench(ledger: program.folder.file("subledger.sqlite")) { .now }
    try bench.makeUsers([.viewer])
    let browser = try await bench.browser(.viewer)
    let people = try bench.column(
      "SELECT DISTINCT identifier FROM original_transaction_identifier WHERE kind = 'app_account_token' ORDER BY 1")
    let (first, last) = (try #require(Instant("2025-01-01")), try #require(Instant("2025-10-01")))
    func instant() -> Instant {
      Instant(milliseconds: Int64.random(in: first.milliseconds...last.milliseconds, using: &random))
    }
    var decided = 0
    for _ in 0..<SampleSize.pick(12, full: 40) {
      let person = try #require(people.randomElement(using: &random))
      let asOf = instant()
      let knownAt = random.once(in: 3) ? nil : instant()
      let query = "as_of=\(asOf)" + (knownAt.map { "&known_at=\($0)" } ?? "")
      let options = ["--as-of", "\(asOf)"] + (knownAt.map { ["--known-at", "\($0)"] } ?? [])
      let output = try program.run(["why", person] + options).output
      let page = HTMLText.plain(try await browser.send("/people/\(person)?\(query)").body)
      let context: Comment = "seed \(seed), \(person), \(query)\n\(output)"
      for state in Self.values(output, "State") {
        let verdict = try #require(state.firstMatch(of: /^[a-z ]+\. (.*)$/)).1
        #expect(page.contains("<p>\(verdict)"), context)
        decided += 1
      }
      for id in output.matches(of: /Purchase (\S+)/).map({ String($0.1) }) {
        let own = try program.run(["why", id] + options).output
        let why = HTMLText.plain(try await browser.send("/purchases/\(id)/why?\(query)").body)
        for rule in Self.values(own, "Rule") where rule.contains(". ") {
          let parts = rule.split(separator: ". ", maxSplits: 1)
          #expect(why.contains("<li>\(parts[0]): \(parts[1])"), context)
        }
        let digests = own.matches(of: /payload ([0-9a-f]{64})/).map { String($0.1) }
        #expect(why.matches(of: /href="\/payloads\/([0-9a-f]{64})"/).map { String($0.1) } == digests, context)
      }
    }
    #expect(decided > 5, "canary: the people have subscriptions")
    try await bench.stop()
  }

  @Test func `where knowledge makes a difference, the page says which evidence made it`() async throws {
    let clock = WallClock(day(10))
    let bench = try await AccessAPITests.bench { clock.now }
    try bench.makeUsers([.viewer])
    let browser = try await bench.browser(.viewer)
    let same = try await browser.send("/people/ann?as_of=\(day(5))").body
    #expect(!same.contains("Another answer with other knowledge") && same.contains("Compare with now"))
    // On day 20, Apple states a refund of day 12.
    let text = try PayloadFixture.signedV2(
      "REFUND", at: day(20), transaction: TransactionFixture("t1", originalID: "t1", day(0), day(30), revoked: day(12)),
      renewal: nil, environment: "Production", chain: TestAuthority.sharedChain.get())
    try await bench.record(signed: text, at: day(20))
    clock.set(day(21))
    try await browser.signIn("viewer")
    let digest = try #require(
      try bench.column("SELECT lower(hex(digest)) FROM payload WHERE kind = 'notification_v2'").first)
    for (query, heading, answer) in [
      ("as_of=\(day(15))", "the ledger knew less", "Has pro until \(Messages.instant(day(30)))"),
      (
        "as_of=\(day(15))&known_at=\(day(15))", "With what is known now",
        "Has had no pro since \(Messages.instant(day(12)))"
      ),
    ] {
      let page = try await browser.send("/people/ann?\(query)").body
      let section = try #require(page.components(separatedBy: "id=\"knowledge\">").dropFirst().first)
      let part = String(section.components(separatedBy: "</section>")[0])
      #expect(part.contains(heading), "\(part)")
      #expect(part.contains(answer), "\(part)")
      #expect(part.contains("Refunded by Apple: monthly") && part.contains("/payloads/\(digest)"), "\(part)")
      #expect(part.contains("recorded") && part.contains("/people/ann/compare?as_of="), "\(part)")
    }
    let compare = try await browser.send("/people/ann/compare?as_of=\(day(11))")
    #expect(compare.status == 200 && compare.body.contains("The answers differ."))
    let sides = compare.body.components(separatedBy: "Events that only this side has")
    #expect(sides.count == 3 && !sides[1].contains("Refunded by Apple") && sides[2].contains("Refunded by Apple"))
    #expect(try await browser.send("/people/ann/compare").body.contains("Both answers are the same."))
    #expect(try await browser.send("/people/ann/compare?other_as_of=x").status == 400)
    try await bench.stop()
  }
}
