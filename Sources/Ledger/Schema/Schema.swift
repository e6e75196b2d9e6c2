internal import Crypto
internal import GRDB
internal import Synchronization

/// The steps and views of `Migrations/`, in order, as they are embedded in the program.
enum Schema {
  struct Script: Sendable {
    let name: String
    let sql: String

    init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      sql = String(decoding: bytes, as: UTF8.self)
    }

    /// The same text as another view, over other relations.
    /// - Parameter names: what stands in place of which names, this script's own among them.
    func again(_ names: [String: String]) -> Script {
      Script(names[name] ?? name, Array(sql.replacingWords(names).utf8))
    }
  }

  /// Numbered steps: never edited once landed.
  static let migrations: [Script] = [
    Script("0001_create_payloads", PackageResources._001_create_payloads_sql),
    Script("0002_create_statements", PackageResources._002_create_statements_sql),
    Script("0003_create_notifications", PackageResources._003_create_notifications_sql),
    Script("0004_create_projections", PackageResources._004_create_projections_sql),
    Script("0005_refuse_changes", PackageResources._005_refuse_changes_sql),
    Script("0006_refuse_replacements", PackageResources._006_refuse_replacements_sql),
    Script("0007_create_products", PackageResources._007_create_products_sql),
    Script("0008_create_customers", PackageResources._008_create_customers_sql),
    Script("0009_create_client_events", PackageResources._009_create_client_events_sql),
    Script("0010_create_identifiers", PackageResources._010_create_identifiers_sql),
    Script("0011_create_erasures", PackageResources._011_create_erasures_sql),
    Script("0012_refuse_more_changes", PackageResources._012_refuse_more_changes_sql),
    Script("0013_complete_indexes", PackageResources._013_complete_indexes_sql),
    Script("0014_keep_what_was_known", PackageResources._014_keep_what_was_known_sql),
    Script("0015_create_text_forms", PackageResources._015_create_text_forms_sql),
    Script("0016_refuse_replacements_at_once", PackageResources._016_refuse_replacements_at_once_sql),
    Script("0017_seal_evidence", PackageResources._017_seal_evidence_sql),
    Script("0018_measure", PackageResources._018_measure_sql),
    Script("0019_find_what_could_not_be_read", PackageResources._019_find_what_could_not_be_read_sql),
    Script("0020_name_who_is_believed", PackageResources._020_name_who_is_believed_sql),
  ]

  /// The step since which evidence is sealed: what a file held before it is sealed as it stands.
  static let sealingStep = "0017_seal_evidence"

  /// Views, each after those that it reads. Edited in place: a newer program recreates them.
  static let views: [Script] = [
    Script("question", PackageResources.question_sql),
    Script("asked", PackageResources.asked_sql),
    Script("payload_instant", PackageResources.payload_instant_sql),
    Script("line_kept", PackageResources.line_kept_sql),
    Script("asked_generally", PackageResources.asked_generally_sql),
    Script("asked_unsettled", PackageResources.asked_unsettled_sql),
    Script("asked_in_full", PackageResources.asked_in_full_sql),
    Script("version_contradicted", PackageResources.version_contradicted_sql),
    Script("transaction_interval", PackageResources.transaction_interval_sql),
    Script("transaction_derived", PackageResources.transaction_derived_sql),
    Script("renewal_derived", PackageResources.renewal_derived_sql),
    Script("transaction_kept", PackageResources.transaction_kept_sql),
    Script("transaction_at", PackageResources.transaction_at_sql),
    Script("head_instant", PackageResources.head_instant_sql),
    Script("line_head", PackageResources.line_head_sql),
    Script("line_evidence", PackageResources.line_evidence_sql),
    Script("line_fact_settled", PackageResources.line_fact_settled_sql),
    Script("line_fact_unsettled", PackageResources.line_fact_unsettled_sql),
    Script("line_fact", PackageResources.line_fact_sql),
    entitlementFact, entitlementRule, entitlementState,
    Script("entitlement", PackageResources.entitlement_sql),
    Script("product", PackageResources.product_sql),
    Script("product_entitlement", PackageResources.product_entitlement_sql),
    Script("catalogue_app", PackageResources.catalogue_app_sql),
    Script("product_type_told", PackageResources.product_type_told_sql),
    Script("one_time_purchase", PackageResources.one_time_purchase_sql),
    Script("transaction_signed", PackageResources.transaction_signed_sql),
    Script("transaction_current", PackageResources.transaction_current_sql),
    Script("expiring", PackageResources.expiring_sql),
    Script("data_quality", PackageResources.data_quality_sql),
    Script("renewal_change", PackageResources.renewal_change_sql),
    Script("transaction_first", PackageResources.transaction_first_sql),
    Script("transaction_telling", PackageResources.transaction_telling_sql),
    Script("line_event", PackageResources.line_event_sql),
    Script("line_notification", PackageResources.line_notification_sql),
    Script("refund_request", PackageResources.refund_request_sql),
    Script("line_name", PackageResources.line_name_sql),
    Script("line_entry", PackageResources.line_entry_sql),
    Script("customer_line", PackageResources.customer_line_sql),
    Script("customer_reach", PackageResources.customer_reach_sql),
    Script("access_given", PackageResources.access_given_sql),
    Script("customer_access", PackageResources.customer_access_sql),
    Script("customer_entitlement", PackageResources.customer_entitlement_sql),
    Script("asked_queue", PackageResources.asked_queue_sql),
    Script("client_event_step", PackageResources.client_event_step_sql),
    Script("client_report", PackageResources.client_report_sql),
    Script("client_completion", PackageResources.client_completion_sql),
    Script("client_attempt", PackageResources.client_attempt_sql),
    Script("purchase_attempt", PackageResources.purchase_attempt_sql),
    statementText,
    signedStatementText,
    statementText.again(payloadRests),
    Script("payload_object_text", PackageResources.payload_object_text_sql),
    Script("payload_own_text", PackageResources.payload_own_text_sql),
    signedStatementText.again(payloadTexts),
    Script("payload_text", PackageResources.payload_text_sql),
    Script("line_term", PackageResources.line_term_sql),
    Script("line_word", PackageResources.line_word_sql),
    Script("line_heard", PackageResources.line_heard_sql),
    Script("passage", PackageResources.passage_sql),
    entitlementFact.again(passages), entitlementRule.again(passages), entitlementState.again(passages),
    Script("line_span", PackageResources.line_span_sql),
    Script("period_access", PackageResources.period_access_sql),
    Script("transaction_fact", PackageResources.transaction_fact_sql),
    Script("line_stage", PackageResources.line_stage_sql),
    Script("posting_of_stage", PackageResources.posting_of_stage_sql),
    Script("posting_of_transaction", PackageResources.posting_of_transaction_sql),
    Script("posting_of_payment", PackageResources.posting_of_payment_sql),
    Script("posting_of_notification", PackageResources.posting_of_notification_sql),
    Script("posting_derived", PackageResources.posting_derived_sql),
    Script("metric_measure", PackageResources.metric_measure_sql),
    Script("report_request", PackageResources.report_request_sql),
    Script("report_day", PackageResources.report_day_sql),
    Script("report_period", PackageResources.report_period_sql),
    Script("exchange_rate", PackageResources.exchange_rate_sql),
    Script("posting", PackageResources.posting_sql),
    Script("posting_day", PackageResources.posting_day_sql),
    Script("posting_period", PackageResources.posting_period_sql),
    Script("metric_figure", PackageResources.metric_figure_sql),
  ]

  private static let entitlementFact = Script("entitlement_fact", PackageResources.entitlement_fact_sql)
  private static let entitlementRule = Script("entitlement_rule", PackageResources.entitlement_rule_sql)
  private static let entitlementState = Script("entitlement_state", PackageResources.entitlement_state_sql)

  /// The rules are written once, and read once more over every instant of a line's life at which an answer may change.
  private static let passages = [
    "line_fact": "passage", "entitlement_fact": "passage_fact", "entitlement_rule": "passage_rule",
    "entitlement_state": "passage_state",
  ]

  private static let signedStatementText = Script(
    "signed_statement_text", PackageResources.signed_statement_text_sql)

  private static let statementText = Script("statement_text", PackageResources.statement_text_sql)

  /// What is left of a payload's text, without the objects in it, is put together as a statement's text is.
  private static let payloadRests = [
    "statement_text": "payload_rest_text", "statement": "payload", "statement_id": "payload_id",
  ]

  /// And a signed payload as a signed statement is.
  private static let payloadTexts = [
    "signed_statement_text": "signed_payload_text", "statement": "payload", "statement_id": "payload_id",
    "statement_text": "payload_own_text",
  ]

  /// What every table, view and column is for: words about the schema, and no part of it.
  static let dictionary = Script("dictionary", PackageResources.dictionary_sql)

  /// Questions that are asked of every ledger.
  static let examples = Script("examples", PackageResources.examples_sql)

  /// Views that ask, and that views read as parameters: elsewhere they are tables, to be filled.
  static let parameterRelations = ["question", "report_request", "report_day"]

  /// "subl": tells a ledger from any other SQLite file.
  static let applicationID: Int32 = 0x7375_626C

  /// Changes whenever the text of a view does.
  static let viewDigest: String = {
    var hash = SHA256()
    for view in views { hash.update(data: Array(view.sql.utf8)) }
    return hash.finalize().prefix(16).map { String($0, radix: 16) }.joined()
  }()

  /// The steps that a file has had. (GRDB's migrator kept them first, and its table stays; but it commits each step by
  /// itself, and an upgrade is to happen whole or not at all.)
  static func applied(_ database: Database) throws -> Set<String> {
    guard try database.tableExists("grdb_migrations") else { return [] }
    return try Set(String.fetchAll(database, sql: "SELECT identifier FROM main.grdb_migrations"))
  }

  /// A number that changes whenever anything in the file's schema does.
  static func version(_ database: Database) throws -> Int? {
    try Int.fetchOne(database.cachedStatement(sql: "PRAGMA main.schema_version"))
  }

  /// Whether a file has every step.
  static func isComplete(_ database: Database) throws -> Bool {
    try applied(database).isSuperset(of: migrations.map(\.name))
  }

  /// Whether a file has steps that this program does not know.
  static func isSuperseded(_ database: Database) throws -> Bool {
    try !applied(database).isSubset(of: migrations.map(\.name))
  }

  /// Takes the steps that a file has not had, inside its caller's transaction.
  /// - Parameter last: take none after this one; `nil` for all.
  /// - Returns: their names.
  @discardableResult
  static func migrate(_ database: Database, upTo last: String? = nil) throws -> [String] {
    let applied = try applied(database)
    let names = migrations.map(\.name)
    let end = last.flatMap { names.firstIndex(of: $0) } ?? names.count - 1
    let missing = migrations[...end].filter { !applied.contains($0.name) }
    try database.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    for script in missing {
      try database.execute(sql: script.sql)
      try database.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [script.name])
    }
    return missing.map(\.name)
  }

  /// Whether the file's views have their present text: nearly always, and then opening it writes nothing.
  static func hasPresentViews(_ database: Database) throws -> Bool {
    try String.fetchOne(database, sql: "SELECT digest FROM view_text") == viewDigest
  }

  /// Brings the views to their present text, in one transaction with whatever its caller does.
  static func recreateViews(_ database: Database) throws {
    for name in try String.fetchAll(database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'view'") {
      try database.execute(sql: "DROP VIEW main.\(name.quotedDatabaseIdentifier)")
    }
    for view in views { try database.execute(sql: view.sql) }
    // What is kept for metrics was derived by the texts before.
    try database.execute(sql: "DELETE FROM main.projection_measured")
    try database.execute(sql: "DELETE FROM view_text")
    try database.execute(sql: "INSERT INTO view_text VALUES (?)", arguments: [viewDigest])
  }

  /// Lays the program's own views over the file's, on this connection alone, above other relations of questions: so the
  /// same texts answer for any instants, and a read-only or older file needs no change. Only those that are needed:
  /// SQLite spends more time on reading fifty views than on answering for a line.
  /// - Parameters:
  ///   - names: views, or relations that are there already.
  ///   - laid: what this connection has; added to.
  static func lay(_ names: [String], on database: Database, laid: inout Set<String>) throws {
    for name in names where !laid.contains(name) { try lay(name, as: name, on: database, laid: &laid) }
  }

  /// Lays one view over the file's under another name, so that a table can have its own.
  static func lay(_ name: String, as other: String, on database: Database, laid: inout Set<String>) throws {
    guard let view = part(name) else { return }
    // First, so that a mention of it further down, in a comment, leads nowhere.
    laid.insert(name)
    try lay(view.needs, on: database, laid: &laid)
    try database.execute(sql: "CREATE TEMP VIEW \(other) AS " + view.body)
  }

  /// A view's text from its SELECT on, and the views that it reads: found when it is first laid, and once, because every
  /// connection lays some.
  private static func part(_ name: String) -> Part? {
    parts.withLock { parts in
      if let part = parts[name] { return part }
      guard let view = views.first(where: { $0.name == name }) else { return nil }
      let part = Part(body: String(view.body), needs: view.needs)
      parts[name] = part
      return part
    }
  }

  private struct Part {
    var body: String
    var needs: [String]
  }

  private static let parts = Mutex<[String: Part]>([:])

  fileprivate static let viewNames = Set(views.map { Array($0.name.utf8)[...] })
}

