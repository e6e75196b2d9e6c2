public import AppStore
public import AppStoreClient
public import Ledger
public import LedgerService
internal import LedgerStore

/// Records what Apple answers as evidence, in the way of an import, with the requests that led to it.
public struct AnswerRecorder: Sendable {
  private let ledger: any LedgerWriting
  /// Decodes what Apple answers.
  package let decoder: PayloadDecoder
  private let bundleID: String

  /// Creates a recorder of answers.
  /// - Parameters:
  ///   - ledger: writes into the ledger.
  ///   - decoder: the decoder: which roots and apps it accepts. Its policy about unsigned payloads and its clock are not
  ///     used: what comes from Apple's own address is accepted, at the instant at which it came.
  ///   - bundleID: the app for which Apple is asked.
  public init(_ ledger: any LedgerWriting, decoder: PayloadDecoder, bundleID: String) {
    var decoder = decoder
    decoder.unsigned = .accepted(from: "Apple answered so at the configured address")
    decoder.sharedSecrets = []
    (self.ledger, self.decoder, self.bundleID) = (ledger, decoder, bundleID)
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

  /// Records an answer, with its requests, in one transaction.
  /// - Parameters:
  ///   - answer: what Apple answered.
  ///   - occasion: why Apple was asked.
  ///   - describesChanges: whether to read the subscriptions before and after. Nobody reads those of a thousand pages.
  /// - Returns: the counts, and the subscriptions before and after.
  /// - Throws: `LedgerError` when the ledger cannot be written. Then nothing of the answer is recorded.
  public func record(
    _ answer: AppStoreAnswer, _ occasion: AppleRequest.Occasion, describingChanges describesChanges: Bool = true
  ) async throws -> Recorded {
    let (arrivals, requests) = (await decode(answer).arrivals, requests(answer.attempts, occasion))
    let subscriptions = describesChanges ? Self.subscriptions(of: arrivals, in: answer.environment) : []
    let parameters = QueryParameters(asOf: answer.receivedAt, knownAt: .latest)
    return try await ledger.run { ledger in
      func state(_ id: String) throws -> Entitlement? {
        try ledger.reader.entitlement(of: id, in: answer.environment, parameters)
      }
      let before = try subscriptions.map(state)
      let summary = try ledger.recordEach(arrivals) { try $0.log(requests, answered: $1) }.summary
      let after = try subscriptions.map(state)
      return Recorded(
        summary: summary,
        refusals: arrivals.compactMap { if case .refused(let error, _) = $0.outcome { error } else { nil } },
        changes: subscriptions.indices.map {
          Change(originalTransactionID: subscriptions[$0], before: before[$0], after: after[$0])
        })
    }
  }

  /// Records only the requests that led to an answer that is not evidence.
  /// - Throws: `LedgerError` when the ledger cannot be written.
  public func recordRequests(of answer: AppStoreAnswer, _ occasion: AppleRequest.Occasion) async throws {
    try await record([Decoded(answer: answer, arrivals: [])], occasion) { _, _ in }
  }

  /// Records the requests that led to a failure.
  /// - Throws: `LedgerError` when the ledger cannot be written. Its message begins with the failure.
  public func record(_ failure: AppStoreFailure, _ occasion: AppleRequest.Occasion) async throws {
    try await record(failure, occasion) { _ in }
  }

  /// Records the requests that led to a failure, and other rows, in one transaction.
  package func record(
    _ failure: AppStoreFailure, _ occasion: AppleRequest.Occasion,
    and body: @escaping @Sendable (EvidenceTransaction) throws -> Void
  ) async throws {
    let requests = requests(failure.attempts, occasion)
    do {
      try await ledger.run { ledger in
        try ledger.record { transaction in
          for request in requests { try transaction.log(request) }
          try body(transaction)
        }
      }
    } catch let error as LedgerError {
      throw error.preceded(by: failure.description)
    }
  }

  /// An answer, and the payloads in it.
  struct Decoded: Sendable {
    let answer: AppStoreAnswer
    let arrivals: [Arrival]
  }

  /// Decodes an answer. This needs no ledger.
  func decode(_ answer: AppStoreAnswer) async -> Decoded {
    var decoder = decoder
    decoder.now = answer.receivedAt
    let arrivals = await decoder.decode(answer.body).outcomes.map { outcome in
      Arrival(
        outcome: outcome, receivedAt: answer.receivedAt, isExplicit: true,
        origin: "\(answer.request.endpoint.rawValue) of \(answer.environment.appleServer)",
        orderID: answer.request.endpoint == .orderLookup ? answer.request.subject : nil)
    }
    return Decoded(answer: answer, arrivals: arrivals)
  }

  /// Records answers, the requests that led to them, and other rows in one transaction.
  /// - Parameters:
  ///   - defersPeriods: whether the periods of subscriptions are derived later, when there are many.
  ///   - body: records further rows. It gets what became of each arrival, in the order of the answers.
  /// - Returns: what `body` returns.
  func record<Value: Sendable>(
    _ answers: [Decoded], _ occasion: AppleRequest.Occasion, deferringPeriods defersPeriods: Bool = false,
    and body: @escaping @Sendable (EvidenceTransaction, [ArrivalResult]) throws -> Value
  ) async throws -> Value {
    let logged = answers.map { (requests: requests($0.answer.attempts, occasion), count: $0.arrivals.count) }
    return try await ledger.run { ledger in
      try ledger.recordEach(answers.flatMap(\.arrivals), deferringPeriods: defersPeriods) { transaction, results in
        var rest = results[...]
        for (requests, count) in logged {
          try transaction.log(requests, answered: Array(rest.prefix(count)))
          rest = rest.dropFirst(count)
        }
        return try body(transaction, results)
      }.value
    }
  }

  /// Derives periods that were left for later, of some hundred subscriptions.
  /// - Returns: whether more wait.
  func derivePeriods() async throws -> Bool { try await ledger.run { try $0.deriveSomePeriods() } }

  /// Returns the original transaction ids of which an answer states something.
  private static func subscriptions(of arrivals: [Arrival], in environment: Environment) -> [String] {
    var ids: Set<String> = []
    for case .evidence(let evidence) in arrivals.map(\.outcome) {
      for version in evidence.transactions where version.environment == environment {
        ids.insert(version.originalTransactionID)
      }
      for version in evidence.renewals where version.environment == environment {
        ids.insert(version.originalTransactionID)
      }
    }
    return ids.sorted()
  }

  /// Returns what the ledger stores of requests that were sent.
  package func requests(_ attempts: [AppStoreAttempt], _ occasion: AppleRequest.Occasion) -> [AppleRequest] {
    attempts.map { attempt in
      AppleRequest(
        occasion: occasion, endpoint: attempt.request.endpoint.rawValue, environment: attempt.environment,
        bundleID: bundleID, subject: attempt.request.subject, askedAt: attempt.askedAt,
        duration: Int64(attempt.duration / .milliseconds(1)), status: attempt.status, code: attempt.code,
        verdict: attempt.verdict)
    }
  }
}
