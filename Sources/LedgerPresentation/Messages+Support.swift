import AppStore
import Ledger

/// The sentences for support staff, on the cards of customers and purchases.
extension Messages {
  /// Returns a number with its noun, with an s for every number except 1: `1 row`, `2 rows`.
  package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Returns why a part of a payload could not be used, or is doubtful.
  package static func problem(_ reason: UnreadMention.Reason) -> String {
    let words: String? =
      switch Problem.Code(rawValue: reason.code) {
      case .missingTransactionID: "the row has no transaction id"
      case .missingOriginalTransactionID: "the row has no original transaction id"
      case .missingPurchaseDate: "the row has no purchase date"
      case .unattributedRenewal: "the renewal names no subscription"
      case .notSigned: "this is not a signed text"
      case .emptySignedText: "this signed text is empty"
      case .unexpectedShape, .unexpectedContent: "this has not the form that its key requires"
      case .redactedID: "the id is blanked out"
      case .unreadRows: "the ledger does not read this key"
      case .contradictoryDate: "one date, stated as"
      case .dateAfterReceipt: "a date of more than a day after this was received"
      case .unreadableText, .unreadableNumber, .unreadableFlag, .unreadableInstant: "this cannot be read"
      case .impossibleQuantity: "this quantity is not possible"
      case .contradictoryQuantity: "the price tiers do not add up to the quantity"
      case .missingPriceTiers: "several seats, and only their average price"
      case .unknownValue, .contradictoryEnvironment, .periodEndsBeforeItBegins, .originalPurchaseAfterPurchase, nil: nil
      }
    let detail = Printable.text(reason.detail)
    return words.map { "\($0)\(detail.isEmpty ? "" : ": \(detail)")" } ?? "\(reason.code): \(detail)"
  }

  /// Returns the approximate time between two instants: `3 days`.
  package static func age(_ from: Instant, _ to: Instant) -> String {
    let seconds = max(0, (to.milliseconds - from.milliseconds) / 1000)
    switch seconds {
    case ..<120: return "a moment"
    case ..<7200: return count(Int(seconds / 60), "minute")
    case ..<172_800: return count(Int(seconds / 3600), "hour")
    default: return count(Int(seconds / 86_400), "day")
    }
  }

  /// Returns the warning about an environment other than Production, in capital letters.
  package static func environment(_ name: String) -> String {
    switch name {
    case Environment.unknown.name: "ENVIRONMENT NOT STATED"
    case Environment.unverified.name: "UNVERIFIED: NOBODY VOUCHES FOR IT"
    default: "\(Printable.text(name.uppercased())): NO REAL PURCHASE"
    }
  }

  /// Returns the warning about an environment; `nil` for Production.
  package static func environmentWarning(_ name: String) -> String? {
    name == Environment.production.name ? nil : environment(name)
  }

  /// Returns a state as words: `grace period`.
  package static func plainState(_ state: CustomerAccess.State) -> String {
    state.rawValue.replacing("_", with: " ")
  }

  /// Returns what will happen to a subscription: a renewal, its end, or another try of a failed payment.
  package static func next(_ entitlement: Entitlement) -> String {
    let end = instant(entitlement.expiresAt)
    switch entitlement.state {
    case .active:
      switch entitlement.willRenew {
      case true?:
        let product = entitlement.nextProductID ?? entitlement.productID
        return product == entitlement.productID
          ? "Renews on \(end)." : "Renews on \(end) to \(text(product)), the product chosen for the renewal."
      case false?: return "Ends on \(end): renewal is turned off."
      case nil: return "Runs until \(end). Apple did not state whether it renews."
      }
    case .gracePeriod:
      return "Payment failed. Access continues until \(instant(entitlement.accessEndsAt)), while Apple retries it."
    case .billingRetry: return "Apple retries the payment for up to 60 days. Access returns when it succeeds."
    case .revoked: return "Nothing: it was refunded or revoked."
    case .expired:
      if entitlement.isRenewalContradictory {
        return "Not known. Apple's fields contradict each other: the expiration intent states that the customer turned "
          + "renewal off, the auto-renew status states that renewal was on."
      }
      if !entitlement.isConfirmed { return "Not known: no evidence from after the end states it." }
      let isCancelled = entitlement.expirationReason == .customerCancelled
      return entitlement.rule == .lapsed && entitlement.willRenew == true && !isCancelled
        ? "No renewal is known, although renewal was on." : "Nothing: it is over."
    }
  }

