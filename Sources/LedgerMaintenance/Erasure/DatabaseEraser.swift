internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Rewrites the tables that name a person, inside the transaction of its caller.
struct DatabaseEraser {
  let transaction: ErasureTransaction
  let customer: String
  let pseudonym: String
  /// The customer's id, and every account token that is now linked to this customer and to nobody else.
  private let ids: [String]
  private let eraser: IdentifierEraser
  let search: IdentifierSearch
  let erasure: Int64

  var database: Database { transaction.database }

  init(_ transaction: ErasureTransaction, customer: String, pseudonym: String, _ staffAction: StaffAction) throws {
    (self.transaction, self.customer, self.pseudonym) = (transaction, customer, pseudonym)
    let database = transaction.database
    let identifiers = try String.fetchAll(
      database,
      sql:
        "SELECT DISTINCT e.identifier FROM customer_link_entry e JOIN customer c USING (customer_key) WHERE c.customer = ?",
      arguments: [customer])
    let entries = CustomerEntries(rows: database)
    let tokens = try identifiers.filter { try database.isAccountToken($0) && entries.holders(of: $0) == [customer] }
    ids = Set([customer] + tokens).sorted()
    eraser = IdentifierEraser(ids: Set(ids), pseudonym: pseudonym)
    search = IdentifierSearch(ids: ids, pseudonym: pseudonym)
    let words = [staffAction.reason, staffAction.author].map { [search] text in
      search.erased(Array(text.utf8), in: .words)?.text ?? text
    }
    erasure = try transaction.insert(
      "erasure",
      [
        "pseudonym": pseudonym, "reason": words[0], "author": words[1],
        "entered_at": staffAction.enteredAt.milliseconds,
      ])
  }

  /// Rewrites texts and columns, then searches the whole file.
  /// - Returns: how many stored texts were rewritten, and where ids remain.
  func run() throws -> (textCount: Int, remainders: [ErasureRemainder]) {
    try requireKnown()
    let remainders = try database.disablingAppendOnlyTriggers {
      // Texts come first, because the columns decide which texts to rewrite.
      try eraseObjects()
      try erasePayloads()
      try eraseTemplates()
      try eraseQuarantine()
      try eraseColumns()
      try eraseWords()
      return try sweep()
    }
    let count = try Int.fetchOne(
      database, sql: "SELECT COUNT(*) FROM erased_text WHERE erasure_id = ?", arguments: [erasure])
    return (count ?? 0, remainders)
  }

  private func requireKnown() throws {
    let holders = try CustomerEntries(rows: database).holders(of: customer)
    guard !AccountToken.isToken(customer) || holders.allSatisfy({ $0 == customer }) else {
      throw LedgerError(
        .refusedEntry, "This account token is linked to a customer, whose own id must be erased. Nothing was written.",
        .findCustomer)
    }
    for id in ids {
      let isThere = try database.has(
        """
        SELECT 1 FROM customer WHERE customer = ?1
        UNION ALL SELECT 1 FROM int_identifier WHERE identifier = ?1 AND kind = 'app_account_token'
        UNION ALL SELECT 1 FROM client_event WHERE customer = ?1
        UNION ALL SELECT 1 FROM client_event WHERE app_account_token = ?1
        """, [id])
      if isThere { return }
    }
    throw LedgerError(
      .refusedEntry, "Nothing in the ledger names this customer.", .findCustomer)
  }

  // MARK: - Texts

  /// Returns the rows of a table whose text may name the person. The text contains the id, or a signed text or an
  /// escape that can hide it.
  private func candidates(_ table: String) throws -> [Int64] {
    let conditions = ids.enumerated().map { index, id in
      var holds = "instr(lower(w.source), lower(?1)) > 0 OR instr(lower(f.text), lower(?1)) > 0"
      // A column has the token in place of the text (see TemplateColumn).
      if ["transaction_info", "renewal_info"].contains(table) { holds += " OR lower(w.app_account_token) = lower(?1)" }
      holds = holds.replacing("?1", with: "?\(index + 1)")
      return IdentifierEraser.isUnmistakable(id) ? "(\(holds))" : "((\(holds)) AND (\(Self.namesPerson)))"
    }
    return try Int64.fetchAll(
      database,
      sql: """
        SELECT w.\(table)_id FROM \(table) w LEFT JOIN text_template f ON f.template_id = w.template_id
        WHERE \(conditions.joined(separator: " OR ")) OR instr(w.source, 'eyJ') > 0 OR instr(w.source, '\\') > 0
        ORDER BY 1
        """, arguments: StatementArguments(ids))
  }

