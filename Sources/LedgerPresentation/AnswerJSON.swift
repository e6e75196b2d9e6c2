import AppStore
import Ledger

/// Answers of the ledger as JSON, with the same members on the command line and over HTTP.
package enum AnswerJSON {
  /// Returns whether a customer has an entitlement, and what decided.
  package static func check(
    _ answer: AccessAnswer, _ customer: String, _ entitlement: String, in environment: Environment
  ) -> JSONText.Members {
    var access: CustomerAccess?
    if case .decided(let decided) = answer { access = decided }
    return JSONText.members([
      "has_access": .flag(access?.hasAccess ?? false),
      "state": Value(access?.state),
      "access_ends_at": Value(access?.accessEndsAt),
      "product_id": Value(access?.productID),
      "original_transaction_id": Value(access?.originalTransactionID),
      "rule": .text(rule(answer)),
      "evidence_at": Value(access?.evidenceAt),
      "basis": Value(access?.basis),
      "confirmed": Value(access?.isConfirmed),
      "is_contradictory": Value(access?.isContradictory),
      "trust": Value(access?.trust),
      "added_root": Value(access?.addedRoot),
      "claimants": Value(access?.claimantCount),
      "customer": .text(access?.customer ?? AccountToken.normalized(customer)),
      "entitlement": .text(entitlement),
      "environment": .text(environment.name),
    ])
  }

  /// Returns the name of the rule that decided, or of the reason why none did.
  private static func rule(_ answer: AccessAnswer) -> String {
    switch answer {
    case .decided(let access): access.rule.rawValue
    case .nothing: "nothing"
    case .unknownCustomer: "unknown_customer"
    case .unknownEntitlement: "unknown_entitlement"
    }
  }

  /// Returns one entitlement of a customer as a JSON object.
  package static func access(_ access: CustomerAccess) -> String {
    JSONText.object([
      "entitlement": .text(access.entitlement),
      "environment": .text(access.environment),
      "has_access": .flag(access.hasAccess),
      "state": Value(access.state),
      "access_ends_at": Value(access.accessEndsAt),
      "product_id": Value(access.productID),
      "original_transaction_id": Value(access.originalTransactionID),
      "basis": Value(access.basis),
      "rule": Value(access.rule),
      "confirmed": .flag(access.isConfirmed),
      "is_contradictory": .flag(access.isContradictory),
      "trust": Value(access.trust),
      "added_root": Value(access.addedRoot),
      "claimants": .integer(Int64(access.claimantCount)),
    ])
  }

  /// Returns whether a customer may start a purchase, with every obstacle.
  package static func clearance(_ clearance: PurchaseClearance) -> JSONText.Members {
    let first = clearance.obstacles.first
    let obstacles = clearance.obstacles.map {
      JSONText.object([
        "reason": .text($0.reason.rawValue),
        "since": Value($0.since),
        "until": Value($0.until),
        "transaction_id": Value($0.transactionID),
        "will_renew": Value($0.willRenew),
      ])
    }
    return [
      ("may_purchase", clearance.mayPurchase ? "true" : "false"),
      ("reason", JSONText.value(Value(first?.reason))), ("until", JSONText.value(Value(first?.until))),
      ("obstacles", JSONText.array(obstacles)),
    ]
  }

  /// Returns one event of a history as a JSON object, with its sentence.
  package static func event(_ event: HistoryEvent) -> String {
    JSONText.object([
      "happened_at": .instant(event.happenedAt),
      "recorded_at": .instant(event.recordedAt),
      "event": Value(event.kind),
      "transaction_id": Value(event.transactionID),
      "product_id": Value(event.productID),
      "detail": Value(event.detail),
      "second_detail": Value(event.secondDetail),
      "related_at": Value(event.relatedAt),
      "payload": .text(event.payload.hexadecimal),
      "sentence": .text(Messages.event(event)),
      "is_inferred": .flag(event.isInferred),
    ])
  }

  /// Returns the rule that decided, its words and the evidence behind it as a JSON object.
  package static func explanation(
    _ entitlement: Entitlement, _ evidence: [CitedVersion], _ signed: Entitlement?
  ) -> String {
    let versions = evidence.map { version in
      JSONText.object([
        "role": Value(version.role),
        "is_decisive": .flag(version.isDecisive),
        "evidence_at": .instant(version.evidenceAt),
        "recorded_at": .instant(version.recordedAt),
        "trust": Value(version.trust),
        "kind": Value(version.kind),
        "origin": .text(version.origin),
        "source_line": Value(version.sourceLine),
        "payload": .text(version.payload.hexadecimal),
        "source": .text(version.source),
        "is_erased": .flag(version.isErased),
        "is_inferred": .flag(version.isInferred),
        "is_contradictory": .flag(version.isContradictory),
        "added_root": Value(version.addedRoot),
      ])
    }
    let alternative = signed.map { JSONText.object($0) } ?? "null"
    return "{\"entitlement\": \(JSONText.object(entitlement)), "
      + "\"against_signed\": \(alternative), \"explanation\": \(JSONText.string(Messages.rule(entitlement))), "
      + "\"evidence\": [\(versions.joined(separator: ", "))]}"
  }
}
