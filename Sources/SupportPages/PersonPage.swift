internal import AppStore
package import Ledger
package import LedgerPresentation

/// A fact with its name.
struct Fact {
  let name: String
  let value: String

  /// Creates a fact; `nil` without a value.
  init?(_ name: String, _ value: String?) {
    guard let value else { return nil }
    (self.name, self.value) = (name, value)
  }
}

/// The page of one customer: the answer first, then everything that explains it.
package struct PersonPage {
  struct EntitlementRow {
    let name: String
    let access: String
    let until: String
    let source: String
    let purchase: PageDocument.Link?
    let rule: String
    let confirmed: String
  }

  struct PurchaseArticle {
    let id: String
    let product: String
    let warning: String?
    let state: String
    let next: String?
    let facts: [Fact]
    let target: String
    let whyTarget: String
  }

  struct Other {
    let id: String
    let product: String
    let state: String
    let environment: String
    let target: String
  }

  /// What the user may do on the page of a person.
  package struct Acts {
    let grant: String
    let notes: String
    let grants: [PageDocument.Link]
    /// The acts of a lead and of an admin.
    let others: [PageDocument.Link]
    let missing: String?
    let formToken: String
    let requestKey: String

    /// Creates the acts on a customer.
    /// - Parameters:
    ///   - record: the customer, with the grants and links.
    ///   - mayLink: whether the user may decide whose a purchase is.
    ///   - mayForget: whether the user may erase a person.
    ///   - formToken: the token of the session's forms.
    ///   - requestKey: a name for the request, so that it counts once.
    package init(
      _ record: CustomerRecord, mayLink: Bool, mayForget: Bool, formToken: String, requestKey: String
    ) {
      (grant, notes) = (PageAddress.grant(record.customer), PageAddress.notes(record.customer))
      let open = Set(record.grants.filter { $0.state == .active || $0.state == .notBegun }.map(\.entitlement))
      grants = open.sorted().map {
        .init("End the grant of \(Printable.text($0))", PageAddress.endGrant(record.customer, $0))
      }
      let linked = Set(record.claims.filter { $0.basis == .link }.map(\.identifier)).sorted()
      let links =
        [PageDocument.Link("Link a purchase", PageAddress.link(record.customer))]
        + linked.map { .init("End the link of \(Printable.text($0))", PageAddress.unlink(record.customer, $0)) }
      others =
        (mayLink ? links : [])
        + (mayForget ? [.init("Forget this person", PageAddress.forget(record.customer))] : [])
      missing =
        mayForget
        ? nil
        : mayLink
          ? "An admin can forget a person."
          : "A lead can link purchases and end links. An admin can forget a person."
      (self.formToken, self.requestKey) = (formToken, requestKey)
    }
  }

  struct Identity {
    let id: String
    let text: String
  }

  let status: String?
  let acts: Acts?
  let refusal: String?
  let customer: String
  let answers: [String]
  let warnings: [String]
  let latest: [String]
  let timeBar: TimeBar
  let knowledge: KnowledgeSection?
  let entitlements: [EntitlementRow]
  let purchases: [PurchaseArticle]
  let others: [Other]
  let replies: [String]
  let timeline: TimelineSection
  let identities: [Identity]
  let reads: [String]
  let ticket: String

  /// Creates the page of a customer's card.
  /// - Parameters:
  ///   - card: what the ledger knows, at the instants of `bar`.
  ///   - bar: the instants of the page.
  ///   - comparison: this card and the card with the other limit of knowledge; `nil` for the present.
  ///   - subject: what the timeline shows; `nil` for everything.
  ///   - page: the number of the timeline's part.
  ///   - acts: what the user may do; `nil` for nothing.
  ///   - refusal: why the user may do nothing.
  ///   - status: what the user has just done.
  ///   - ticket: the text to copy into a ticket.
  package init(
    _ card: CustomerCard, _ bar: TimeBar, _ comparison: Comparison? = nil, subject: Timeline.Subject?, page: Int,
    acts: Acts?, refusal: String?, status: String?, ticket: String
  ) {
    self.ticket = ticket
    (self.status, self.acts, self.refusal) = (status, bar.isPast ? nil : acts, bar.isPast ? Self.isOver : refusal)
    customer = Printable.text(card.record.customer)
    (answers, warnings) = (Messages.answer(card), Messages.warnings(card))
    timeBar = bar.isPast ? bar.comparing(at: PageAddress.compare(card.record.customer)) : bar
    latest = Messages.latest(card)
    knowledge = comparison.flatMap { KnowledgeSection($0, customer: card.record.customer) }
    entitlements = card.accesses.map { Self.row($0, bar) }
    purchases = card.purchases.map { Self.article($0, bar) }
    others = card.others.map { summary in
      let id = summary.purchase.originalTransactionID
      return Other(
        id: Printable.text(id), product: Messages.text(summary.productID),
        state: summary.state.map(Messages.plainState) ?? "",
        environment: summary.purchase.environment,
        target: PageAddress.purchase(id, bar.query))
    }
    replies = bar.isPast ? [] : Messages.replies(card)
    timeline = TimelineSection(Timeline(card), subject: subject, page: page, bar)
    identities =
      card.record.claims.map {
        Identity(
          id: Printable.text($0.identifier),
          text: "\($0.environment), purchase \(Printable.text($0.originalTransactionID)), \(Messages.claim($0))")
      }
      + card.seatClaims.map { Identity(id: Printable.text($0.originalTransactionID), text: Messages.seat($0)) }
    reads = Messages.reads(card.reads, of: card.record.customer)
  }

  private static let isOver = "Nobody can change the past. Go back to now, and act there."

  private static func row(_ access: CustomerAccess, _ bar: TimeBar) -> EntitlementRow {
    let source =
      switch access.basis {
      case .grant: "our own grant"
      case .oneTimePurchase: "\(Messages.text(access.productID)), bought once"
      case .seatClaim: "a seat of \(Messages.text(access.productID))"
      case .subscription: Messages.text(access.productID)
      }
    return EntitlementRow(
      name: Printable.text(access.entitlement)
        + (Messages.environmentWarning(access.environment).map { " (\($0))" } ?? ""),
      access: (access.hasAccess ? "✓ yes" : "✗ no") + ", " + Messages.plainState(access.state),
      until: access.accessEndsAt.map { Messages.instant($0) } ?? "no end", source: source,
      purchase: access.originalTransactionID.map {
        .init(purchase: $0, bar.query)
      },
      rule: access.rule.rawValue.replacing("_", with: " "), confirmed: access.isConfirmed ? "yes" : "NO")
  }

  private static func article(_ card: PurchaseCard, _ bar: TimeBar) -> PurchaseArticle {
    let id = card.match.originalTransactionID
    return PurchaseArticle(
      id: Printable.text(id), product: PurchasePage.product(card),
      warning: Messages.environmentWarning(card.match.environment),
      state: PurchasePage.answers(card).joined(separator: " "), next: card.entitlement.map(Messages.next),
      facts: PurchasePage.facts(card), target: PageAddress.purchase(id, bar.query),
      whyTarget: PageAddress.why(id, bar.query))
  }
}
