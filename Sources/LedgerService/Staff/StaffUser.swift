public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// What a user of the support page may do. Each role may do what those before it may.
public enum StaffRole: String, Sendable, CaseIterable, Comparable {
  /// Look up people, and read about them.
  case viewer
  /// Write notes, grant access for at most 30 days, and ask Apple.
  case support
  /// Link and transfer purchases, grant access for longer, answer refund requests, and read reports and the access log.
  case lead
  /// Erase people, which nobody can undo.
  case admin

  /// Returns whether the other role may do more.
  public static func < (one: StaffRole, other: StaffRole) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A user of the support page.
public struct StaffUser: Sendable, Equatable {
  /// The name with which the user signs in.
  public var name: String
  /// What the user may do; `nil` when the user may not sign in any more.
  public var role: StaffRole?
  /// Who gave the role.
  public var author: String
  /// Why the user has the role, in the author's words.
  public var reason: String
  /// When the user got the role.
  public var enteredAt: Instant
  /// How many sessions are open.
  public var sessionCount: Int
  package let key: StaffUserKey

  static let columns = """
    u.staff_user_key, u.name, r.role, r.author, r.reason, r.entered_at,
    (SELECT COUNT(*) FROM main.staff_session s WHERE s.staff_user_key = u.staff_user_key) AS session_count
    """

  /// The users, each with the latest entry about the role.
  static let rows = """
    main.staff_user u
    JOIN main.staff_user_role r ON r.entry_id = (
      SELECT MAX(l.entry_id) FROM main.staff_user_role l WHERE l.staff_user_key = u.staff_user_key)
    """

  init(_ row: Row) {
    (key, name) = (row["staff_user_key"], row["name"])
    // A role of a newer version permits nothing here.
    role = (row["role"] as String?).flatMap(StaffRole.init)
    (author, reason) = (row["author"], row["reason"])
    enteredAt = Instant(milliseconds: row["entered_at"])
    sessionCount = row["session_count"]
  }
}

/// That a user of the page opened the page of a customer or a purchase.
package struct StaffRead: Sendable {
  /// The customer; `nil` for a purchase without one.
  package let customer: String?
  /// The original transaction id of a purchase without a customer.
  package let originalTransactionID: String?
  /// When the user last opened it.
  package let enteredAt: Instant

  /// How many of the user's latest entries are searched. A user has some hundred thousand in a year.
  static let searched = 1000
}

extension LedgerReader {
  /// Returns all users of the support page, by name. Those who may not sign in any more are among them.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func staffUsers() throws -> [StaffUser] {
    try lookUp { database in
      try Row.fetchAll(database, sql: "SELECT \(StaffUser.columns) FROM \(StaffUser.rows) ORDER BY u.name")
        .map(StaffUser.init)
    }
  }

  /// Returns what a user of the page opened last: customers and purchases, each once, the latest first.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func latestReads(by user: StaffUser, limit: Int) throws -> [StaffRead] {
    try lookUp { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT customer, CASE WHEN customer IS NULL THEN original_transaction_id END AS original_transaction_id,
            MAX(entered_at) AS entered_at
          FROM (
            SELECT * FROM main.access_log_entry WHERE staff_user_key = ? ORDER BY entry_id DESC LIMIT \(StaffRead.searched))
          WHERE as_of IS NOT NULL AND (customer IS NOT NULL OR original_transaction_id IS NOT NULL)
          GROUP BY 1, 2 ORDER BY 3 DESC LIMIT ?
          """, arguments: [user.key, limit]
      ).map {
        StaffRead(
          customer: $0["customer"], originalTransactionID: $0["original_transaction_id"],
          enteredAt: Instant(milliseconds: $0["entered_at"]))
      }
    }
  }

  /// Returns the user with a name whose password this is; `nil` for any other name or password.
  ///
  /// An unknown name takes the same time as a wrong password, so nobody can find out which names exist.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func staffUser(named name: String, password: Password) throws -> StaffUser? {
    // SQLite would read a name only up to a NUL.
    let name = name.contains("\0") ? "" : name
    let found: (user: StaffUser, hash: String)? = try lookUp { database in
      try Row.fetchOne(
        database,
        sql: """
          SELECT \(StaffUser.columns), p.hash FROM \(StaffUser.rows)
          JOIN main.staff_user_password p ON p.staff_user_key = u.staff_user_key WHERE u.name = ?
          """, arguments: [name]
      ).map { (StaffUser($0), $0["hash"]) }
    }
    let hash = found.flatMap { PasswordHash($0.hash) }
    let isRight = (hash ?? .ofNobody).matches(password) && hash != nil
    return found.flatMap { isRight && $0.user.role != nil ? $0.user : nil }
  }
}
