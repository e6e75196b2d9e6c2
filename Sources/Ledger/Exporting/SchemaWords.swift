/// What the migrations and views say of their tables and columns, in the comments above them.
struct SchemaWords {
  private var relations: [String: String] = [:]
  private var columns: [String: [String: String]] = [:]

  init() {
    for script in Schema.migrations { read(script.sql) }
    for view in Schema.views {
      let opening = view.sql.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("--") }
      relations[view.name] = Self.joined(opening.map { $0.dropFirst(2) })
    }
    for (name, words) in Self.more where relations[name, default: ""].isEmpty { relations[name] = words }
  }

  /// Of tables that have no comment of their own, and of what only exports have.
  private static let more = [
    "changed_line":
      "The lines whose rows in a relation with content 'changed' are others than in the export before, or gone.",
    "store_transaction": "A transaction of a line, by its id: its versions tell what was said of it.",
    "transaction_statement": "What a statement says of a transaction, in typed columns.",
    "renewal_statement": "What a statement says of a line's renewal, in typed columns.",
    "renewal_version": "Each time a statement about a renewal was made.",
    "notification": "What notifications say beside transactions and renewals.",
    "app_transaction_statement": "What a statement says of the purchase of the app itself.",
    "app_transaction_version": "Each time a statement about the purchase of the app itself was made.",
    "product_version": "A product as the catalogue had it: a version for each import that changed something.",
    "product_name": "A product's name and description in a language.",
    "customer": "A person, by the app's own id.",
    "customer_note": "What staff wrote about a customer.",
    "access_grant_revocation": "When and why access that the app gave was taken back.",
    "client_event": "What the app itself reported of StoreKit's payment queue: a device's claims.",
    "erasure": "A person who was forgotten, by the pseudonym that stands in their place.",
  ]

  func relation(_ name: String) -> String { relations[name] ?? "" }

  func column(_ name: String, of relation: String) -> String? { columns[relation]?[name] }

  /// Reads a migration: comments right above a table or a column belong to it.
  private mutating func read(_ sql: String) {
    var comment: [Substring] = []
    var table: String?
    for line in sql.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("--") {
        comment.append(text.dropFirst(2))
        continue
      }
      let words = text.split(separator: " ")
      if words.starts(with: ["CREATE", "TABLE"]), words.count > 2 {
        table = String(words[2])
        relations[String(words[2])] = Self.joined(comment)
      } else if line.hasPrefix(")") {
        table = nil
      } else if let table, let name = words.first, !comment.isEmpty {
        columns[table, default: [:]][String(name)] = Self.joined(comment)
      }
      comment = []
    }
  }

  private static func joined(_ lines: [Substring]) -> String {
    lines.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