  /// A text that has a template stores its keys there.
  private static let namesPerson = ["ccountToken", "account_token", "customer", "applicationUsername"]
    .map { "instr(COALESCE(f.text, w.source), '\($0)') > 0" }.joined(separator: " OR ")

  /// The tables whose texts can have a template.
  static let textTables = (PayloadLayout.Kind.objects + [.payload]).map(\.table)

  /// Selects the templates that texts use.
  static let usesOfTemplates =
    "SELECT template_id FROM ("
    + textTables.map { "SELECT template_id FROM \($0) WHERE template_id IS NOT NULL" }.joined(separator: " UNION ALL ")
    + ")"

  /// Returns the text of an object or payload, and its digest.
  func text(_ table: String, _ id: Int64) throws -> (source: [UInt8], digest: Data)? {
    try SourceText(database).source(table, id)
  }

  /// Removes templates that name the person. Rewritten texts are stored whole, so nothing uses these templates any more.
  private func eraseTemplates() throws {
    for id in ids {
      try database.execute(
        sql: """
          DELETE FROM text_template WHERE instr(lower(text), lower(?)) > 0
            AND template_id NOT IN (\(Self.usesOfTemplates))
          """, arguments: [id])
    }
  }

  func mark(_ kind: String, _ digest: Data) throws {
    let arguments: StatementArguments = [kind, digest, erasure]
    if try database.has("SELECT 1 FROM erased_text WHERE kind = ? AND digest = ? AND erasure_id = ?", arguments) {
      return
    }
    try transaction.insert("erased_text", ["kind": kind, "digest": digest, "erasure_id": erasure])
  }

  private func eraseObjects() throws {
    for table in PayloadLayout.Kind.objects.map(\.table) {
      for id in try candidates(table) {
        guard let whole = try text(table, id), let text = eraser.erased(whole.source) else { continue }
        try database.execute(
          sql: "UPDATE \(table) SET source = ?, template_id = NULL WHERE \(table)_id = ?", arguments: [text.text, id])
        try mark(table, whole.digest)
      }
    }
  }

  private func erasePayloads() throws {
    var ids = Set(try candidates("payload"))
    for id in self.ids {
      ids.formUnion(
        try Int64.fetchAll(
          database, sql: "SELECT payload_id FROM client_event WHERE customer = ?1 OR app_account_token = ?1",
          arguments: [id]))
    }
    for id in ids.sorted() { try erasePayload(id) }
    try markAround()
  }

  /// Marks the payloads that contain a rewritten text, and removes their receipts.
  func markAround() throws {
    // A payload is returned together with the objects and payloads in it, so it is no longer as it was recorded.
    let objects = PayloadLayout.Kind.objects.map { kind in
      """
      SELECT v.payload_id FROM \(kind.versionTable) v JOIN \(kind.table) w USING (\(kind.table)_id)
      WHERE w.digest IN (SELECT digest FROM erased_text WHERE kind = '\(kind.table)' AND erasure_id = ?1)
      """
    }.joined(separator: " UNION ")
    let payloads = try Data.fetchAll(
      database,
      sql: """
        WITH RECURSIVE touched (payload_id) AS (
          \(objects)
          UNION
          SELECT p.payload_id FROM payload p
          WHERE p.digest IN (SELECT digest FROM erased_text WHERE kind = 'payload' AND erasure_id = ?1)
          UNION
          SELECT b.payload_id FROM payload_part b JOIN touched t ON b.part_id = t.payload_id
        )
        SELECT p.digest FROM touched JOIN payload p USING (payload_id)
        """, arguments: [erasure])
    for digest in payloads {
      try mark("payload", digest)
      try removeReceipts(of: digest)
    }
  }

