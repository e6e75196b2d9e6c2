public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A purchase whose state rests on unsigned evidence, where signed evidence alone gives another state.
public struct UnsignedDecision: Sendable, Equatable {
  /// The name of the environment of the purchase.
  public var environment: String
  /// The original transaction id of the purchase.
  public var originalTransactionID: String
  /// The state by all evidence: a state of ``Entitlement/State``, or the state of a one-time purchase (rules §9).
  public var state: CustomerAccess.State
  /// The rule that decided by all evidence.
  public var rule: Rule
  /// The state by signed evidence alone.
  public var signedState: CustomerAccess.State
  /// When access ends or ended by signed evidence alone; `nil` for no end.
  public var signedAccessEndsAt: Instant?
}

extension LedgerReader {
  /// Returns the answer of signed evidence alone, where unsigned evidence decided against it.
  ///
  /// A receipt with a later date can undo a refund or extend a period. It may be right, because a notification was
  /// lost. It may also be a forgery. When signed evidence only ends earlier and confirms nothing after that (rules §6),
  /// unsigned evidence does not contradict it.
  /// - Parameters:
  ///   - entitlement: an answer of this ledger.
  ///   - subscription: the subscription of the answer.
  /// - Returns: `nil` when signed evidence gives the same answer, or none.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func signedAnswer(against entitlement: Entitlement, of subscription: OriginalTransactionMatch) throws
    -> Entitlement?
  {
    guard entitlement.trust != .verified, entitlement.parameters.minimumTrust == .any,
      try lookUp(["stg_payload_trust"], { try $0.has(Self.hasSignedEvidence, [subscription.originalTransactionKey]) })
    else { return nil }
    let signed = try self.entitlement(of: subscription, entitlement.parameters.ofSignedEvidence)
    return signed.flatMap { Self.differs($0, entitlement) ? $0 : nil }
  }

  private static func differs(_ signed: Entitlement, _ entitlement: Entitlement) -> Bool {
    guard signed.isConfirmed else { return false }
    return signed.state != entitlement.state || signed.accessEndsAt != entitlement.accessEndsAt
      || signed.productID != entitlement.productID
  }

  /// Finds a signed version of the original transaction `?1`. Most that come from receipts have none, and then nothing
  /// more is read.
  private static let hasSignedEvidence = """
    SELECT 1 FROM main.transaction_version v JOIN temp.stg_payload_trust p ON p.payload_id = v.payload_id
    WHERE v.original_transaction_key = ?1 AND p.trust = 'verified'
    """

  /// How many original transactions one step reads.
  private static let batchCount = 500

