public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A row of the access log: that somebody read about a person, or a change that a program made through the server.
public struct AccessLogRow: Sendable, Equatable {
  /// The number of the entry in this file. A later entry has a greater one.
  public var entryID: Int64
  /// When it was done.
  public var enteredAt: Instant
  /// The program: `subledger` for a command line, or `subledger-server`.
  public var program: String
  /// The user's name on the machine of the command line, or the name of the token.
  public var author: String
  /// The public id of the token; `nil` for a command line.
  public var tokenID: String?
  /// The operation, by its `operationId` in the server's description of itself.
  public var operation: String
  /// Whether somebody read about a person or a purchase. Else it is a change, a recording, a search, or a reading of the
  /// access log.
  public var isRead: Bool
  /// The customer whom it is about.
  public var customer: String?
  /// The purchase that it is about.
  public var originalTransactionID: String?
  /// The instant that was asked about.
  public var asOf: Instant?
  /// The limit of knowledge of the query.
  public var knownAt: Instant?
  /// The reason, in the words of who asked.
  public var reason: String?
  /// How many purchases or entries the answer had.
  public var resultCount: Int
  /// The id of the request. The entries of one reading have the same.
  public var requestID: String

  init(_ row: Row) {
    entryID = row["entry_id"]
    enteredAt = Instant(milliseconds: row["entered_at"])
    program = row["program"]
    author = row["author"]
    tokenID = row["token_id"]
    operation = row["operation"]
    isRead = row["is_read"]
    customer = row["customer"]
    originalTransactionID = row["original_transaction_id"]
    asOf = row.instant("as_of")
    knownAt = row.instant("known_at")
    reason = row["reason"]
    resultCount = row["result_count"]
    requestID = row["request_id"]
  }
}

extension AccessLogRow: AnswerRow {
  /// The fields of an entry of the access log.
  public static let fields: [AnswerField<Self>] = [
    AnswerField("entry_id") { .integer($0.entryID) },
    AnswerField("entered_at") { .instant($0.enteredAt) },
    AnswerField("program") { .text($0.program) },
    AnswerField("author") { .text($0.author) },
    AnswerField("token_id") { Value($0.tokenID) },
    AnswerField("operation") { .text($0.operation) },
    AnswerField("is_read") { .flag($0.isRead) },
    AnswerField("customer") { Value($0.customer) },
    AnswerField("original_transaction_id") { Value($0.originalTransactionID) },
    AnswerField("as_of") { Value($0.asOf) },
    AnswerField("known_at") { Value($0.knownAt) },
    AnswerField("reason") { Value($0.reason) },
    AnswerField("result_count") { Value($0.resultCount) },
    AnswerField("request_id") { .text($0.requestID) },
  ]
}

/// How often somebody read about a customer or a purchase, and the latest times.
public struct LatestReads: Sendable {
  /// How often somebody read.
  public var count: Int
  /// The last of them, the latest first; at most three.
  public var latest: [AccessLogRow]
}

/// Whom or what entries of the access log are about.
public enum AccessLogSubject: Sendable {
  /// A customer, by the app's own id or an account token.
  case customer(String)
  /// A purchase, by its original transaction id.
  case purchase(String)

  /// The purchase that has exactly this id, or else the customer who may have it.
  /// - Throws: `LedgerError` when the file cannot be read.
  public init(of id: String, in ledger: LedgerReader) throws {
    self = try ledger.purchase(withID: id).map { .purchase($0.originalTransactionID) } ?? .customer(id)
  }

  fileprivate var condition: (sql: String, id: String) {
    switch self {
    case .customer(let id): ("customer = ?", AccountToken.normalized(id))
    case .purchase(let id): ("original_transaction_id = ?", id)
    }
  }
}

extension LedgerReader {
  /// Returns entries of the access log, the latest first.
  /// - Parameters:
  ///   - subject: whom or what the entries are about; `nil` for all.
  ///   - author: who did it, by the name that ``AccessLogRow/author`` has; `nil` for all.
  ///   - entryID: only entries with smaller numbers; `nil` for all.
  ///   - since: only entries from this instant on; `nil` for all.
  ///   - end: only entries from before this instant; `nil` for all.
  ///   - limit: the greatest number of entries.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func accessLog(
    about subject: AccessLogSubject? = nil, by author: String? = nil, before entryID: Int64? = nil,
    since: Instant? = nil, until end: Instant? = nil, limit: Int
  ) throws -> [AccessLogRow] {
    try lookUp("access_log") { database in
      let condition = subject?.condition
      return try database.rows(
        """
        SELECT * FROM temp.access_log
        WHERE \(condition?.sql ?? "? IS NULL") AND \(author == nil ? "? IS NULL" : "author = ?") AND entry_id < ?
          AND entered_at >= ? AND entered_at < ?
        ORDER BY entry_id DESC LIMIT ?
        """,
        [condition?.id, author, entryID ?? .max, since?.milliseconds ?? .min, end?.milliseconds ?? .max, limit]
      ).map(AccessLogRow.init)
    }
  }

  /// Returns who read about a customer or a purchase, through the server and by command line.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func reads(about subject: AccessLogSubject) throws -> LatestReads {
    try lookUp("access_log") { database in
      let (condition, id) = subject.condition
      // A reading of a purchase of two customers has two entries.
      let count = try Int.fetchOne(
        database,
        sql: "SELECT COUNT(DISTINCT request_id) FROM temp.access_log WHERE is_read = 1 AND \(condition)",
        arguments: [id])
      let latest = try database.rows(
        """
        SELECT * FROM temp.access_log WHERE entry_id IN (
          SELECT MAX(entry_id) FROM temp.access_log WHERE is_read = 1 AND \(condition) GROUP BY request_id
          ORDER BY 1 DESC LIMIT 3
        ) ORDER BY entry_id DESC
        """, [id])
      return LatestReads(count: count ?? 0, latest: latest.map(AccessLogRow.init))
    }
  }

  /// Returns the customers whom an answer about a purchase names: those it belongs to, and those whose devices reported it.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func customers(of purchase: OriginalTransactionMatch, _ parameters: QueryParameters) throws -> [String] {
    try claims(on: purchase, parameters).map(\.customer) + reporters(of: purchase, parameters)
  }
}