  /// Removes the receipts of a payload. They are opaque and may contain the person's token, so all of them go.
  private func removeReceipts(of payload: Data) throws {
    let source = try String.fetchOne(
      database,
      sql: "SELECT t.source FROM payload p JOIN payload_rest_text t USING (payload_id) WHERE p.digest = ?",
      arguments: [payload])
    for digest in try Data.fetchAll(
      database, sql: "SELECT digest FROM receipt_data WHERE instr(?, 'sha256:' || lower(hex(digest))) > 0",
      arguments: [source])
    {
      try database.execute(sql: "DELETE FROM receipt_data WHERE digest = ?", arguments: [digest])
      try mark("receipt_data", digest)
    }
  }

  /// Rewrites the text of a payload, and moves the positions of the objects and payloads in it.
  private func erasePayload(_ id: Int64) throws {
    guard let (source, digest) = try text("payload", id) else { return }
    var layout = PayloadLayout(
      try String.fetchOne(database, sql: "SELECT layout FROM payload WHERE payload_id = ?", arguments: [id]))
    guard !layout.parts.isEmpty else {
      guard let text = eraser.erased(source) else { return }
      return try store(text, layout, digest, id)
    }
    var text: [UInt8] = []
    var isChanged = false
    var copied = 0
    func copy(to position: Int) {
      let piece = Array(source[copied..<position])
      let erased = eraser.erasedFragment(piece)
      isChanged = isChanged || erased != nil
      text += erased ?? piece
      copied = position
    }
    for index in layout.parts.indices {
      copy(to: layout.parts[index].position)
      layout.parts[index].position = text.count
    }
    copy(to: source.count)
    if isChanged { try store(text, layout, digest, id) }
  }

  private func store(_ text: [UInt8], _ layout: PayloadLayout, _ digest: Data, _ id: Int64) throws {
    try database.execute(
      sql: "UPDATE payload SET source = ?, template_id = NULL, layout = ? WHERE payload_id = ?",
      arguments: [text.text, layout.text, id])
    try mark("payload", digest)
  }

  private func eraseQuarantine() throws {
    for id in try Int64.fetchAll(database, sql: "SELECT quarantine_id FROM quarantine") {
      let parts = try Data.fetchAll(
        database, sql: "SELECT bytes FROM quarantine_bytes WHERE quarantine_id = ? ORDER BY ordinal", arguments: [id])
      guard let text = eraser.erased(parts.flatMap(\.self)) else { continue }
      try storeQuarantined(text, id)
    }
  }

  /// Replaces the text of an entry in quarantine.
  func storeQuarantined(_ text: [UInt8], _ id: Int64) throws {
    try database.execute(sql: "DELETE FROM quarantine_bytes WHERE quarantine_id = ?", arguments: [id])
    for (ordinal, start) in stride(from: 0, to: text.count, by: 1 << 20).enumerated() {
      try transaction.insert(
        "quarantine_bytes",
        [
          "quarantine_id": id, "ordinal": ordinal,
          "bytes": Array(text[start..<min(start + 1 << 20, text.count)]).data,
        ])
    }
    let digest = try Data.fetchOne(
      database, sql: "SELECT digest FROM quarantine WHERE quarantine_id = ?", arguments: [id])
    if let digest { try mark("quarantine", digest) }
  }

  // MARK: - Columns