  /// Returns the one-time purchases for which unsigned evidence decided against signed evidence.
  /// - Parameters:
  ///   - transactions: the transactions of an original transaction, from ``transactions(of:_:)``.
  ///   - purchase: the original transaction.
  ///   - parameters: the instants, and the evidence that counts.
  /// - Returns: by transaction id, the transactions as signed evidence alone gives them.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func signedAnswers(
    against transactions: [TransactionSummary], of purchase: OriginalTransactionMatch, _ parameters: QueryParameters
  ) throws -> [String: TransactionSummary] {
    guard parameters.minimumTrust == .any,
      transactions.contains(where: { $0.oneTimeState != nil && $0.trust != .verified }),
      try lookUp(["stg_payload_trust"], { try $0.has(Self.hasSignedEvidence, [purchase.originalTransactionKey]) })
    else { return [:] }
    let signed = try self.transactions(of: purchase, parameters.ofSignedEvidence)
    let states = Dictionary(transactions.map { ($0.transactionID, $0.oneTimeState) }) { first, _ in first }
    return Dictionary(
      signed.filter { other in other.oneTimeState != nil && states[other.transactionID] != other.oneTimeState }
        .map { ($0.transactionID, $0) }
    ) { first, _ in first }
  }

  /// Calls a function for each purchase for which unsigned evidence decided against signed evidence, in the order of
  /// the file.
  /// - Throws: `LedgerError` when the file cannot be read, and any error that `body` throws.
  public func forEachUnsignedDecision(_ parameters: QueryParameters, _ body: (UnsignedDecision) throws -> Void) throws {
    var last = OriginalTransactionKey(0)
    while true {
      let keys = try keysOfBothKinds(after: last)
      guard let end = keys.last else { return }
      last = end
      func answers(_ parameters: QueryParameters) throws -> [OriginalTransactionKey: Entitlement] {
        let found = try entitlements(parameters.minimumTrust) { try setParameters($0, keys, parameters) }
        return Dictionary(found.map { ($0.originalTransactionKey, $0) }) { first, _ in first }
      }
      let (all, signed) = (try answers(parameters), try answers(parameters.ofSignedEvidence))
      for key in keys {
        guard let one = all[key], one.trust != .verified, let other = signed[key], Self.differs(other, one) else {
          continue
        }
        try body(
          UnsignedDecision(
            environment: one.environment, originalTransactionID: one.originalTransactionID, state: .init(one.state),
            rule: one.rule, signedState: .init(other.state), signedAccessEndsAt: other.accessEndsAt))
      }
      let once = keys.filter { all[$0] == nil }
      for decision in try oneTimeDecisions(of: once, parameters) { try body(decision) }
    }
  }

  /// Returns the one-time purchases among these for which unsigned evidence decided against signed evidence.
  private func oneTimeDecisions(of keys: [OriginalTransactionKey], _ parameters: QueryParameters) throws
    -> [UnsignedDecision]
  {
    guard !keys.isEmpty else { return [] }
    func answers(_ parameters: QueryParameters) throws -> [Row] {
      try readSubscriptions("one_time_purchase", settingParameters: { try setParameters($0, keys, parameters) }) {
        database, _ in
        try database.rows("SELECT * FROM temp.one_time_purchase ORDER BY original_transaction_key, transaction_id")
      }
    }
    let signed = Dictionary(
      try answers(parameters.ofSignedEvidence).map { ($0["transaction_id"] as String, $0) }
    ) { first, _ in first }
    return try answers(parameters).compactMap { row in
      guard row["trust"] as String? != "verified", let other = signed[row["transaction_id"]],
        other["confirmed"] as Bool, other["state"] as String != row["state"]
      else { return nil }
      return UnsignedDecision(
        environment: row["environment"], originalTransactionID: row["original_transaction_id"],
        state: try row.value("state"),
        rule: try row.value("rule"), signedState: try other.value("state"),
        signedAccessEndsAt: other.instant("access_ends_at"))
    }
  }

  /// Returns the keys of the next original transactions that have both signed and unsigned evidence.
  private func keysOfBothKinds(after last: OriginalTransactionKey) throws
    -> [OriginalTransactionKey]
  {
    try lookUp("stg_payload_trust") { database in
      try OriginalTransactionKey.fetchAll(
        database,
        sql: """
          SELECT l.original_transaction_key FROM main.projection_original_transaction l
          WHERE l.original_transaction_key > ? AND l.weakest_trust = 0
            AND EXISTS (\(Self.hasSignedEvidence.replacing("?1", with: "l.original_transaction_key")))
          ORDER BY l.original_transaction_key LIMIT \(Self.batchCount)
          """, arguments: [last])
    }
  }

  /// Returns how many payloads of Production each added root verified, ordered by the root's name and digest.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func productionPayloadsByAddedRoots() throws -> [(root: RootCertificate, count: Int)] {
    try read { database in
      try database.rows(
        """
        SELECT c.digest, c.name, COUNT(*) AS payloads
        FROM main.root_certificate c JOIN main.payload p ON p.root_id = c.root_id
        WHERE c.is_apple = 0 AND p.environment = 'Production' GROUP BY c.root_id ORDER BY c.name, c.digest
        """
      ).map { row in
        let digest = ContentDigest(bytes: [UInt8](row["digest"] as Data))
        return (RootCertificate(digest: digest, name: row["name"], isApple: false), row["payloads"])
      }
    }
  }
}

extension QueryParameters {
  /// The query with signed evidence alone.
  var ofSignedEvidence: QueryParameters { QueryParameters(asOf: asOf, knownAt: knownAt, minimumTrust: .signed) }
}

extension CustomerAccess.State {
  /// The state of a subscription.
  package init(_ state: Entitlement.State) {
    self =
      switch state {
      case .active: .active
      case .gracePeriod: .gracePeriod
      case .billingRetry: .billingRetry
      case .expired: .expired
      case .revoked: .revoked
      }
  }
}