  /// Returns the answer for a one-time purchase; `nil` for a period of a subscription.
  package static func oneTime(_ transaction: TransactionSummary) -> String? {
    let end = transaction.oneTimeEnd.map { instant($0) }
    switch transaction.oneTimeState {
    case nil: return nil
    case .active?: return "yes, bought once" + (end.map { ", until \($0)." } ?? ", without end.")
    case .expired?: return "NO, it ended on \(end ?? "–")."
    case .revoked?: return "NO, refunded or revoked on \(instant(transaction.revokedAt))."
    case .consumable?: return "none: a consumable grants no access."
    default: return "NO, the product's type is not known. Import a catalogue that states it."
    }
  }

  /// Returns the time of a transaction, such as `the period 2026-03-01 to 2026-04-01`.
  static func period(_ transaction: TransactionSummary) -> String {
    transaction.expiresAt.map { "the period \(instant(transaction.purchaseAt)) to \(instant($0))" }
      ?? "the purchase of \(instant(transaction.purchaseAt))"
  }

  /// Returns the sentence about a refunded or revoked transaction, with its period; `nil` for any other.
  package static func refund(_ transaction: TransactionSummary) -> String? {
    if transaction.revokedAt == nil { return seatRefund(transaction) }
    guard let revoked = transaction.revokedAt, !transaction.isUpgraded else { return nil }
    let verb = revocation(
      transaction.revocationType, isFamilyShared: transaction.inAppOwnershipType == "FAMILY_SHARED")
    let reason = transaction.revocationReason == 1 ? problemInApp : ""
    let amount = transaction.refundedAmount.map { ", \(Messages.amount($0, transaction.currency))" } ?? ""
    return "\(verb) on \(instant(revoked))\(reason): \(period(transaction)) of \(text(transaction.productID))\(amount)"
      + " [\(Printable.text(transaction.transactionID))]"
  }

  /// Returns the sentence about a customer's request for a refund.
  package static func request(_ request: RefundRequest, asOf: Instant) -> String {
    let reason = request.reason.map { ", for \(Printable.text($0))" } ?? ""
    let transactionText = request.transactionID.map { " [\(Printable.text($0))]" } ?? ""
    let outcome =
      switch request.outcome {
      case .refunded?: "refunded on \(instant(request.answeredAt))"
      case .declined?: "declined by Apple on \(instant(request.answeredAt))"
      case nil: "OPEN for \(age(request.requestedAt, asOf))"
      }
    return "Refund requested on \(instant(request.requestedAt))\(reason): \(outcome)\(transactionText)"
  }

  /// Returns why a purchase belongs to a customer.
  package static func claim(_ claim: CustomerClaim) -> String {
    claim.basis == .link
      ? "linked by \(text(claim.author)): \(text(claim.reason))" : "by its app account token"
  }

  /// Returns the sentence about an entry that links or unlinks an id, without its instant.
  package static func entry(_ entry: CustomerEntry) -> String {
    let id = Printable.text(entry.identifier)
    let other = entry.otherCustomer.map(Printable.text)
    let what =
      switch (entry.action, other) {
      case (.link, let other?): "Took over \(id) from \(other)"
      case (.link, nil): "Linked to \(id)"
      case (.unlink, let other?): "Gave \(id) to \(other)"
      case (.unlink, nil): "Unlinked from \(id)"
      }
    let since = entry.effectiveAt.map { ", from \(instant($0))" } ?? ""
    return "\(what)\(since), by \(Printable.text(entry.author)): \(Printable.text(entry.reason))"
  }

