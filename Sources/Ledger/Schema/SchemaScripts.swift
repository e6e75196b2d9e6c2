extension Schema {
  /// Numbered steps: never edited once landed.
  static let migrations: [Script] = [
    Script("0001_payloads", PackageResources._001_payloads_sql),
    Script("0002_transactions", PackageResources._002_transactions_sql),
    Script("0003_notifications", PackageResources._003_notifications_sql),
    Script("0004_products", PackageResources._004_products_sql),
    Script("0005_customers", PackageResources._005_customers_sql),
    Script("0006_reports", PackageResources._006_reports_sql),
    Script("0007_projections", PackageResources._007_projections_sql),
    Script("0008_seals", PackageResources._008_seals_sql),
  ]

  /// What every table and view is for, and how the program treats it: words about the schema, and no part of it.
  static let manifest = Script("manifest", PackageResources.manifest_sql)

  /// Questions that are asked of every ledger.
  static let examples = Script("examples", PackageResources.examples_sql)

  /// Views, each after those that it reads. Edited in place: a newer program creates them again.
  static let views: [Script] = inOrder(written + repeated)

  /// The rules are written once, and read once more over every instant at which an answer may change.
  private static let passages = [
    "line_fact": "passage", "entitlement_fact": "passage_fact", "entitlement_rule": "passage_rule",
    "entitlement_state": "passage_state",
  ]

  /// What is left of a payload's text, without the objects in it, is put together as a statement's text is.
  private static let payloadRests = [
    "statement_text": "payload_rest_text", "statement": "payload", "statement_id": "payload_id",
  ]

  /// And a signed payload as a signed statement is.
  private static let payloadTexts = [
    "signed_statement_text": "signed_payload_text", "statement": "payload", "statement_id": "payload_id",
    "statement_text": "payload_own_text",
  ]

  /// The views whose text is that of another view over other relations.
  static let repetitions: [(view: String, names: [String: String])] = [
    ("entitlement_fact", passages), ("entitlement_rule", passages), ("entitlement_state", passages),
    ("statement_text", payloadRests), ("signed_statement_text", payloadTexts),
  ]

  private static let repeated: [Script] = repetitions.compactMap { view, names in
    written.first { $0.name == view }?.again(names)
  }

  /// The files of `Migrations/views`, in any order.
  private static let written: [Script] = [
    Script("access_given", PackageResources.access_given_sql),
    Script("asked", PackageResources.asked_sql),
    Script("asked_generally", PackageResources.asked_generally_sql),
    Script("asked_in_full", PackageResources.asked_in_full_sql),
    Script("asked_queue", PackageResources.asked_queue_sql),
    Script("asked_unsettled", PackageResources.asked_unsettled_sql),
    Script("catalogue_app", PackageResources.catalogue_app_sql),
    Script("client_attempt", PackageResources.client_attempt_sql),
    Script("client_completion", PackageResources.client_completion_sql),
    Script("client_event_step", PackageResources.client_event_step_sql),
    Script("client_report", PackageResources.client_report_sql),
    Script("customer_access", PackageResources.customer_access_sql),
    Script("customer_entitlement", PackageResources.customer_entitlement_sql),
    Script("customer_line", PackageResources.customer_line_sql),
    Script("customer_reach", PackageResources.customer_reach_sql),
    Script("data_quality", PackageResources.data_quality_sql),
    Script("entitlement", PackageResources.entitlement_sql),
    Script("entitlement_fact", PackageResources.entitlement_fact_sql),
    Script("entitlement_rule", PackageResources.entitlement_rule_sql),
    Script("entitlement_state", PackageResources.entitlement_state_sql),
    Script("exchange_rate", PackageResources.exchange_rate_sql),
    Script("expiring", PackageResources.expiring_sql),
    Script("head_instant", PackageResources.head_instant_sql),
    Script("line_entry", PackageResources.line_entry_sql),
    Script("line_event", PackageResources.line_event_sql),
    Script("line_evidence", PackageResources.line_evidence_sql),
    Script("line_fact", PackageResources.line_fact_sql),
    Script("line_fact_settled", PackageResources.line_fact_settled_sql),
    Script("line_fact_unsettled", PackageResources.line_fact_unsettled_sql),
    Script("line_head", PackageResources.line_head_sql),
    Script("line_heard", PackageResources.line_heard_sql),
    Script("line_kept", PackageResources.line_kept_sql),
    Script("line_name", PackageResources.line_name_sql),
    Script("line_notification", PackageResources.line_notification_sql),
    Script("line_span", PackageResources.line_span_sql),
    Script("line_stage", PackageResources.line_stage_sql),
    Script("line_term", PackageResources.line_term_sql),
    Script("line_word", PackageResources.line_word_sql),
    Script("metric_figure", PackageResources.metric_figure_sql),
    Script("metric_measure", PackageResources.metric_measure_sql),
    Script("one_time_purchase", PackageResources.one_time_purchase_sql),
    Script("passage", PackageResources.passage_sql),
    Script("payload_instant", PackageResources.payload_instant_sql),
    Script("payload_object_text", PackageResources.payload_object_text_sql),
    Script("payload_own_text", PackageResources.payload_own_text_sql),
    Script("payload_text", PackageResources.payload_text_sql),
    Script("period_access", PackageResources.period_access_sql),
    Script("posting", PackageResources.posting_sql),
    Script("posting_day", PackageResources.posting_day_sql),
    Script("posting_derived", PackageResources.posting_derived_sql),
    Script("posting_of_notification", PackageResources.posting_of_notification_sql),
    Script("posting_of_payment", PackageResources.posting_of_payment_sql),
    Script("posting_of_stage", PackageResources.posting_of_stage_sql),
    Script("posting_of_transaction", PackageResources.posting_of_transaction_sql),
    Script("posting_period", PackageResources.posting_period_sql),
    Script("product", PackageResources.product_sql),
    Script("product_entitlement", PackageResources.product_entitlement_sql),
    Script("product_type_told", PackageResources.product_type_told_sql),
    Script("purchase_attempt", PackageResources.purchase_attempt_sql),
    Script("question", PackageResources.question_sql),
    Script("refund_request", PackageResources.refund_request_sql),
    Script("renewal_change", PackageResources.renewal_change_sql),
    Script("renewal_derived", PackageResources.renewal_derived_sql),
    Script("report_day", PackageResources.report_day_sql),
    Script("report_period", PackageResources.report_period_sql),
    Script("report_request", PackageResources.report_request_sql),
    Script("signed_statement_text", PackageResources.signed_statement_text_sql),
    Script("statement_text", PackageResources.statement_text_sql),
    Script("transaction_at", PackageResources.transaction_at_sql),
    Script("transaction_current", PackageResources.transaction_current_sql),
    Script("transaction_derived", PackageResources.transaction_derived_sql),
    Script("transaction_fact", PackageResources.transaction_fact_sql),
    Script("transaction_first", PackageResources.transaction_first_sql),
    Script("transaction_interval", PackageResources.transaction_interval_sql),
    Script("transaction_kept", PackageResources.transaction_kept_sql),
    Script("transaction_signed", PackageResources.transaction_signed_sql),
    Script("transaction_telling", PackageResources.transaction_telling_sql),
    Script("version_contradicted", PackageResources.version_contradicted_sql),
  ]

  /// Puts each view after those that it reads; among those that could come next, the first by name.
  private static func inOrder(_ views: [Script]) -> [Script] {
    let names = Set(views.map(\.name))
    var waiting = views.sorted { $0.name < $1.name }.map { ($0, $0.needs(among: names)) }
    var ordered: [Script] = []
    var done: Set<String> = []
    while let next = waiting.firstIndex(where: { $0.1.isSubset(of: done) }) {
      let (view, _) = waiting.remove(at: next)
      done.insert(view.name)
      ordered.append(view)
    }
    precondition(waiting.isEmpty, "these views read each other: \(waiting.map(\.0.name))")
    return ordered
  }
}
