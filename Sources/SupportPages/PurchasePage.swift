internal import AppStore
internal import Ledger
package import LedgerPresentation

/// The page of one purchase: a subscription with all its renewals, or a one-time purchase.
package struct PurchasePage {
  struct Customer {
    let id: String
    let target: String
    let text: String
  }

  struct TransactionRow {
    let id: String
    let product: String
    let from: String
    let until: String
    let price: String
    let notes: String
  }

  /// The number of transactions on the page. The timeline has pages for all of them.
  private static let limit = 50

  let status: String?
  let ask: AskForm?
  let acts: [PageDocument.Link]
  let id: String
  let warning: String?
  let answers: [String]
  let warnings: [String]
  let latest: [String]
  let timeBar: TimeBar
  let facts: [Fact]
  let whyTarget: String
  let customers: [Customer]
  let transactions: [TransactionRow]
  let leftOut: String?
  let requests: [String]
  let timeline: TimelineSection

  /// Creates the page of a purchase's card.
  /// - Parameters:
  ///   - card: what the ledger knows, at the instants of `bar`.
  ///   - bar: the instants of the page.
  ///   - subject: what the timeline shows; `nil` for everything.
  ///   - page: the number of the timeline's part.
  ///   - ask: the form that asks Apple; `nil` where the user or the server cannot.
  ///   - mayAct: whether the user and the server can ask Apple to do something.
  ///   - status: what the user has just done.
  package init(
    _ card: PurchaseCard, _ bar: TimeBar, subject: Timeline.Subject?, page: Int, ask: AskForm?,
    mayAct: Bool, status: String?
  ) {
    (self.status, self.ask) = (status, bar.isPast ? nil : ask)
    let purchase = card.match.originalTransactionID
    let isOpen = card.requests.contains { $0.outcome == nil }
    acts =
      bar.isPast || !mayAct
      ? []
      : (isOpen ? [.init("Answer Apple about the refund", PageAddress.refundAnswer(purchase))] : [])
        + (card.entitlement?.hasAccess == true
          ? [.init("Extend the renewal date", PageAddress.renewalExtension(purchase))] : [])
        + (card.entitlement?.inAppOwnershipType == "FAMILY_SHARED"
          ? [] : [.init("Set the account token", PageAddress.accountToken(purchase))])
    let original = card.match.originalTransactionID
    id = Printable.text(original)
    warning = Messages.environmentWarning(card.match.environment)
    (answers, warnings, timeBar) = (Self.answers(card), Messages.warnings(card), bar)
    latest = Messages.latest(card)
    facts =
      [Fact("Product", Self.product(card)), Fact("Next", card.entitlement.map(Messages.next))].compactMap(\.self)
      + Self.facts(card)
    whyTarget = PageAddress.why(original, bar.query)
    customers = card.claims.map {
      Customer(
        id: Printable.text($0.customer), target: PageAddress.person($0.customer, bar.query), text: Messages.claim($0))
    }
    transactions = card.transactions.prefix(Self.limit).map(Self.row)
    let more = card.transactions.count - transactions.count
    leftOut = more > 0 ? "\(Messages.count(more, "more transaction")), which the timeline has." : nil
    requests = card.requests.map { Messages.request($0, asOf: card.parameters.asOf) }
    timeline = TimelineSection(Timeline(card), subject: subject, page: page, bar, ownPurchase: original)
  }

  /// Returns the name of the product of a purchase, as the catalogue has it.
  static func product(_ card: PurchaseCard) -> String {
    card.product(card.entitlement?.productID ?? card.transactions.first?.productID)
  }

  /// Returns the sentences that answer whether the purchase gives access.
  static func answers(_ card: PurchaseCard) -> [String] {
    if let entitlement = card.entitlement { return [Messages.verdict(entitlement)] }
    let sentences = card.transactions.compactMap { transaction in
      Messages.oneTime(transaction).map { "\(Messages.text(transaction.productID)): \($0)" }
    }
    return sentences.isEmpty ? ["Gives no access: no transaction had begun."] : sentences
  }

  /// Returns what a reader may need at a glance.
  static func facts(_ card: PurchaseCard) -> [Fact] {
    let entitlement = card.entitlement
    let paid = card.transactions.first { $0.transactionID == entitlement?.transactionID } ?? card.transactions.first
    let ownership: String? =
      switch entitlement?.inAppOwnershipType {
      case "FAMILY_SHARED": "shared by a family member, who paid"
      case "ASSIGNED": "a seat that an organisation assigned, which paid"
      case nil: nil
      default: "bought with this Apple Account"
      }
    let renewal: String? =
      switch entitlement?.willRenew {
      case true?: "on: it renews"
      case false?: "off: it will not renew"
      case nil: entitlement == nil ? nil : "Apple did not state it"
      }
    let newest = entitlement.map { state in
      (card.isNewestInferred ? Messages.undated(state.evidenceAt) : Messages.instant(state.evidenceAt)) + "; "
        + Messages.trust(state.trust, state.addedRoot)
    }
    let facts = [
      Fact("Paid until", entitlement.map { Messages.instant($0.expiresAt) }), Fact("Renewal", renewal),
      Fact("Price", paid.flatMap { paid in paid.price.map { Messages.amount($0, paid.currency) } }),
      Fact("Trial", entitlement?.isTrialPeriod == true ? "the present period is a trial" : nil),
      Fact("Ownership", ownership),
      Fact("Seats", entitlement.flatMap { Messages.seats($0, card.transactions, card.events) }),
      Fact("Environment", card.match.environment), Fact("App", entitlement?.bundleID.map(Printable.text)),
      Fact("Latest evidence", newest),
    ]
    return facts.compactMap(\.self)
  }

  private static func row(_ transaction: TransactionSummary) -> TransactionRow {
    var notes: [String] = []
    if transaction.isTrialPeriod { notes.append("free trial") }
    if transaction.inAppOwnershipType == "FAMILY_SHARED" { notes.append("family") }
    if transaction.isUpgraded { notes.append("upgraded") }
    if let refund = Messages.refund(transaction) { notes.append(refund) }
    if let words = Messages.oneTime(transaction) { notes.append(words) }
    return TransactionRow(
      id: Printable.text(transaction.transactionID), product: Messages.text(transaction.productID),
      from: Messages.instant(transaction.purchaseAt), until: transaction.expiresAt.map { Messages.instant($0) } ?? "",
      price: transaction.price.map { Messages.amount($0, transaction.currency) } ?? "",
      notes: notes.joined(separator: "; "))
  }
}