extension Schema.Script {
  /// A view's text from its SELECT on.
  fileprivate var body: Substring {
    // The text opens with why, and every file says CREATE VIEW name AS on a line of its own.
    let head = "CREATE VIEW \(name) AS\n"
    var rest = Substring(sql)
    while !rest.hasPrefix(head), let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) {
      rest = rest[rest.utf8.index(after: end)...]
    }
    return rest.dropFirst(head.count)
  }

  /// The views that a view reads: the words of its text that are names of views. (Too many do no harm.)
  fileprivate var needs: [String] {
    var found: Set<ArraySlice<UInt8>> = []
    let text = Array(body.utf8)
    var start = 0
    for place in text.indices {
      let byte = text[place]
      if byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { continue }
      // No name is shorter than "asked".
      if place - start > 4, Schema.viewNames.contains(text[start..<place]) { found.insert(text[start..<place]) }
      start = place + 1
    }
    return found.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  /// The same text with other words in place of whole words (of letters and underscores).
  func replacingWords(_ words: [String: String]) -> String {
    var result = ""
    var word = ""
    func end() {
      result += words[word] ?? word
      word = ""
    }
    for character in self {
      if character.isLetter || character == "_" { word.append(character) } else { end(); result.append(character) }
    }
    end()
    return result
  }
}
