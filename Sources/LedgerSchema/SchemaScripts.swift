extension Schema {
  /// The numbered migrations, in the order in which a file takes them. A released migration is never edited.
  package static let migrations: [Script] = [
    Script("0001_payloads", PackageResources._001_payloads_sql),
    Script("0002_transactions", PackageResources._002_transactions_sql),
    Script("0003_notifications", PackageResources._003_notifications_sql),
    Script("0004_products", PackageResources._004_products_sql),
    Script("0005_customers", PackageResources._005_customers_sql),
    Script("0006_reports", PackageResources._006_reports_sql),
    Script("0007_projections", PackageResources._007_projections_sql),
    Script("0008_seals", PackageResources._008_seals_sql),
    Script("0009_look_ups", PackageResources._009_look_ups_sql),
    Script("0010_metric_delta_sums", PackageResources._010_metric_delta_sums_sql),
    Script("0011_server", PackageResources._011_server_sql),
    Script("0012_limits", PackageResources._012_limits_sql),
    Script("0013_entitlement_periods", PackageResources._013_entitlement_periods_sql),
    Script("0014_customers", PackageResources._014_customers_sql),
    Script("0015_versions", PackageResources._015_versions_sql),
  ]

  /// The script that describes every table and view, and states how the program treats it. It creates nothing.
  static let manifest = Script("manifest", PackageResources.manifest_sql)

  /// Queries that are useful for every ledger, as SQL text.
  static let examples = Script("examples", PackageResources.examples_sql)

  /// The views, each after the views that it reads. View files are edited in place: a newer program creates them again.
  package static let views: [Script] = inOrder(
    written + repetitions.compactMap { view, names in writtenByName[view]?.again(names) })

  /// The names of all views.
  package static let viewNames = Set(writtenByName.keys).union(repeatedByName.keys)

  /// Returns one view. A command needs few of them, so it does not wait until all are made and put in order.
  package static func view(_ name: String) -> Script? {
    writtenByName[name]
      ?? repeatedByName[name].flatMap { repetition in
        writtenByName[repetition.view]?.again(repetition.names)
      }
  }

  /// The texts that decide what the views are: the written ones, and the names that the repeated ones replace.
  static var viewTexts: [String] {
    let names = repetitions.map { view, names in
      ([view] + names.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }).joined(separator: " ")
    }
    return written.map(\.sql) + names
  }

  private static let writtenByName = Dictionary(uniqueKeysWithValues: written.map { ($0.name, $0) })
  private static let repeatedByName = Dictionary(
    uniqueKeysWithValues: repetitions.map { ($0.names[$0.view] ?? $0.view, $0) })

  /// New names that repeat the evidence instant of a version, for each kind of version.
  private static let versions = ["renewal_info_version", "status_claim"].map {
    ["transaction_version": $0, "stg_transaction_version": "stg_\($0)"]
  }

  /// New names that repeat the text of a transaction info. A renewal info, an app transaction info and a payload
  /// without its objects store their texts in the same form.
  private static let texts = [
    textNames("renewal_info", "renewal_info_text"), textNames("app_transaction_info", "app_transaction_info_text"),
    textNames("payload", "payload_rest_text"),
  ]

  /// New names that repeat the compact form of a signed text. For a payload it is made from the payload's own text,
  /// which includes the objects.
  private static let signedTexts = [
    textNames("renewal_info", "renewal_info_text"), textNames("app_transaction_info", "app_transaction_info_text"),
    textNames("payload", "payload_own_text"),
  ]

  private static func textNames(_ table: String, _ text: String) -> [String: String] {
    [
      "transaction_info": table, "transaction_info_id": "\(table)_id", "transaction_info_text": text,
      "transaction_info_value": "\(table)_value",
      "signed_transaction_info_text": "signed_\(table)_text",
    ]
  }

  /// Each written view that is repeated, with the names to replace in its text. The result is a view over other
  /// relations.
  static let repetitions: [(view: String, names: [String: String])] =
    versions.map { ("stg_transaction_version", $0) }
    + texts.map { ("transaction_info_text", $0) }
    + signedTexts.map { ("signed_transaction_info_text", $0) }

  /// The scripts of `Migrations/views`, in any order.
  private static let written: [Script] = [
    Script("app_transaction_info_value", PackageResources.app_transaction_info_value_sql),
    Script("customer_access", PackageResources.customer_access_sql),
    Script("customer_entitlement", PackageResources.customer_entitlement_sql),
    Script("customer_grant", PackageResources.customer_grant_sql),
    Script("customer_original_transaction", PackageResources.customer_original_transaction_sql),
    Script("data_quality", PackageResources.data_quality_sql),
    Script("entitlement", PackageResources.entitlement_sql),
    Script("entitlement_state", PackageResources.entitlement_state_sql),
    Script("exchange_rate", PackageResources.exchange_rate_sql),
    Script("expiring", PackageResources.expiring_sql),
    Script("history_event", PackageResources.history_event_sql),
    Script("int_catalogue_app", PackageResources.int_catalogue_app_sql),
    Script("int_change_instant", PackageResources.int_change_instant_sql),
    Script("int_client_attempt", PackageResources.int_client_attempt_sql),
    Script("int_client_completion", PackageResources.int_client_completion_sql),
    Script("int_client_report", PackageResources.int_client_report_sql),
    Script("int_current_transaction_info", PackageResources.int_current_transaction_info_sql),
    Script("int_current_transaction_version", PackageResources.int_current_transaction_version_sql),
    Script("int_customer_candidate", PackageResources.int_customer_candidate_sql),
    Script("int_customer_link", PackageResources.int_customer_link_sql),
    Script("int_customer_link_entry", PackageResources.int_customer_link_entry_sql),
    Script("int_customer_link_target", PackageResources.int_customer_link_target_sql),
    Script("int_customer_token", PackageResources.int_customer_token_sql),
    Script("int_deciding_period", PackageResources.int_deciding_period_sql),
    Script("int_entitlement_instant", PackageResources.int_entitlement_instant_sql),
    Script("int_entitlement_period", PackageResources.int_entitlement_period_sql),
    Script("int_first_transaction_version", PackageResources.int_first_transaction_version_sql),
    Script("int_identifier", PackageResources.int_identifier_sql),
    Script("int_known_identifier", PackageResources.int_known_identifier_sql),
    Script("int_last_evidence", PackageResources.int_last_evidence_sql),
    Script("int_linked_identifier", PackageResources.int_linked_identifier_sql),
    Script("int_notification", PackageResources.int_notification_sql),
    Script("int_original_transaction_evidence", PackageResources.int_original_transaction_evidence_sql),
    Script("int_period_access", PackageResources.int_period_access_sql),
    Script("int_projected_identifier", PackageResources.int_projected_identifier_sql),
    Script("int_refund_answer", PackageResources.int_refund_answer_sql),
    Script("int_refund_notification", PackageResources.int_refund_notification_sql),
    Script("int_renewal_info_change", PackageResources.int_renewal_info_change_sql),
    Script("int_renewal_info_history", PackageResources.int_renewal_info_history_sql),
    Script("int_renewal_info_instant", PackageResources.int_renewal_info_instant_sql),
    Script("int_renewal_info_rank", PackageResources.int_renewal_info_rank_sql),
    Script("int_renewal_info_tie", PackageResources.int_renewal_info_tie_sql),
    Script("int_scope_derived", PackageResources.int_scope_derived_sql),
    Script("int_scope_known", PackageResources.int_scope_known_sql),
    Script("int_signed_transaction_version", PackageResources.int_signed_transaction_version_sql),
    Script("int_sound_version", PackageResources.int_sound_version_sql),
    Script("int_subscription_phase", PackageResources.int_subscription_phase_sql),
    Script("int_transaction_version_history", PackageResources.int_transaction_version_history_sql),
    Script("int_transaction_version_interval", PackageResources.int_transaction_version_interval_sql),
    Script("metric_delta", PackageResources.metric_delta_sql),
    Script("metric_delta_by_day", PackageResources.metric_delta_by_day_sql),
    Script("metric_delta_by_period", PackageResources.metric_delta_by_period_sql),
    Script("metric_delta_derived", PackageResources.metric_delta_derived_sql),
    Script("metric_delta_of_notification", PackageResources.metric_delta_of_notification_sql),
    Script("metric_delta_of_payment", PackageResources.metric_delta_of_payment_sql),
    Script("metric_delta_of_phase", PackageResources.metric_delta_of_phase_sql),
    Script("metric_delta_of_transaction", PackageResources.metric_delta_of_transaction_sql),
    Script("metric_figure", PackageResources.metric_figure_sql),
    Script("metric_measure", PackageResources.metric_measure_sql),
    Script("one_time_purchase", PackageResources.one_time_purchase_sql),
    Script("param_clearance", PackageResources.param_clearance_sql),
    Script("param_query", PackageResources.param_query_sql),
    Script("param_queue_scope", PackageResources.param_queue_scope_sql),
    Script("param_report", PackageResources.param_report_sql),
    Script("param_report_day", PackageResources.param_report_day_sql),
    Script("param_report_period", PackageResources.param_report_period_sql),
    Script("param_scope", PackageResources.param_scope_sql),
    Script("param_subscription", PackageResources.param_subscription_sql),
    Script("payload_own_text", PackageResources.payload_own_text_sql),
    Script("payload_text", PackageResources.payload_text_sql),
    Script("payload_value", PackageResources.payload_value_sql),
    Script("product", PackageResources.product_sql),
    Script("product_entitlement", PackageResources.product_entitlement_sql),
    Script("purchase_attempt", PackageResources.purchase_attempt_sql),
    Script("refund_request", PackageResources.refund_request_sql),
    Script("renewal_info_value", PackageResources.renewal_info_value_sql),
    Script("rule_constant", PackageResources.rule_constant_sql),
    Script("rule_decision", PackageResources.rule_decision_sql),
    Script("rule_disagreement", PackageResources.rule_disagreement_sql),
    Script("rule_fact", PackageResources.rule_fact_sql),
    Script("rule_input", PackageResources.rule_input_sql),
    Script("rule_purchase_obstacle", PackageResources.rule_purchase_obstacle_sql),
    Script("signed_transaction_info_text", PackageResources.signed_transaction_info_text_sql),
    Script("state_history", PackageResources.state_history_sql),
    Script("stg_client_event", PackageResources.stg_client_event_sql),
    Script("stg_contradictory_payload", PackageResources.stg_contradictory_payload_sql),
    Script("stg_customer_link_target", PackageResources.stg_customer_link_target_sql),
    Script("stg_entitlement_period", PackageResources.stg_entitlement_period_sql),
    Script("stg_original_transaction_identifier", PackageResources.stg_original_transaction_identifier_sql),
    Script("stg_payload", PackageResources.stg_payload_sql),
    Script("stg_payload_trust", PackageResources.stg_payload_trust_sql),
    Script("stg_product_type", PackageResources.stg_product_type_sql),
    Script("stg_transaction", PackageResources.stg_transaction_sql),
    Script("stg_transaction_version", PackageResources.stg_transaction_version_sql),
    Script("transaction_current", PackageResources.transaction_current_sql),
    Script("transaction_fact", PackageResources.transaction_fact_sql),
    Script("transaction_info_text", PackageResources.transaction_info_text_sql),
    Script("transaction_info_value", PackageResources.transaction_info_value_sql),
  ]

  /// Puts each view after the views that it reads. If several views could come next, the first by name comes next.
  static func inOrder(_ views: [Script]) -> [Script] {
    let names = Set(views.map(\.name))
    let marks = Script.marks(of: names)
    var waiting = views.sorted { $0.name < $1.name }.map { ($0, $0.needs(among: names, marks: marks)) }
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