  private func eraseColumns() throws {
    try database.execute(
      sql: """
        UPDATE customer_note SET text = '(forgotten)'
        WHERE customer_key = (SELECT customer_key FROM customer WHERE customer = ?)
        """, arguments: [customer])
    for (index, id) in ([customer] + ids.filter { $0 != customer }).enumerated() {
      // Staff used an account token of the person as a customer's id. This is a second row for one person.
      try database.execute(
        sql: "UPDATE customer SET customer = ?2 WHERE customer = ?1",
        arguments: [id, index == 0 ? pseudonym : "\(pseudonym)-\(index + 1)"])
      let keys =
        "SELECT original_transaction_key FROM int_identifier WHERE identifier = ?1 AND kind = 'app_account_token'"
      for (table, owners) in [
        (
          "transaction_info",
          "transaction_key IN (SELECT transaction_key FROM transaction_version WHERE original_transaction_key IN (\(keys)))"
        ), ("renewal_info", "original_transaction_key IN (\(keys))"),
      ] {
        try database.execute(
          sql: "UPDATE \(table) SET app_account_token = ?2 WHERE app_account_token = ?1 AND \(owners)",
          arguments: [id, pseudonym])
      }
      try database.execute(
        sql:
          "UPDATE original_transaction_identifier SET identifier = ?2 WHERE identifier = ?1 AND kind = 'app_account_token'",
        arguments: [id, pseudonym])
      // An entry may name an original transaction whose id equals the customer's id. That id is Apple's, and stays.
      if AccountToken.isToken(id) || id != customer {
        try database.execute(
          sql: "UPDATE customer_link_entry SET identifier = ?2 WHERE identifier = ?1", arguments: [id, pseudonym])
      }
      for (table, column) in [
        ("client_event", "customer"), ("client_event", "app_account_token"), ("access_log_entry", "customer"),
      ] {
        // Upper and lower case do not matter in an e-mail address.
        let other = id.contains("@") ? " OR lower(\(column)) = lower(?1)" : ""
        try database.execute(
          sql: "UPDATE \(table) SET \(column) = ?2 WHERE \(column) = ?1\(other)", arguments: [id, pseudonym])
      }
      for prefix in ["customer ", "token ", "device "] {
        try database.execute(
          sql:
            "UPDATE client_event SET queue = ?2 WHERE queue = ?1 OR (instr(?1, '@') > 0 AND lower(queue) = lower(?1))",
          arguments: [prefix + id, prefix + pseudonym])
      }
    }
    // Two tokens of the person now have one pseudonym, so the targets of links change.
    try transaction.rebuildLinkTargets()
  }

  /// Columns with texts that people wrote, which may mention the person.
  static let words = [
    ("customer_link_entry", "reason", "entry_id"), ("customer_link_entry", "author", "entry_id"),
    ("access_grant", "reason", "grant_id"), ("access_grant", "author", "grant_id"),
    ("access_grant_revocation", "reason", "revocation_id"), ("access_grant_revocation", "author", "revocation_id"),
    ("seat_claim", "reason", "claim_id"), ("seat_claim", "author", "claim_id"),
    ("seat_unclaim", "reason", "unclaim_id"), ("seat_unclaim", "author", "unclaim_id"),
    ("customer_note", "text", "note_id"), ("customer_note", "author", "note_id"), ("origin", "name", "origin_id"),
    ("client_event", "error_message", "payload_id"), ("client_event", "device", "payload_id"),
    ("client_event", "error_domain", "payload_id"), ("quarantine", "path", "quarantine_id"),
    ("quarantine", "detail", "quarantine_id"), ("quarantine", "advice", "quarantine_id"),
    ("access_log_entry", "reason", "entry_id"), ("access_log_entry", "user_name", "entry_id"),
    ("api_token", "reason", "token_key"), ("api_token", "author", "token_key"),
    ("api_token_secret", "author", "secret_id"),
    ("api_token_revocation", "reason", "token_key"), ("api_token_revocation", "author", "token_key"),
    ("staff_user", "reason", "staff_user_key"), ("staff_user", "author", "staff_user_key"),
    ("staff_user_role", "reason", "entry_id"), ("staff_user_role", "author", "entry_id"),
  ]

  private func eraseWords() throws {
    for (table, column, key) in Self.words {
      for row in try Row.fetchAll(
        database, sql: "SELECT \(key), \(column) FROM \(table) WHERE \(column) IS NOT NULL")
      {
        guard let text = eraser.erasedWords(row[column]) else { continue }
        try database.execute(
          sql: "UPDATE \(table) SET \(column) = ? WHERE \(key) = ?", arguments: [text, row[key] as Int64])
      }
    }
    for row in try Row.fetchAll(database, sql: "SELECT payload_id, ordinal, value FROM problem") {
      guard let value = eraser.erasedFragment(Array((row["value"] as String).utf8)) else { continue }
      try database.execute(
        sql: "UPDATE problem SET value = ? WHERE payload_id = ? AND ordinal = ?",
        arguments: [value.text, row["payload_id"] as Int64, row["ordinal"] as Int64])
    }
  }
}
