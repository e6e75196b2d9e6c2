import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerQueries
@testable import LedgerSchema
@testable import LedgerStore

/// The laws of Laws.md, over random histories. The seed is in every failure; SUBLEDGER_SEED runs one again,
/// SUBLEDGER_HISTORIES says how many. `AppendOnlyTests` tests the law that evidence is appended to and never changed.
@Suite struct LawTests {
  @Test(arguments: RandomChoice.seeds)
  func `derived: the views say what the slow model says, at any instants`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 1)
    let history = await RandomHistory(seed: seed, count: Int.random(in: 1...40, using: &random))
    let bench = try LedgerBench(RandomChoice.split(history.arrivals, &random))
    let model = SlowModel(history.arrivals)
    for parameters in RandomChoice.questions(history, &random, 30) {
      let answers = try bench.answers(parameters)
      #expect(
        answers == model.answers(parameters), "seed \(seed), as of \(parameters.asOf), known at \(parameters.knownAt)")
      // One line by its id is the same answer by another way.
      for answer in answers {
        let parts = answer.subscription.split(separator: "/").map(String.init)
        let one = try bench.ledger.reader.entitlement(of: parts[1], in: Environment(apple: parts[0]), parameters)
        if parts[0] != "Unverified" { #expect(one.map(SlowModel.Answer.init) == answer, "seed \(seed)") }
      }
    }
  }

  @Test(arguments: RandomChoice.seeds)
  func `derived: the payloads alone give the stored answers, and what was emptied is derived again`(seed: UInt64)
    async throws
  {
    var random = SplitMix(seed: seed ^ 2)
    let history = await RandomHistory(seed: seed, count: 30)
    let bench = try LedgerBench(RandomChoice.split(history.arrivals, &random))
    let findings = try await bench.ledger.reader.audit().filter { $0.code != .disagreement }
    #expect(findings == [], "seed \(seed)")
    let questions = RandomChoice.questions(history, &random, 12)
    let before = try questions.map { try bench.answers($0) }
    #expect(try questions.map { try Self.derivedAnswers(bench, $0) } == before, "seed \(seed)")
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write { database in
      for table in DerivedAnswers.stored { try database.execute(sql: "DELETE FROM \(table.name)") }
    }
    try ProjectionMaintainer(path: bench.ledger.path).rebuild()
    #expect(try await bench.ledger.reader.audit().filter { $0.code != .disagreement } == [], "seed \(seed)")
    #expect(try questions.map { try bench.answers($0) } == before, "seed \(seed)")
  }

  @Test(arguments: RandomChoice.seeds)
  func `derived: the stored answers, the derivation and the slow model agree, at any instants and for any trust`(
    seed: UInt64
  ) async throws {
    var random = SplitMix(seed: seed ^ 6)
    let history = await RandomHistory(seed: seed, count: 30)
    let arrivals = try await history.mixedWithSigned(30, &random)
    let signed = arrivals.filter {
      if case .evidence(let evidence) = $0.outcome { evidence.root != nil } else { false }
    }
    let models: [(trust: MinimumTrust, model: SlowModel)] = [
      (.any, SlowModel(arrivals)), (.signed, SlowModel(signed)), (.apple, SlowModel([])),
    ]
    let bench = try LedgerBench(RandomChoice.split(arrivals, &random))
    for instants in RandomChoice.questions(history, &random, 12) {
      for (trust, model) in models {
        let parameters = QueryParameters(asOf: instants.asOf, knownAt: instants.knownAt, minimumTrust: trust)
        let expected = model.answers(parameters)
        #expect(try bench.answers(parameters) == expected, "seed \(seed), \(parameters)")
        #expect(try Self.derivedAnswers(bench, parameters) == expected, "seed \(seed), \(parameters)")
      }
    }
  }

  @Test func `canary: one stored period that was changed gives another answer`() async throws {
    let history = await RandomHistory(seed: 39, count: 30)
    let bench = try LedgerBench([history.arrivals])
    let parameters = QueryParameters(asOf: day(10_000), knownAt: day(20_000))
    #expect(try bench.answers(parameters) == SlowModel(history.arrivals).answers(parameters))
    try await DatabaseQueue(path: bench.ledger.path).write {
      try $0.execute(
        sql: """
          UPDATE entitlement_period SET access_ends_at = access_ends_at + 1 WHERE ends_at IS NULL
            AND original_transaction_key = (SELECT MIN(original_transaction_key) FROM entitlement_period)
          """)
    }
    #expect(try bench.answers(parameters) != SlowModel(history.arrivals).answers(parameters))
    #expect(try Self.derivedAnswers(bench, parameters) == SlowModel(history.arrivals).answers(parameters))
  }

  /// Returns the answers about all subscriptions as the payloads derive them. No stored answer is read.
  private static func derivedAnswers(_ bench: LedgerBench, _ parameters: QueryParameters) throws -> [SlowModel.Answer] {
    try DatabaseQueue(path: bench.ledger.path).writeWithoutTransaction { database in
      var temporaryViews = try ReadConnection.prepare(database, .derived(.payloads))
      try Schema.createTemporaryViews(["entitlement"], on: database, temporaryViews: &temporaryViews)
      try SubscriptionSlice.all.write(to: database, parameters)
      try DerivedAnswers(existing: .payloads, on: database).derive()
      return try Row.fetchAll(database, sql: "SELECT * FROM temp.entitlement")
        .map { SlowModel.Answer(try Entitlement($0, .any)) }.sorted { $0.subscription < $1.subscription }
    }
  }

  @Test(arguments: RandomChoice.seeds)
  func `order-free and idempotent: shuffled, split and repeated imports answer alike`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 3)
    let history = await RandomHistory(seed: seed, count: 30)
    let first = try LedgerBench([history.arrivals])
    let again = history.arrivals + history.arrivals.filter { _ in random.once(in: 3) }
    let second = try LedgerBench(RandomChoice.split(again.shuffled(using: &random), &random))
    for parameters in RandomChoice.questions(history, &random, 15) {
      #expect(try first.answers(parameters) == second.answers(parameters), "seed \(seed)")
    }
    let findings = try await second.ledger.reader.audit().filter { $0.code != .disagreement }
    #expect(findings == [], "seed \(seed)")
  }

  @Test(arguments: RandomChoice.seeds.prefix(10))
  func `idempotent: the same payloads again change no table but are counted`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 25)
    let bench = try LedgerBench([history.arrivals])
    let before = try TableContents.of(bench.ledger.path)
    let summary = try bench.ledger.record(history.arrivals)
    #expect(summary.recorded == 0, "seed \(seed)")
    #expect(try TableContents.of(bench.ledger.path).differences(from: before) == [], "seed \(seed)")
  }

  @Test(arguments: RandomChoice.seeds)
  func `nothing lost: the counts add up, and all that was read is in the file`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 30)
    let bench = try LedgerBench([])
    let summary = try bench.ledger.record(history.arrivals)
    #expect(summary.payloads == history.arrivals.count, "seed \(seed)")
    #expect(summary.recorded + summary.duplicates + summary.quarantined == summary.payloads, "seed \(seed)")
    for arrival in history.arrivals {
      switch arrival.outcome {
      case .evidence(let evidence):
        let text = try #require(try bench.ledger.reader.arrival(evidence.digest), "seed \(seed)")
        #expect(ContentDigest(sha256: text) == evidence.digest, "seed \(seed)")
      case .refused(_, let raw):
        let stored = try bench.ledger.reader.quarantined().map { try bench.ledger.reader.quarantinedBytes($0.id) }
        #expect(stored.contains(raw), "seed \(seed)")
      case .known: Issue.record("nothing was known, seed \(seed)")
      }
    }
  }

  @Test(arguments: RandomChoice.seeds)
  func `evident: every answer names its rule and payloads that are in the file`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 4)
    let history = await RandomHistory(seed: seed, count: 20)
    let bench = try LedgerBench([history.arrivals])
    for parameters in RandomChoice.questions(history, &random, 5) {
      for entitlement in try bench.ledger.reader.entitlements(parameters) {
        let cited = try bench.ledger.reader.evidence(for: entitlement)
        #expect(cited.contains { $0.role == .transaction && $0.isDecisive }, "seed \(seed)")
        for version in cited {
          #expect(version.recordedAt <= parameters.knownAt, "seed \(seed)")
          #expect(try bench.ledger.reader.arrival(version.payload) != nil, "seed \(seed)")
        }
      }
    }
  }

  // The seed that is always there has a refund in a payload without a date of its own, taken back by the next version.
  @Test(arguments: RandomChoice.seeds + [1_865_816_077])
  func `agreeing: exactly the claims that differ from the derived state are listed`(seed: UInt64) async throws {
    let history = await RandomHistory(seed: seed, count: 25)
    let bench = try LedgerBench([history.arrivals])
    let model = SlowModel(history.arrivals)
    let states: [Int64: String] = [1: "active", 2: "expired", 3: "billing_retry", 4: "grace_period", 5: "revoked"]
    var expected: Set<String> = []
    for case .evidence(let evidence) in history.arrivals.map(\.outcome) {
      for claim in evidence.claims {
        let signedAt = claim.signedAt ?? evidence.statedAt ?? day(0)
        let at = max(signedAt, claim.purchaseAt ?? day(0))
        let beside = evidence.transactions.filter {
          $0.originalTransactionID == claim.originalTransactionID && $0.environment == claim.environment
        }
        let subscription = claim.environment.name + "/" + claim.originalTransactionID
        let answer = model.answers(QueryParameters(asOf: at, knownAt: day(20_000))).first {
          $0.subscription == subscription
        }
        if let answer, answer.state != states[claim.status],
          claim.status != 5 || !model.wasRevoked(answer.transaction, of: claim, by: at),
          !model.isOvertaken(
            claim, of: Set(beside.map(\.transactionID) + [answer.transaction]), after: signedAt, by: at)
        {
          expected.insert("\(subscription.replacing("/", with: " ")) at \(at) Apple states \(claim.status)")
        }
      }
    }
    let found = try bench.ledger.reader.disagreements().map { finding in
      finding.location + " " + finding.detail.split(separator: " (")[0]
    }
    #expect(Set(found) == expected, "seed \(seed)")
  }

  @Test func `canary: the model and the views can differ`() async throws {
    let history = await RandomHistory(seed: 11, count: 30)
    let bench = try LedgerBench([history.arrivals])
    let shorter = SlowModel(Array(history.arrivals.prefix(10)))
    let parameters = QueryParameters(asOf: day(60), knownAt: day(20_000))
    #expect(try bench.answers(parameters) != shorter.answers(parameters))
  }

  @Test func `canary: the audit finds a projection that was tampered with`() async throws {
    let history = await RandomHistory(seed: 12, count: 30)
    let bench = try LedgerBench([history.arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write {
      try $0.execute(
        sql: "UPDATE projection_transaction SET expires_at = expires_at + 1 WHERE expires_at IS NOT NULL")
    }
    #expect(try await bench.ledger.reader.audit().contains { $0.code == .projection })
  }

  @Test func `canary: the audit finds an identifier that leads nowhere any more`() async throws {
    let history = await RandomHistory(seed: 12, count: 30)
    let bench = try LedgerBench([history.arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write {
      try $0.execute(
        sql: "DROP TRIGGER original_transaction_identifier_refuses_delete; DELETE FROM original_transaction_identifier")
    }
    #expect(try await bench.ledger.reader.audit().contains { $0.location == "original_transaction_identifier" })
  }

  @Test func `canary: one changed value of one row is another content`() async throws {
    let history = await RandomHistory(seed: 13, count: 10)
    let bench = try LedgerBench([history.arrivals])
    let before = try TableContents.of(bench.ledger.path)
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write { database in
      try database.execute(
        sql: """
          UPDATE projection_original_transaction SET evidence_at = evidence_at + 1
          WHERE original_transaction_key = (SELECT MIN(original_transaction_key) FROM projection_original_transaction)
          """)
    }
    #expect(try TableContents.of(bench.ledger.path).differences(from: before) == ["projection_original_transaction"])
  }
}
