import AppStore
import Ledger

/// Answers of the ledger as JSON, with the same members on the command line and over HTTP.
package enum AnswerJSON {
  /// The members of an object, in their order. Each value is JSON.
  package typealias Members = [(name: String, json: String)]

  /// Returns members for columns and their values.
  package static func members(_ names: [String], _ values: [Value]) -> Members {
    zip(names, values).map { (name: $0, json: JSONText.value($1)) }
  }

  /// Returns whether a customer has an entitlement, and what decided.
  package static func check(
    _ answer: AccessAnswer, _ customer: String, _ entitlement: String, in environment: Environment
  ) -> Members {
    var access: CustomerAccess?
    if case .decided(let decided) = answer { access = decided }
    return members(
      [
        "has_access", "state", "access_ends_at", "product_id", "original_transaction_id", "rule", "evidence_at",
        "basis", "confirmed", "is_contradictory", "trust", "added_root",
        "claimants", "customer", "entitlement", "environment",
      ],
      [
        .flag(access?.hasAccess ?? false), .optional(access?.state.rawValue), .optional(access?.accessEndsAt),
        .optional(access?.productID), .optional(access?.originalTransactionID), .text(rule(answer)),
        .optional(access?.evidenceAt), .optional(access?.basis), access.map { .flag($0.isConfirmed) } ?? .null,
        access.map { .flag($0.isContradictory) } ?? .null, .optional(access?.trust), .optional(access?.addedRoot),
        access.map { .integer(Int64($0.claimantCount)) } ?? .null,
        .text(access?.customer ?? AccountToken.normalized(customer)), .text(entitlement),
        .text(environment.name),
      ])
  }

  /// Returns the name of the rule that decided, or of the reason why none did.
  private static func rule(_ answer: AccessAnswer) -> String {
    switch answer {
    case .decided(let access): access.rule
    case .nothing: "nothing"
    case .unknownCustomer: "unknown_customer"
    case .unknownEntitlement: "unknown_entitlement"
    }
  }

  /// Returns one entitlement of a customer as a JSON object.
  package static func access(_ access: CustomerAccess) -> String {
    JSONText.object(
      [
        "entitlement", "environment", "has_access", "state", "access_ends_at", "product_id",
        "original_transaction_id", "basis", "rule", "confirmed", "is_contradictory", "trust",
        "added_root", "claimants",
      ],
      [
        .text(access.entitlement), .text(access.environment), .flag(access.hasAccess), .text(access.state.rawValue),
        .optional(access.accessEndsAt), .optional(access.productID), .optional(access.originalTransactionID),
        .text(access.basis), .text(access.rule), .flag(access.isConfirmed), .flag(access.isContradictory),
        .optional(access.trust), .optional(access.addedRoot), .integer(Int64(access.claimantCount)),
      ])
  }

  /// Returns whether a customer may start a purchase, with every obstacle.
  package static func clearance(_ clearance: PurchaseClearance) -> Members {
    let first = clearance.obstacles.first
    let obstacles = clearance.obstacles.map {
      JSONText.object(
        ["reason", "since", "until", "transaction_id", "will_renew"],
        [
          .text($0.reason), .optional($0.since), .optional($0.until), .optional($0.transactionID),
          $0.willRenew.map(Value.flag) ?? .null,
        ])
    }
    return [
      ("may_purchase", clearance.mayPurchase ? "true" : "false"),
      ("reason", JSONText.value(.optional(first?.reason))), ("until", JSONText.value(.optional(first?.until))),
      ("obstacles", JSONText.array(obstacles)),
    ]
  }

  /// Returns one event of a history as a JSON object, with its sentence.
  package static func event(_ event: HistoryEvent) -> String {
    JSONText.object(
      [
        "happened_at", "recorded_at", "event", "transaction_id", "product_id", "detail", "more", "instant",
        "payload", "words", "is_inferred",
      ],
      [
        .instant(event.happenedAt), .instant(event.recordedAt), .text(event.event),
        .optional(event.transactionID), .optional(event.productID), .optional(event.detail),
        .optional(event.more), .optional(event.instant), .text(event.payload.hexadecimal),
        .text(Messages.event(event)), .flag(event.isInferred),
      ])
  }

  /// Returns the rule that decided, its words and the evidence behind it as a JSON object.
  package static func explanation(
    _ entitlement: Entitlement, _ evidence: [CitedVersion], _ signed: Entitlement?
  ) -> String {
    let versions = evidence.map { version in
      JSONText.object(
        [
          "role", "is_decisive", "evidence_at", "recorded_at", "trust", "kind", "origin", "source_line", "payload",
          "source", "is_erased", "is_inferred", "is_contradictory", "added_root",
        ],
        [
          .text(version.role), .flag(version.isDecisive), .instant(version.evidenceAt), .instant(version.recordedAt),
          .text(version.trust), .text(version.kind), .text(version.origin),
          version.sourceLine.map { .integer(Int64($0)) } ?? .null, .text(version.payload.hexadecimal),
          .text(version.source), .flag(version.isErased), .flag(version.isInferred), .flag(version.isContradictory),
          .optional(version.addedRoot),
        ])
    }
    let alternative = signed.map { JSONText.object(Entitlement.columns, $0.values) } ?? "null"
    return "{\"entitlement\": \(JSONText.object(Entitlement.columns, entitlement.values)), "
      + "\"against_signed\": \(alternative), \"explanation\": \(JSONText.string(Messages.rule(entitlement))), "
      + "\"evidence\": [\(versions.joined(separator: ", "))]}"
  }
}
