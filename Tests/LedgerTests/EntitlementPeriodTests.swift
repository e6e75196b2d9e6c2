import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// The stored periods are the answers for what is known at present, at any instant.
@Suite struct EntitlementPeriodTests {
  private static let endOfKnowledge = day(20_000)

  /// The answers that the stored periods give for an instant, one text for each subscription.
  private static func stored(_ path: String, asOf: Instant) throws -> [String] {
    try DatabaseQueue(path: path).read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT o.environment || '/' || o.original_transaction_id, p.state, p.rule, p.has_access, p.access_ends_at,
            p.confirmed, p.will_renew, p.next_product_id, p.expiration_reason, p.product_id, p.purchase_at,
            p.expires_at, p.revoked_at, p.grace_period_expires_at
          FROM entitlement_period p JOIN original_transaction o USING (original_transaction_key)
          WHERE p.begins_at <= ?1 AND (p.ends_at > ?1 OR p.ends_at IS NULL)
          """, arguments: [asOf.milliseconds]
      ).map { row in row.databaseValues.map(\.description).joined(separator: " ") }
    }.sorted()
  }

  /// The same texts of a reader's answers.
  private static func answered(_ ledger: LedgerReader, asOf: Instant) throws -> [String] {
    func text(_ value: (any CustomStringConvertible)?) -> String { value.map { "\"\($0)\"" } ?? "NULL" }
    func number(_ value: Instant?) -> String { value.map { "\($0.milliseconds)" } ?? "NULL" }
    func flag(_ value: Bool?) -> String { value.map { $0 ? "1" : "0" } ?? "NULL" }
    return try ledger.entitlements(QueryParameters(asOf: asOf, knownAt: endOfKnowledge)).map { one in
      [
        text("\(one.environment)/\(one.originalTransactionID)"), text(one.state.rawValue), text(one.rule.rawValue),
        flag(one.hasAccess), number(one.accessEndsAt), flag(one.isConfirmed), flag(one.willRenew),
        text(one.nextProductID), text(one.expirationReason?.rawValue), text(one.productID), number(one.purchaseAt),
        number(one.expiresAt), number(one.revokedAt), number(one.gracePeriodExpiresAt),
      ].joined(separator: " ")
    }.sorted()
  }

  @Test(arguments: RandomChoice.seeds)
  func `at any instant, the period that contains it is the answer for what is known now`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed ^ 39)
    let history = await RandomHistory(seed: seed, count: Int.random(in: 1...40, using: &random))
    let bench = try LedgerBench(RandomChoice.split(history.arrivals, &random))
    for _ in 0..<20 {
      let asOf = history.instants.randomElement(using: &random) ?? day(0)
      let answers = try Self.answered(bench.ledger.reader, asOf: asOf)
      #expect(try Self.stored(bench.ledger.path, asOf: asOf) == answers, "seed \(seed), as of \(asOf)")
    }
    let gaps = try await DatabaseQueue(path: bench.ledger.path).read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT COUNT(*) FROM entitlement_period p
          WHERE p.ends_at IS NOT (
            SELECT MIN(n.begins_at) FROM entitlement_period n
            WHERE n.original_transaction_key = p.original_transaction_key AND n.begins_at > p.begins_at
          )
          """)
    }
    #expect(gaps == 0, "seed \(seed)")
  }

  @Test(arguments: RandomChoice.seeds)
  func `something is different in each period from the one before`(seed: UInt64) async throws {
    let bench = try LedgerBench([await RandomHistory(seed: seed, count: 40).arrivals])
    try await DatabaseQueue(path: bench.ledger.path).read { database in
      let columns = try database.columns(in: "entitlement_period").map(\.name).filter {
        !["begins_at", "ends_at"].contains($0)
      }
      let isEqual = columns.map { "p.\($0) IS n.\($0)" }.joined(separator: " AND ")
      let equal = try Int.fetchOne(
        database,
        sql: """
          SELECT COUNT(*) FROM entitlement_period p
          JOIN entitlement_period n
            ON n.original_transaction_key = p.original_transaction_key AND n.begins_at = p.ends_at
          WHERE \(isEqual)
          """)
      #expect(equal == 0, "seed \(seed)")
    }
  }

  @Test(arguments: [
    "UPDATE entitlement_period SET state = 'active', has_access = 1 WHERE begins_at = (SELECT MAX(begins_at) FROM entitlement_period)",
    "DELETE FROM entitlement_period WHERE begins_at = (SELECT MAX(begins_at) FROM entitlement_period)",
    "INSERT INTO entitlement_period SELECT 99999, begins_at, NULL, product_id, state, has_access, access_ends_at, confirmed, will_renew, next_product_id, expiration_reason, rule, evidence_at, purchase_at, expires_at, revoked_at, grace_period_expires_at, transaction_key, version_id, renewal_info_version_id, seats, seats_next FROM entitlement_period LIMIT 1",
    "DELETE FROM entitlement_period",
  ])
  func `a period that is not derived is found, and derived again`(change: String) async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 39, count: 40).arrivals])
    try await DatabaseQueue(path: bench.ledger.path).write { try $0.execute(sql: change) }
    let findings = try await bench.ledger.reader.audit().filter { $0.code == .projection }
    #expect(!findings.isEmpty && findings.allSatisfy { "\($0)".contains("entitlement_period") }, "\(findings)")
    try ProjectionMaintainer(path: bench.ledger.path).rebuild()
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .projection } == [])
  }

  /// Transactions of one month, each of another subscription.
  private static func arrivals(_ numbers: ClosedRange<Int>) async throws -> [Arrival] {
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    var arrivals: [Arrival] = []
    for number in numbers {
      let text = TransactionFixture("n\(number)", originalID: "n\(number)", day(0), day(30)).signed(day(0))
      for outcome in await decoder.decode(Array(text.utf8)).outcomes {
        arrivals.append(Arrival(outcome: outcome, receivedAt: day(1), isExplicit: true, origin: "t"))
      }
    }
    return arrivals
  }

  @Test
  func `a transaction of an import about many subscriptions leaves them for later, and the next one derives some`()
    async throws
  {
    let bench = try LedgerBench([])
    _ = try bench.ledger.recordBatch(
      try await Self.arrivals(1...150), storingReceiptData: false, deferringPeriods: true)
    func counts() async throws -> [Int] {
      try await DatabaseQueue(path: bench.ledger.path).read { database in
        try ["entitlement_period", "entitlement_period_gap"].map {
          try Int.fetchOne(database, sql: "SELECT COUNT(DISTINCT original_transaction_key) FROM \($0)") ?? 0
        }
      }
    }
    let before = try await counts()
    #expect(before == [0, 150])
    // No period is missing without a reason, and nobody notices.
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .projection } == [])
    let parameters = QueryParameters(asOf: day(10), knownAt: day(20))
    #expect(try bench.ledger.reader.entitlements(parameters).count == 150)
    let one = try bench.ledger.reader.entitlement(of: "n7", in: .sandbox, parameters)
    #expect(one?.state == .active)
    try bench.ledger.record(try await Self.arrivals(151...151))
    let between = try await counts()
    #expect(between == [100, 51])
    try bench.ledger.derivePeriods()
    #expect(try await counts() == [151, 0])
    #expect(try bench.ledger.reader.entitlements(parameters).count == 151)
    #expect(try await bench.ledger.reader.audit().filter { $0.code == .projection } == [])
  }
}
