public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A question to Apple that is still open.
public struct OpenQuestion: Sendable, Equatable {
  /// Why the question is asked.
  public enum Reason: String, Sendable, CaseIterable {
    /// Nothing confirms the state of a subscription (rules §6).
    case unconfirmed
    /// A subscription ended, and what is known since then says nothing of a renewal.
    case ended
    /// A renewal was not paid, and Apple may have collected it since (rules §6).
    case paymentFailed = "payment_failed"
    /// Apple named a transaction that does not begin where the last known one ends: those between are missing.
    case missingTransactions = "missing_transactions"
    /// A back end posted the transaction, and Apple has not been asked about it.
    case postedTransaction = "posted_transaction"
    /// A back end posted a device's receipt.
    case postedReceipt = "posted_receipt"
    /// Apple may have refunded a purchase, and the news may be lost.
    case refund
    /// Apple may have reversed a refund, and the news may be lost.
    case refundReversal = "refund_reversal"
    /// Somebody else bought it: family sharing or the seat may have ended, and the news may be lost.
    case sharing

    /// The order in which questions are asked: what somebody waits for comes first, and what is asked as a precaution
    /// last.
    static let byUrgency: [Reason] = [
      .postedReceipt, .postedTransaction, .unconfirmed, .ended, .missingTransactions, .paymentFailed, .refundReversal,
      .sharing, .refund,
    ]

    /// The state that raises the doubt, as a condition on the period `p` in SQL; `nil` where any answer ends the question.
    /// Such a question is open as long as the subscription is in this state.
    fileprivate var doubt: String? {
      switch self {
      case .unconfirmed: "p.confirmed = 0"
      case .ended:
        """
        p.state = 'expired' AND p.confirmed = 1 AND NOT EXISTS (
          SELECT 1 FROM main.projection_renewal_info r
          WHERE r.original_transaction_key = p.original_transaction_key AND r.evidence_at >= p.begins_at)
        """
      case .paymentFailed: "p.state IN ('grace_period', 'billing_retry')"
      case .postedTransaction, .postedReceipt, .missingTransactions, .refund, .refundReversal, .sharing: nil
      }
    }

    /// Whether any answer ends the question. The others are open as long as the ledger has the doubt.
    package var isSettledByAnyAnswer: Bool { doubt == nil }
  }

  /// The number of the question in the file.
  public let id: Int64
  /// Why the question is asked.
  public let reason: Reason
  /// The transaction id to ask about, or the digest of the receipt in hexadecimal digits.
  public let subject: String
  /// The environment to ask; `nil` to find it.
  public let environment: Environment?
  /// The receipt in Base64; `nil` for a question about a transaction.
  public let receipt: String?
  /// The app of the transaction; `nil` where the ledger does not know it.
  public let bundleID: String?
  /// When the question came up.
  public let openedAt: Instant
  /// How often Apple was asked.
  public let attemptCount: Int
  /// When the present state of the subscription ends; `nil` where nothing says so.
  package let stateEndsAt: Instant?

  fileprivate init(_ row: Row) throws {
    (id, reason, subject) = (row["question_id"], try row.value("reason"), row["subject"])
    environment = try row.environmentIfPresent("environment")
    (receipt, bundleID) = (row["receipt"], row["bundle_id"])
    openedAt = Instant(milliseconds: row["opened_at"])
    attemptCount = row["attempt_count"]
    stateEndsAt = (row["state_ends_at"] as Int64?).map(Instant.init(milliseconds:))
  }
}

/// The number of open questions of a reason.
public struct OpenQuestionCount: Sendable, Equatable {
  /// Why they are asked.
  public let reason: OpenQuestion.Reason
  /// How many there are.
  public let count: Int64
  /// How many of them Apple was asked, and did not settle.
  public let unsettledCount: Int64
  /// When the oldest came up.
  public let oldestAt: Instant
}

