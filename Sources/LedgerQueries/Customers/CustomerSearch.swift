public import AppStore
internal import GRDB
public import LedgerStore

/// A text about a customer in which something was searched: their id, or what staff wrote.
public struct CustomerMention: Sendable, Equatable {
  /// Where the text stands.
  public enum Kind: String, Sendable {
    /// The customer's own id.
    case id
    /// A note about the customer.
    case note
    /// A link: the id from Apple, and the reason.
    case link
    /// A grant: the entitlement, and the reason.
    case grant
  }

  /// The customer that the text is about.
  public var customer: String
  /// Where the text stands.
  public var kind: Kind
  /// The whole text in which it was found.
  public var text: String
  /// Who wrote it; `nil` for an id.
  public var author: String?
  /// When it was entered; `nil` for an id.
  public var enteredAt: Instant?
}

extension CustomerMention: AnswerRow {
  /// The fields of a mention.
  public static let fields: [AnswerField<Self>] = [
    AnswerField("customer") { .text($0.customer) },
    AnswerField("found_in") { Value($0.kind) },
    AnswerField("text") { .text($0.text) },
    AnswerField("author") { Value($0.author) },
    AnswerField("entered_at") { Value($0.enteredAt) },
  ]
}

extension LedgerReader {
  /// Returns the customers whose ids contain a text, or about whom staff wrote it: in notes, and in the ids and reasons of
  /// links and grants. Upper and lower case are equal. It reads all of these texts.
  /// - Parameters:
  ///   - text: the text; an empty one is everywhere.
  ///   - knownAt: what was recorded later is left out.
  ///   - limit: the greatest number of results.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func customers(mentioning text: String, knownAt: Instant, limit: Int) throws -> [CustomerMention] {
    try lookUp { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT c.customer, t.kind, t.text, t.author, t.entered_at
          FROM (
            SELECT customer_key, 'id' AS kind, customer AS text, NULL AS author, NULL AS entered_at FROM main.customer
            UNION ALL
            SELECT customer_key, 'note', text, author, entered_at FROM main.customer_note
            UNION ALL
            SELECT customer_key, 'link', identifier || ': ' || reason, author, entered_at FROM main.customer_link_entry
            UNION ALL
            SELECT customer_key, 'grant', entitlement || ': ' || reason, author, entered_at FROM main.access_grant
          ) t
          JOIN main.customer c ON c.customer_key = t.customer_key
          WHERE (t.entered_at IS NULL OR t.entered_at <= ?) AND instr(swiftLowercaseString(t.text), ?) > 0
          ORDER BY c.customer, t.kind <> 'id', t.entered_at LIMIT ?
          """, arguments: [knownAt.milliseconds, text.lowercased(), limit]
      ).map { row in
        CustomerMention(
          customer: row["customer"], kind: try row.value("kind"), text: row["text"], author: row["author"],
          enteredAt: row.instant("entered_at"))
      }
    }
  }
}
