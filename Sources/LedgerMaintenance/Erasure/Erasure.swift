public import AppStore
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

/// The erasure of a person, as the ledger recorded it.
public struct Erasure: Sendable, Equatable {
  /// The pseudonym that replaced the person's ids.
  public var pseudonym: String
  /// Whether it removed payloads from the quarantine, and erased nobody.
  public var isPurge: Bool { pseudonym.hasPrefix(QuarantinePurge.prefix) }
  /// The reason that its author gave.
  public var reason: String
  /// Who erased the person.
  public var author: String
  /// When the erasure was entered.
  public var enteredAt: Instant
  /// How many stored texts were rewritten. Each keeps its digest and cannot be verified again.
  public var textCount: Int
  /// How many rows of each table were rewritten or removed, by the name of the table. The file does not store this list.
  /// Only `LedgerRecorder.erase(_:as:_:isCommitted:)` returns it.
  public var changes: [ErasureChange] = []
  /// Where ids remain, because nothing may be rewritten there. The file does not store this list. Only
  /// `LedgerRecorder.erase(_:as:_:isCommitted:)` returns it.
  public var remainders: [ErasureRemainder] = []
  /// Whether the file beside the ledger with the ending `-wal` has none of the earlier texts. `false`: another program was
  /// reading. The next write without a reader removes them.
  public var isLogEmpty = true
}

/// How many rows of a table an erasure rewrote or removed.
public struct ErasureChange: Sendable, Equatable {
  /// The name of the table.
  public var table: String
  /// How many rows were rewritten or removed.
  public var count: Int
}

/// A column in which an erasure left a person's id. It states the place and never the value.
public struct ErasureRemainder: Sendable, Equatable {
  /// The name of the table.
  public var table: String
  /// The name of the column.
  public var column: String
  /// How many rows of the column contain an id.
  public var count: Int
  /// The first twenty of these rows: the number of the row, or the integers and digests of its key.
  public var rows: [String]
}

extension LedgerRecorder {
  /// Replaces a customer's id and account tokens by a pseudonym, in every table and every stored text, in one
  /// transaction. The purchases stay together under the pseudonym, and the rules give the same answers. The texts of
  /// notes about the person are removed. So are receipts of their payloads, because these are opaque.
  ///
  /// The erasure then searches every text of every table for the ids, in any case and encoding. It rewrites what it
  /// may. ``Erasure/remainders`` lists the rest, such as an id that equals an original transaction id of Apple's.
  ///
  /// Evidence that arrives later is recorded as it is. A subscription that continues brings the person's account token
  /// again.
  /// - Parameters:
  ///   - customer: the app's own id, or an account token.
  ///   - pseudonym: letters, digits and hyphens that nobody uses yet; see ``Erasure/newPseudonym()``.
  ///   - staffAction: the author, the reason and the instant.
  ///   - isCommitted: whether the erasure stays. `false`: the transaction is taken back, and the result states what the
  ///     erasure would change.
  /// - Returns: the erasure, with what it changed, and the places where ids remain.
  /// - Throws: `LedgerError` with `refusedEntry` when nothing names the customer, `refusedText` when an argument is
  ///   not a valid text, or `cannotWrite`.
  public func erase(_ customer: String, as pseudonym: String, _ staffAction: StaffAction, isCommitted: Bool = true)
    throws -> Erasure
  {
    let customer = try CheckedText.customer(customer)
    try staffAction.check()
    var number: Int64 = 0
    var (erasure, isLogEmpty) = try writeErasure(isCommitted: isCommitted) { transaction in
      let eraser = try DatabaseEraser(transaction, customer: customer, pseudonym: pseudonym, staffAction)
      number = eraser.erasure
      try transaction.beginErasure(erasure: number)
      let (count, remainders) = try eraser.run()
      return Erasure(
        pseudonym: pseudonym, reason: staffAction.reason, author: staffAction.author,
        enteredAt: staffAction.enteredAt, textCount: count,
        remainders: remainders)
    } sealed: { database, erasure in
      // The rewritten rows are recorded when the transaction is sealed.
      var erasure = erasure
      erasure.changes = try Row.fetchAll(
        database,
        sql: """
          SELECT t.name, COUNT(DISTINCT w.row_key) AS n FROM main.rewritten_row w
          JOIN main.sealed_table t ON t.table_number = w.table_number WHERE w.erasure_id = ? GROUP BY t.name ORDER BY t.name
          """, arguments: [number]
      ).map { ErasureChange(table: $0["name"], count: $0["n"]) }
      return erasure
    }
    erasure.isLogEmpty = isLogEmpty
    return erasure
  }
}

extension LedgerReader {
  /// Returns all erasures, the oldest first, without their remainders.
  /// - Throws: `LedgerError` when the file cannot be read.
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
          enteredAt: Instant(milliseconds: row["entered_at"]), textCount: row["n"])
      }
    }
  }
}

extension Erasure {
  /// Returns a random pseudonym. It is as long as an account token, so that texts keep their length.
  public static func newPseudonym() -> String { newPseudonym("forgotten-") }

  static func newPseudonym(_ prefix: String) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return prefix + String((0..<26).map { _ in letters[Int.random(in: 0..<letters.count)] })
  }
}