  /// Returns the sentence about a grant.
  package static func grant(_ grant: AccessGrant) -> String {
    let end = grant.accessEndsAt.map { "until \(instant($0))" } ?? "without end"
    let states: [CustomerAccess.State: String] = [
      .expired: " (over)", .revoked: " (revoked)", .notBegun: " (not begun)",
    ]
    let state = states[grant.state] ?? ""
    return "\(Printable.text(grant.entitlement)) from \(instant(grant.beginsAt)) \(end)\(state), our own grant, by "
      + "\(Printable.text(grant.author)): \(Printable.text(grant.reason))"
  }

  /// Returns what a member of staff granted.
  package static func granted(_ grant: AccessGrant) -> String {
    let end = grant.revocation == nil ? grant.accessEndsAt.map { " until \(instant($0))" } ?? " without end" : ""
    return "Granted \(Printable.text(grant.entitlement)) from \(instant(grant.beginsAt))\(end), by "
      + "\(Printable.text(grant.author)): \(Printable.text(grant.reason))"
  }

  /// Returns how a member of staff ended a grant.
  package static func revoked(_ grant: AccessGrant, _ revocation: GrantRevocation) -> String {
    "Ended the grant of \(Printable.text(grant.entitlement)) from \(instant(revocation.revokedAt)) on, by "
      + "\(Printable.text(revocation.author)): \(Printable.text(revocation.reason))"
  }

  /// Returns the sentence about one entitlement of a customer.
  package static func access(_ access: CustomerAccess) -> String {
    let name = Printable.text(access.entitlement)
    let end = access.accessEndsAt.map { instant($0) }
    let source =
      switch access.basis {
      case .grant: "our own grant"
      case .oneTimePurchase: "the purchase of \(text(access.productID))"
      case .seatClaim: "a seat of \(text(access.productID)), which somebody else bought"
      case .subscription: text(access.productID)
      }
    guard access.hasAccess else {
      let past = end.map { "it ended on \($0)" } ?? "there is none"
      return "\(name)  NO, \(past): \(plainState(access.state)), by \(source) (\(access.rule.rawValue))"
    }
    let until = end.map { "until \($0)" } ?? "without end"
    let grace = access.state == .gracePeriod ? " (a payment failed; Apple grants a grace period)" : ""
    return "\(name)  yes, \(until)\(grace), by \(source) (\(access.rule.rawValue))"
  }

  /// Returns the sentence about whether a customer has an entitlement.
  package static func check(_ answer: AccessAnswer, _ customer: String, _ entitlement: String) -> String {
    let (customer, entitlement) = (Printable.text(customer), Printable.text(entitlement))
    return switch answer {
    case .decided(let decided): access(decided)
    case .nothing: "\(entitlement)  NO, nothing that belongs to \(customer) ever granted it"
    case .unknownCustomer: "\(entitlement)  NO, no evidence, link or grant names \(customer)"
    case .unknownEntitlement: "\(entitlement)  NO, no product and no grant has an entitlement of this name"
    }
  }

  /// Returns an attempt's state as text for people.
  package static func state(of attempt: PurchaseAttempt) -> String {
    let state = attempt.state.rawValue.replacing("_", with: " ")
    let copy = attempt.kind == .restore ? " (restored copy)" : attempt.kind == .delivery ? " (delivered)" : ""
    return state + copy + (attempt.closedBy == .evidence ? ", ended by evidence" : "")
  }

  /// Returns what support should look at in an attempt; `nil` for nothing.
  package static func finding(of attempt: PurchaseAttempt) -> String? {
    let error = [attempt.errorDomain, attempt.errorCode.map(String.init), attempt.errorMessage].compactMap(\.self)
    let words: String? =
      switch attempt.finding {
      case .paidNeverVerified: "paid on the device, never in the evidence"
      case .paidNotTheirs: "paid on the device, and the purchase belongs to somebody else"
      case .finishedWhilePurchasing: "bug of the app: it finished a purchasing transaction"
      case .removedWithoutUpdate: "bug of the app: removed without an update"
      case .failed: "failed: " + (error.isEmpty ? "no error stated" : error.joined(separator: " "))
      case nil where attempt.isInEvidence && !attempt.isTheirs:
        "the purchase has no customer: link it to one"
      default: nil
      }
    let clock = attempt.isFromFuture ? "the device's clock is ahead" : nil
    let all = [words, clock].compactMap(\.self)
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }
}
