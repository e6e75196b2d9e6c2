public import AppStore
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

/// A person who was forgotten, as the ledger remembers it.
public struct Erasure: Sendable, Equatable {
  /// What stands in place of the person's ids.
  public var pseudonym: String
  /// Why.
  public var reason: String
  /// Who did it.
  public var author: String
  /// When.
  public var recordedAt: Instant
  /// How many stored texts were rewritten: each keeps its digest and cannot be verified again.
  public var textCount: Int
  /// Where the ids still stand, because nothing there may be rewritten. It is not stored: only
  /// ``Ledger/forget(_:as:_:)`` tells it.
  public var remainders: [ErasureRemainder] = []
}

/// A column in which an erasure left a person's id, by its place and never by its value.
public struct ErasureRemainder: Sendable, Equatable {
  /// The table.
  public var table: String
  /// The column.
  public var column: String
  /// How many rows hold an id there.
  public var count: Int
  /// The first twenty of these rows: the row's number, or the integers and digests of its key.
  public var rows: [String]
}

extension LedgerRecorder {
  /// Puts a pseudonym in place of a customer's id and of their account tokens, in every table and every stored text, as
  /// one transaction. The purchases stay, and stay together under the pseudonym; so do the rules' answers. Notes about
  /// the person are emptied, and receipts that their payloads held are removed: nobody can look into those.
  ///
  /// At last every text of every table is searched for the ids, in any case and encoding. What may be rewritten is; the
  /// rest is listed in ``Erasure/remainders``, for example an id that is also Apple's id of a line.
  ///
  /// What Apple says of the person afterwards is recorded as it comes: a subscription that goes on brings its token
  /// again.
  /// - Parameters:
  ///   - customer: the app's id, or an account token.
  ///   - pseudonym: letters, digits and hyphens, used by nobody; see ``pseudonym()``.
  /// - Throws: ``LedgerError``; with `refusedEntry` where nothing names such a customer.
  public func erase(_ customer: String, as pseudonym: String, _ act: StaffAction) throws -> Erasure {
    let customer = try CheckedText.customer(customer)
    try act.check()
    let (count, remainders) = try writeErasure { transaction in
      // What is overwritten must not lie about in free pages.
      try transaction.database.execute(sql: "PRAGMA secure_delete = ON")
      let eraser = try DatabaseEraser(transaction, customer: customer, pseudonym: pseudonym, act)
      try transaction.beginRewriting(erasure: eraser.erasure)
      return try eraser.run()
    }
    // The write-ahead log still holds the old pages until it is emptied.
    emptyLog()
    return Erasure(
      pseudonym: pseudonym, reason: act.reason, author: act.author, recordedAt: act.recordedAt, textCount: count,
      remainders: remainders)
  }
}

extension LedgerReader {
  /// Everyone who was forgotten, oldest first.
  /// - Throws: ``LedgerError``.
  public func erasures() throws -> [Erasure] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT e.*, (SELECT COUNT(*) FROM main.erased_text t WHERE t.erasure_id = e.erasure_id) AS n
          FROM main.erasure e ORDER BY e.erasure_id
          """
      ).map { row in
        Erasure(
          pseudonym: row["pseudonym"], reason: row["reason"], author: row["author"],
          recordedAt: Instant(milliseconds: row["recorded_at"]), textCount: row["n"])
      }
    }
  }
}

extension Erasure {
  /// A pseudonym that nobody has: as long as an account token, so that texts keep their length.
  public static func newPseudonym() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return "forgotten-" + String((0..<26).map { _ in letters[Int.random(in: 0..<letters.count)] })
  }
}
