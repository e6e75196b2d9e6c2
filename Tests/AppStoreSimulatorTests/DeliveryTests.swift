import AppStore
import Ledger
import AppStoreSimulator
import TestSupport
import Testing

/// What the ledger makes of messages that come late, twice, in no order, in pieces, or never.
@Suite struct DeliveryTests {
  static let seed = AgreementTests.seed

  /// A world in which much goes wrong.
  static func simulation(customers: Int = SampleSize.pick(15, full: 40), _ change: (inout Rates) -> Void = { _ in })
    throws
    -> Simulation
  {
    var rates = Rates()
    for rate in [Rate.paymentFailure, .refundAsked, .refundEarlier, .cancel, .comeBack] { rates[rate] = 0.25 }
    change(&rates)
    return try AgreementTests.simulation(.realTime, customers: customers, rates: rates)
  }

  @Test func `shuffled and repeated, everything ends as if it had come in order`() async throws {
    let simulation = try Self.simulation()
    let inOrder = try await Portfolio(simulation, [.notificationV2])
    let muddled = try await Portfolio(simulation, [.notificationV2], Delivery("shuffled,repeated=0.3"))
    var random = SplitMix(seed: Self.seed)
    for _ in 0..<20 {
      let parameters = QueryParameters(asOf: inOrder.instant(&random), knownAt: day(20_000))
      // Signatures differ, and with them the payloads; what is answered does not.
      #expect(try states(inOrder, parameters) == states(muddled, parameters))
    }
    let (_, found) = try AgreementTests.differences(muddled, instants: 30, seed: Self.seed)
    #expect(found.map(\.description).prefix(5) == [])
    #expect(try muddled.ledger.reader.disagreements() == [])
  }

  private func states(_ portfolio: Portfolio, _ parameters: QueryParameters) throws -> [String] {
    try portfolio.answers(parameters).values.map {
      "\($0.originalTransactionID) \($0.state) \($0.rule) \($0.accessEndsAt as Any)"
    }
    .sorted()
  }

  @Test func `what came twice is known already, byte for byte`() async throws {
    let simulation = try Self.simulation(customers: 20)
    var messages: [DeliveredMessage] = []
    let signer = try Portfolio.authority.get().signer
    try MessageStream(
      simulation: simulation, formats: [.notificationV2], delivery: Delivery("repeated=0.4,shuffled"), signer: signer
    )
    .send { messages.append($0) }
    let different = Set(messages.map(\.payload)).count
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let summary = try await Portfolio.record(messages, in: ledger)
    #expect(different < messages.count)
    #expect(summary.recorded == different)
    #expect(summary.duplicates == messages.count - different)
  }

  @Test func `late messages: in the end everything is known, and nothing was believed before it came`() async throws {
    let portfolio = try await Portfolio(Self.simulation(), [.notificationV2], Delivery("late=0.4"))
    let (_, found) = try AgreementTests.differences(portfolio, instants: 30, seed: Self.seed, onlyHindsight: true)
    #expect(found.map(\.description).prefix(5) == [])
    #expect(try await portfolio.ledger.reader.audit(trust: Portfolio.decoder().trust) == [])
  }

  @Test func `torn messages go to quarantine, and the rest is recorded`() async throws {
    let portfolio = try await Portfolio(Self.simulation(customers: 20), [.notificationV2], Delivery("torn=0.2"))
    #expect(try portfolio.ledger.reader.quarantined().isEmpty == false)
    #expect(
      try await portfolio.ledger.reader.audit(trust: Portfolio.decoder().trust).filter { $0.code != .disagreement }
        == [])
  }

  @Test(arguments: [Format.notificationV2, .notificationV1, .receipt])
  func `with losses, a lapse is confirmed only where there was one: a renewal that went unseen leaves it open`(
    format: Format
  ) async throws {
    // Refunds of earlier periods speak of the line, and not of its renewal.
    let simulation = try Self.simulation(customers: SampleSize.pick(20, full: 60)) { rates in
      for rate in [Rate.refundAsked, .refundGranted, .refundEarlier] { rates[rate] = 0.7 }
      // Few customers have to renew often, so that some renewals go unseen.
      if !SampleSize.isFull { for rate in [Rate.paymentFailure, .cancel] { rates[rate] = 0.05 } }
    }
    let portfolio = try await Portfolio(simulation, [format], Delivery("lost=0.4"))
    var random = SplitMix(seed: Self.seed)
    var (unseen, wrong) = (0, [String]())
    for _ in 0..<60 {
      let instant = portfolio.instant(&random)
      let answers = try portfolio.answers(QueryParameters(asOf: instant, knownAt: instant))
      for customer in portfolio.customers {
        for subscription in customer.store.subscriptions {
          guard let answer = answers[String(subscription.id)], let end = answer.expiresAt, end <= instant,
            [.expired, .revoked].contains(answer.state)
          else { continue }
          // A refund of the running period is no lapse; one that came when another period ran took nothing away.
          if let revoked = answer.revokedAt, answer.state == .revoked {
            let after = Instant(milliseconds: revoked.milliseconds + 1000)
            guard subscription.truth(at: after)?.state == .active else { continue }
          }
          // Whether the truth went on without a gap since the end that the ledger knows of.
          let since =
            [subscription.truth(at: end)].compactMap(\.self)
            + subscription.entries(until: instant).filter { $0.since > end }
          guard since.allSatisfy({ $0.state == .active }) else { continue }
          unseen += 1
          if answer.isConfirmed { wrong.append("\(subscription.id) at \(instant): \(answer.rule), ended \(end)") }
        }
      }
    }
    #expect(unseen > 10)
    #expect(wrong.prefix(5) == [], "\(wrong.count) of \(unseen)")
  }
}