extension LedgerReader {
  /// Returns the questions whose turn it is: the most urgent reasons first, of each the longest due first.
  /// - Parameters:
  ///   - now: the present instant.
  ///   - limit: the greatest number of questions.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func openQuestions(dueAt now: Instant, limit: Int) throws -> [OpenQuestion] {
    try lookUp { database in
      var found: [OpenQuestion] = []
      for reason in OpenQuestion.Reason.byUrgency where found.count < limit {
        found += try Row.fetchAll(
          database,
          sql: """
            SELECT q.*, COALESCE(q.receipt_bundle_id, (
              SELECT t.bundle_id FROM main.transaction_info t
              WHERE t.original_transaction_key = q.original_transaction_key AND t.bundle_id IS NOT NULL LIMIT 1
            )) AS bundle_id, (
              SELECT p.ends_at FROM main.entitlement_period p
              WHERE p.original_transaction_key = q.original_transaction_key AND p.begins_at <= ?1
              ORDER BY p.begins_at DESC LIMIT 1
            ) AS state_ends_at
            FROM main.open_question q WHERE q.reason = ?2 AND q.next_attempt_at <= ?1
            ORDER BY q.next_attempt_at, q.question_id LIMIT ?3
            """, arguments: [now.milliseconds, reason.rawValue, limit - found.count]
        ).map(OpenQuestion.init)
      }
      return found
    }
  }

  /// Returns whether the reason for a question is still there.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func isOpen(_ question: OpenQuestion, at now: Instant) throws -> Bool {
    try lookUp { try $0.isOpen(question, at: now) }
  }

  /// Returns the latest end of a transaction of the subscription that a question is about; `nil` where none has an end.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func lastKnownEnd(of question: OpenQuestion) throws -> Instant? {
    try lookUp {
      try Int64.fetchOne(
        $0,
        sql: """
          SELECT MAX(t.expires_at) FROM main.open_question q
          JOIN main.transaction_info t USING (original_transaction_key) WHERE q.question_id = ?
          """, arguments: [question.id])
    }.map(Instant.init(milliseconds:))
  }

  /// Returns the greatest key of an original transaction; 0 where there is none.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func lastOriginalTransactionKey() throws -> OriginalTransactionKey {
    try lookUp {
      try OriginalTransactionKey.fetchOne(
        $0, sql: "SELECT MAX(original_transaction_key) FROM main.original_transaction")
    } ?? OriginalTransactionKey(0)
  }

  /// Returns how many questions are open, by reason.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func openQuestionCounts() throws -> [OpenQuestionCount] {
    try lookUp { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT reason, COUNT(*) AS count, SUM(attempt_count > 0) AS unsettled, MIN(opened_at) AS opened_at
          FROM main.open_question GROUP BY reason ORDER BY reason
          """
      ).map { row in
        OpenQuestionCount(
          reason: try row.value("reason"), count: row["count"], unsettledCount: row["unsettled"],
          oldestAt: Instant(milliseconds: row["opened_at"]))
      }
    }
  }
}

/// A day in milliseconds.
private let day: Int64 = 86_400_000

extension EvidenceTransaction {
  /// Opens questions about transactions, except those that are open already.
  /// - Parameter select: returns their rows, in the order of the columns here.
  private func open(_ select: String, _ arguments: StatementArguments) throws {
    let columns = "reason, subject, environment, original_transaction_key, opened_at, attempt_count, next_attempt_at"
    try projections.execute("INSERT OR IGNORE INTO main.open_question (\(columns)) \(select)", arguments)
  }

  /// Opens a question about each subscription whose state is in doubt, except those that are open already.
  /// - Parameters:
  ///   - reason: a reason with a doubt.
  ///   - due: when Apple is asked, in SQL.
  ///   - begins: which periods are looked at, as a condition in SQL.
  private func open(
    _ reason: OpenQuestion.Reason, due: String, where begins: String, _ arguments: StatementArguments, now: Instant
  ) throws {
    try open(
      """
      SELECT '\(reason.rawValue)', o.original_transaction_id, o.environment, o.original_transaction_key, :now, 0, \(due)
      FROM main.entitlement_period p JOIN main.original_transaction o USING (original_transaction_key)
      WHERE \(reason.doubt ?? "FALSE") AND \(begins) AND p.begins_at <= :now AND COALESCE(p.ends_at, :now + 1) > :now
        AND o.environment IN ('Production', 'Sandbox')
      """, arguments &+ ["now": now.milliseconds])
  }

  /// Opens a question about each subscription whose state nothing confirms.
  /// - Parameters:
  ///   - former: periods that began before this instant were looked at already; `nil` to look at all.
  ///   - now: the present instant. The questions are due at once.
  package func openQuestions(unconfirmedSince former: Instant?, now: Instant) throws {
    try open(
      .unconfirmed, due: ":now", where: "p.begins_at > :former", ["former": former?.milliseconds ?? Int64.min],
      now: now)
  }

  /// Opens a question about each subscription that ended within the last 14 days, where nothing since then says whether
  /// it renewed.
  ///
  /// A transaction that Apple signs again confirms an end (rules §6), but says nothing of later transactions.
  /// - Parameter now: the present instant. The questions are due at once.
  package func openQuestions(aboutEndsAt now: Instant) throws {
    try open(
      .ended, due: ":now", where: "p.begins_at > :earliest", ["earliest": now.milliseconds - 14 * day], now: now)
  }

  /// Opens a question about each subscription in its grace period or billing retry.
  ///
  /// It is due a day after the payment failed, and at the latest a day before the state ends.
  /// - Parameter now: the present instant.
  package func openQuestions(aboutFailedPaymentsAt now: Instant) throws {
    try open(
      .paymentFailed, due: "MAX(:now, MIN(p.begins_at, p.ends_at - 2 * :day) + :day)", where: "p.ends_at > :now",
      ["day": day], now: now)
  }

  /// Opens a question about each purchase that Apple may have refunded or that may no longer be shared, and about each
  /// refund that Apple may have reversed, in a part of the ledger.
  ///
  /// A refund is possible where somebody has access, and for 90 days after the access ended; a reversal for a year after
  /// the refund. Apple names no limits: these are ours.
  /// - Parameters:
  ///   - keys: the keys of the original transactions.
  ///   - now: the present instant. The questions are due at once.
  package func openQuestions(aboutRefundsOf keys: ClosedRange<OriginalTransactionKey>, now: Instant) throws {
    try open(
      """
      SELECT CASE
          WHEN p.state = 'revoked' THEN 'refund_reversal'
          WHEN t.in_app_ownership_type <> 'PURCHASED' THEN 'sharing'
          ELSE 'refund'
        END,
        CASE
          WHEN p.state = 'revoked' OR t.in_app_ownership_type <> 'PURCHASED' THEN t.transaction_id
          ELSE o.original_transaction_id
        END,
        o.environment, o.original_transaction_key, ?3, 0, ?3
      FROM main.original_transaction o
      JOIN main.entitlement_period p
        ON p.original_transaction_key = o.original_transaction_key
        AND p.begins_at <= ?3 AND COALESCE(p.ends_at, ?3 + 1) > ?3
      JOIN main.transaction_info t ON t.transaction_info_id = p.transaction_key
      WHERE o.original_transaction_key BETWEEN ?1 AND ?2 AND o.environment IN ('Production', 'Sandbox')
        AND (p.has_access = 1 OR p.state = 'revoked' AND p.begins_at > ?3 - 366 * ?4 OR p.begins_at > ?3 - 90 * ?4)
      """, [keys.lowerBound, keys.upperBound, now.milliseconds, day])
  }

  /// Opens a question about the whole history of a subscription where its last transaction was bought after everything
  /// that was known: those between are missing, unless the customer had none for a time.
  /// - Parameters:
  ///   - question: the question whose answer named the last transaction.
  ///   - known: the latest end of a transaction that was known before.
  ///   - now: the present instant. The question is due at once.
  package func openQuestion(
    aboutTransactionsMissingAfter known: Instant, of question: OpenQuestion, now: Instant
  ) throws {
    try open(
      """
      SELECT 'missing_transactions', q.subject, q.environment, q.original_transaction_key, ?3, 0, ?3
      FROM main.open_question q JOIN main.transaction_info t USING (original_transaction_key)
      WHERE q.question_id = ?1 AND t.purchase_at > ?2 LIMIT 1
      """, [question.id, known.milliseconds, now.milliseconds])
  }

  /// Opens a question about a transaction that a back end posted, where the ledger has it.
  package func openQuestion(aboutPosted transactionID: String, in environment: Environment, now: Instant, due: Instant)
    throws
  {
    try open(
      """
      SELECT 'posted_transaction', t.transaction_id, o.environment, o.original_transaction_key, ?3, 0, ?4
      FROM main.transaction_info t JOIN main.original_transaction o USING (original_transaction_key)
      WHERE t.transaction_id = ?1 AND o.environment = ?2 LIMIT 1
      """, [transactionID, environment.name, now.milliseconds, due.milliseconds])
  }

  /// Opens a question about a receipt that a back end posted.
  /// - Parameter due: when Apple is asked.
  package func openQuestion(
    aboutReceipt receipt: String, of bundleID: String, digest: ContentDigest, now: Instant, due: Instant
  ) throws {
    try projections.execute(
      """
      INSERT OR IGNORE INTO main.open_question (
        reason, subject, receipt, receipt_bundle_id, opened_at, attempt_count, next_attempt_at)
      VALUES ('posted_receipt', ?, ?, ?, ?, 0, ?)
      """, [digest.hexadecimal, receipt, bundleID, now.milliseconds, due.milliseconds])
  }

  /// Removes the question about a receipt, because somebody else got the answer.
  package func closeQuestion(aboutReceipt digest: ContentDigest) throws {
    try projections.execute(
      "DELETE FROM main.open_question WHERE subject = ? AND reason = 'posted_receipt'", [digest.hexadecimal])
  }

  /// Removes a question that is answered, or whose reason is gone.
  package func close(_ question: OpenQuestion) throws {
    try projections.execute("DELETE FROM main.open_question WHERE question_id = ?", [question.id])
  }

  /// Notes an attempt that did not settle a question.
  /// - Parameter due: when Apple is asked next.
  package func postpone(
    _ question: OpenQuestion, verdict: RequestVerdict, code: Int64?, due: Instant, countsAttempt: Bool = true
  ) throws {
    try projections.execute(
      """
      UPDATE main.open_question
      SET attempt_count = attempt_count + ?, last_verdict = ?, last_error_code = ?, next_attempt_at = ?
      WHERE question_id = ?
      """, [countsAttempt ? 1 : 0, verdict.rawValue, code, due.milliseconds, question.id])
  }
}

extension RowSource {
  /// Returns whether the reason for a question is still there.
  package func isOpen(_ question: OpenQuestion, at now: Instant) throws -> Bool {
    guard let doubt = question.reason.doubt else { return true }
    return try has(
      """
      SELECT 1 FROM main.open_question q JOIN main.entitlement_period p USING (original_transaction_key)
      WHERE q.question_id = ?1 AND p.begins_at <= ?2 AND COALESCE(p.ends_at, ?2 + 1) > ?2 AND \(doubt)
      """, [question.id, now.milliseconds])
  }
}
