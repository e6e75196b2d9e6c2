public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A purchase whose state rests on unsigned evidence, and would be another by signed evidence alone.
public struct UnsignedDecision: Sendable, Equatable {
  /// The environment of the purchase.
  public var environment: String
  /// Its original transaction id.
  public var originalTransactionID: String
  /// What all evidence says: a state of ``Entitlement/State``, or of something that was bought once.
  public var state: String
  /// The rule that decided so.
  public var rule: String
  /// What signed evidence alone says.
  public var signedState: String
  /// When access ends or ended by signed evidence alone; `nil` without end.
  public var signedAccessEndsAt: Instant?
}

extension LedgerReader {
  /// What signed evidence alone says of a subscription, where unsigned evidence decided against it.
  ///
  /// A receipt of a later date may undo a refund, or prolong a period. That may be right: a notification was lost. It
  /// may be a forgery. Where signed evidence only ends earlier, and confirms nothing after that (rules §6), it is not
  /// contradicted.
  /// - Parameters:
  ///   - entitlement: an answer of this ledger.
  ///   - line: the subscription that it is about.
  /// - Returns: `nil` where signed evidence says the same, or nothing.
  /// - Throws: ``LedgerError``.
  public func signedAnswer(against entitlement: Entitlement, of line: OriginalTransactionMatch) throws -> Entitlement? {
    guard entitlement.trust != "verified", entitlement.question.leastTrust == .any,
      try lookUp(["stg_payload_trust"], { try $0.has(Self.hasSignedEvidence, [line.originalTransactionKey]) })
    else { return nil }
    let signed = try self.entitlement(of: line, entitlement.question.ofSignedEvidence)
    return signed.flatMap { Self.differs($0, entitlement) ? $0 : nil }
  }

  private static func differs(_ signed: Entitlement, _ entitlement: Entitlement) -> Bool {
    guard signed.isConfirmed else { return false }
    return signed.state != entitlement.state || signed.accessEndsAt != entitlement.accessEndsAt
      || signed.productID != entitlement.productID
  }

  /// Whether anything said of the subscription `?1` is signed: of most that receipts tell of nothing is, and nothing more
  /// need be asked.
  private static let hasSignedEvidence = """
    SELECT 1 FROM main.transaction_version v JOIN temp.stg_payload_trust p ON p.payload_id = v.payload_id
    WHERE v.original_transaction_key = ?1 AND p.trust = 'verified'
    """

  /// So many subscriptions are looked at together.
  private static let batchCount = 500

  /// What signed evidence alone says of what was bought once, where unsigned evidence decided against it.
  /// - Parameters:
  ///   - transactions: those of a line, as ``transactions(of:_:)`` gives them.
  ///   - line: the line.
  ///   - question: what was asked.
  /// - Returns: by transaction id, the same transactions by signed evidence alone.
  /// - Throws: ``LedgerError``.
  public func signedAnswers(
    against transactions: [TransactionSummary], of line: OriginalTransactionMatch, _ question: Question
  ) throws -> [String: TransactionSummary] {
    guard question.leastTrust == .any,
      transactions.contains(where: { $0.oneTimeState != nil && $0.trust != "verified" }),
      try lookUp(["stg_payload_trust"], { try $0.has(Self.hasSignedEvidence, [line.originalTransactionKey]) })
    else { return [:] }
    let signed = try self.transactions(of: line, question.ofSignedEvidence)
    let states = Dictionary(transactions.map { ($0.transactionID, $0.oneTimeState) }) { first, _ in first }
    return Dictionary(
      signed.filter { other in other.oneTimeState != nil && states[other.transactionID] != other.oneTimeState }
        .map { ($0.transactionID, $0) }
    ) { first, _ in first }
  }

  /// Gives every purchase that unsigned evidence decides against signed evidence, in the order of the file.
  /// - Throws: ``LedgerError``, and whatever `body` throws.
  public func forEachUnsignedDecision(_ question: Question, _ body: (UnsignedDecision) throws -> Void) throws {
    var last: Int64 = 0
    while true {
      let lines = try linesOfBothKinds(after: last)
      guard let end = lines.last else { return }
      last = end
      func answers(_ question: Question) throws -> [Int64: Entitlement] {
        let found = try entitlements(question.leastTrust) { try ask($0, lines.map { ($0, question) }) }
        return Dictionary(found.map { ($0.originalTransactionKey, $0) }) { first, _ in first }
      }
      let (all, signed) = (try answers(question), try answers(question.ofSignedEvidence))
      for line in lines {
        guard let one = all[line], one.trust != "verified", let other = signed[line], Self.differs(other, one) else {
          continue
        }
        try body(
          UnsignedDecision(
            environment: one.environment, originalTransactionID: one.originalTransactionID, state: one.state.rawValue,
            rule: one.rule, signedState: other.state.rawValue, signedAccessEndsAt: other.accessEndsAt))
      }
      let once = lines.filter { all[$0] == nil }
      for decision in try oneTimeDecisions(of: once, question) { try body(decision) }
    }
  }

  /// The same of what was bought once.
  private func oneTimeDecisions(of lines: [Int64], _ question: Question) throws -> [UnsignedDecision] {
    guard !lines.isEmpty else { return [] }
    func answers(_ question: Question) throws -> [Row] {
      try readSubscriptions("one_time_purchase", asking: { try ask($0, lines.map { ($0, question) }) }) { database, _ in
        try Row.fetchAll(
          database, sql: "SELECT * FROM temp.one_time_purchase ORDER BY original_transaction_key, transaction_id")
      }
    }
    let signed = Dictionary(
      try answers(question.ofSignedEvidence).map { ($0["transaction_id"] as String, $0) }
    ) { first, _ in first }
    return try answers(question).compactMap { row in
      guard row["trust"] as String? != "verified", let other = signed[row["transaction_id"]],
        other["confirmed"] as Bool, other["state"] as String != row["state"]
      else { return nil }
      return UnsignedDecision(
        environment: row["environment"], originalTransactionID: row["original_transaction_id"], state: row["state"],
        rule: row["rule"], signedState: other["state"], signedAccessEndsAt: other.instant("access_ends_at"))
    }
  }

  /// The next subscriptions of which both signed and unsigned payloads tell.
  private func linesOfBothKinds(after last: Int64) throws -> [Int64] {
    try readEvidence("stg_payload_trust") { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT l.original_transaction_key FROM main.projection_original_transaction l
          WHERE l.original_transaction_key > ? AND l.least_trust = 0
            AND EXISTS (\(Self.hasSignedEvidence.replacing("?1", with: "l.original_transaction_key")))
          ORDER BY l.original_transaction_key LIMIT \(Self.batchCount)
          """, arguments: [last])
    }
  }

  /// How many payloads of Production are believed by each root that was added: by its name and digest.
  /// - Throws: ``LedgerError``.
  public func productionPayloadsByAddedRoots() throws -> [(root: RootCertificate, count: Int)] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
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

extension Question {
  /// The same, of signed evidence alone.
  var ofSignedEvidence: Question { Question(asOf: asOf, knownAt: knownAt, leastTrust: .signed) }
}
