public import AppStore
public import AppStoreClient
public import Ledger

/// Records what Apple answers as evidence, in the way of an import.
public struct AnswerRecorder: Sendable {
  private let ledger: LedgerRecorder
  private let decoder: PayloadDecoder

  /// Creates a recorder of answers.
  /// - Parameters:
  ///   - ledger: the ledger that records them.
  ///   - decoder: the decoder: which roots and apps it accepts. Its policy about unsigned payloads and its clock are not
  ///     used: what comes from Apple's own address is accepted, at the instant at which it came.
  public init(_ ledger: LedgerRecorder, decoder: PayloadDecoder) {
    var decoder = decoder
    decoder.unsigned = .accepted(from: "Apple answered so at the configured address")
    decoder.sharedSecrets = []
    (self.ledger, self.decoder) = (ledger, decoder)
  }

  /// A subscription that an answer is about, before and after.
  public struct Change: Sendable, Equatable {
    /// The original transaction id of the subscription.
    public let originalTransactionID: String
    /// The state before the answer was recorded; `nil` where the ledger did not know the subscription.
    public let before: Entitlement?
    /// The state now; `nil` where the ledger still does not know the subscription.
    public let after: Entitlement?

    /// Creates a change from both states.
    public init(originalTransactionID: String, before: Entitlement?, after: Entitlement?) {
      (self.originalTransactionID, self.before, self.after) = (originalTransactionID, before, after)
    }

    /// Whether the answer to *may this user in, and until when* is another one.
    public var isChanged: Bool {
      before?.state != after?.state || before?.accessEndsAt != after?.accessEndsAt
        || before?.willRenew != after?.willRenew || before?.productID != after?.productID
        || before?.isConfirmed != after?.isConfirmed
    }
  }

  /// What became of an answer.
  public struct Recorded: Sendable {
    /// The counts of the payloads in it.
    public let summary: ImportSummary
    /// Why payloads of it went into quarantine.
    public let refusals: [PayloadError]
    /// The subscriptions that it is about, in the order of their ids.
    public let changes: [Change]
  }

  /// Records an answer in one transaction.
  /// - Parameters:
  ///   - answer: what Apple answered.
  ///   - describesChanges: whether to read the subscriptions before and after. Nobody reads those of a thousand pages.
  /// - Returns: the counts, and the subscriptions before and after.
  /// - Throws: `LedgerError` when the ledger cannot be written. Then nothing of the answer is recorded.
  public func record(_ answer: AppStoreAnswer, describingChanges describesChanges: Bool = true) async throws -> Recorded
  {
    var decoder = decoder
    decoder.now = answer.receivedAt
    let arrivals = await decoder.decode(answer.body).outcomes.map { outcome in
      Arrival(
        outcome: outcome, receivedAt: answer.receivedAt, isExplicit: true,
        origin: "\(answer.request.endpoint.rawValue) of \(answer.environment.appleServer)",
        orderID: answer.request.endpoint == .orderLookup ? answer.request.subject : nil)
    }
    var subscriptions: [String: Environment] = [:]
    var refusals: [PayloadError] = []
    for arrival in arrivals {
      switch arrival.outcome {
      case .evidence(let evidence):
        for version in evidence.transactions where version.environment == answer.environment {
          subscriptions[version.originalTransactionID] = version.environment
        }
        for version in evidence.renewals where version.environment == answer.environment {
          subscriptions[version.originalTransactionID] = version.environment
        }
      case .refused(let error, _): refusals.append(error)
      case .known: break
      }
    }
    let question = Question(asOf: answer.receivedAt, knownAt: .latest)
    func state(_ subscription: (key: String, value: Environment)) throws -> Entitlement? {
      try ledger.reader.entitlement(of: subscription.key, in: subscription.value, question)
    }
    let sorted = describesChanges ? subscriptions.sorted { $0.key < $1.key } : []
    let before = try sorted.map(state)
    let summary = try ledger.record(arrivals)
    let after = try sorted.map(state)
    let changes = sorted.indices.map {
      Change(originalTransactionID: sorted[$0].key, before: before[$0], after: after[$0])
    }
    return Recorded(summary: summary, refusals: refusals, changes: changes)
  }
}
