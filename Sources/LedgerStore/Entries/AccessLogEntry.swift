public import AppStore
internal import GRDB
internal import LedgerSchema

/// That somebody read about a person, or a change through the server, for the access log.
public struct AccessLogEntry: Sendable {
  /// The program or the person that asks.
  public enum Requester: Sendable {
    /// A program with a token, by the public id of the token.
    case token(String)
    /// A person at a command line, by the user's name on that machine.
    case user(String)
    /// A user of the support page, by the name with which they sign in.
    case staffUser(String)
    /// Somebody who tried to sign in with a name that no user has.
    case nobody
  }

  /// The program or the person that asks.
  public var requester: Requester
  /// The id of the request, as the server's log has it. The entries of one reading have the same.
  public var requestID: String
  /// The operation, by its `operationId` in the server's description of itself.
  public var operation: String
  /// The customer whom it is about.
  public var customer: String?
  /// The purchase that it is about.
  public var originalTransactionID: String?
  /// The instants of a query. Every reading has them, and no change.
  public var parameters: QueryParameters?
  /// The reason, in the words of who asks. At most 10,000 UTF-8 bytes, and not blank.
  public var reason: String?
  /// How many purchases or entries the answer has.
  public var resultCount: Int
  /// When it is done.
  public var enteredAt: Instant

  /// Creates an entry without customer, purchase, query and reason.
  public init(_ requester: Requester, requestID: String, operation: String, enteredAt: Instant) {
    (self.requester, self.requestID, self.operation) = (requester, requestID, operation)
    (self.enteredAt, resultCount) = (enteredAt, 0)
  }

  /// Returns one entry for each of the customers that an answer names, or one without a customer.
  public func about(_ customers: [String]) -> [AccessLogEntry] {
    var named: [String] = []
    for customer in customers.map(AccountToken.normalized) where !named.contains(customer) { named.append(customer) }
    guard !named.isEmpty else { return [self] }
    return named.map { customer in
      var copy = self
      copy.customer = customer
      return copy
    }
  }
}

extension LedgerRecorder {
  /// Records entries of the access log.
  /// - Throws: ``LedgerError``: `refused_text` when a text is blank or too long.
  public func log(_ entries: [AccessLogEntry]) throws {
    try record { transaction in
      for entry in entries { try transaction.log(entry) }
    }
  }
}

extension EvidenceTransaction {
  /// Records an entry of the access log, in the transaction of what it is about.
  package func log(_ entry: AccessLogEntry) throws {
    if let reason = entry.reason { try CheckedText.text(reason, "The reason", limit: 10_000) }
    var (tokenID, userName): (String, String?) = ("", nil)
    var staffUserKey: StaffUserKey?
    switch entry.requester {
    case .token(let id): tokenID = id
    case .nobody: break
    case .user(let name):
      try CheckedText.text(name, "The user's name")
      userName = name
    case .staffUser(let name):
      staffUserKey = try row("SELECT staff_user_key FROM staff_user WHERE name = ?", [name])?["staff_user_key"]
      guard staffUserKey != nil else {
        throw LedgerError(
          .refusedEntry, "No user of the support page has this name.", "List the users, and name one of them.")
      }
    }
    try insert(
      "access_log_entry",
      [
        "token_id": tokenID, "user_name": userName, "staff_user_key": staffUserKey, "request_id": entry.requestID,
        "operation": entry.operation,
        "customer": entry.customer.map(AccountToken.normalized),
        "original_transaction_id": entry.originalTransactionID, "as_of": entry.parameters?.asOf.milliseconds,
        "known_at": entry.parameters?.knownAt.milliseconds, "reason": entry.reason, "result_count": entry.resultCount,
        "entered_at": entry.enteredAt.milliseconds,
      ])
  }
}
