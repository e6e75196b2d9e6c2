import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what an id names: the card of a customer or a purchase, or the list of matches.",
    discussion: """
      An id is one of these, or the beginning of one, in any environment:

        customer: your own id, or an app account token.
        purchase: transaction id, original transaction id, web order line item id, app transaction id.
        others: notification UUID, order id (of imported order look-ups), payload digest.

      For one match the command prints the card. For several it prints a list. For none it prints the nearest ids, and \
      exits with 1.
      """)

  @Argument(help: "Any id, or its beginning.", transform: String.argument) var id: String
  @OptionGroup var database: DatabaseOption

  @Option(help: "Show only purchases of this environment.") var environment: String?
  @OptionGroup var instants: InstantOptions
  @OptionGroup var accessLog: AccessLogOptions

  @Option(help: "text or json.") var format = SummaryFormat.text

  func run() throws {
    let ledger = try database.reader()
    let parameters = instants.parameters
    try reporting {
      let wanted = try environment.map { try Environment.argument($0).name }
      let all = try ledger.search(id).matches
      let matches = all.filter { match in
        guard case .purchase(let purchase) = match, let wanted else { return true }
        return purchase.environment == wanted
      }
      switch matches.count {
      case 0:
        let count = try NotFound.complain(ledger, id, environment: wanted, hasOthers: !all.isEmpty)
        if count > 0 { accessLog.record([accessLog.entry("search", count: count)], in: database) }
        throw ExitCode(1)
      case 1: try show(matches[0], ledger, parameters, environment: wanted)
      default:
        accessLog.record([accessLog.entry("search", count: matches.count)], in: database)
        try MatchList.print(matches, ledger, parameters, format: format == .json ? .json : .table)
        if matches.count >= 25 { Terminal.note("There may be more matches. Write more of the id.") }
      }
    }
  }

  private func show(_ match: Match, _ ledger: LedgerReader, _ parameters: QueryParameters, environment: String?) throws
  {
    switch match {
    case .customer(let customer):
      let card = try CustomerCard(customer, ledger, parameters, environment: environment)
      let entry = accessLog.entry("showCustomer", parameters, count: card.record.claims.count)
      accessLog.record(entry.about(card.customers), in: database)
      if format == .json { return Terminal.print(card.json(at: .commandStart)) }
      if instants.isParticular { PurchaseHeading.print(instants) }
      card.print()
    case .purchase(let purchase):
      let card = try PurchaseCard(purchase, ledger, parameters, names: try ledger.productNames())
      let entry = accessLog.entry("showPurchase", purchase: purchase.originalTransactionID, parameters, count: 1)
      accessLog.record(entry.about(card.customers), in: database)
      if format == .json { return Terminal.print(card.json) }
      PurchaseHeading.print(purchase)
      if instants.isParticular { PurchaseHeading.print(instants) }
      card.print()
      for claim in card.claims { try printStaffWords(ledger, claim.customer, parameters) }
    case .notification(let uuid, let type, let environmentName):
      Terminal.print(
        "Notification \(Printable.text(uuid)) in \(Printable.text(environmentName)), without a purchase: "
          + Messages.notification(type, nil))
    case .order(let order):
      Terminal.print("Order \(Printable.text(order)) was looked up. Apple's response names no purchase of it.")
    case .payload(let digest):
      Terminal.write(try ledger.arrival(digest) ?? [])
      Terminal.print()
    case .unread(let id):
      let mentions = try ledger.unreadMentions(of: id, knownAt: parameters.knownAt)
      if format == .json { return Terminal.print(UnreadList(mentions).json(of: id)) }
      UnreadList(mentions).print(of: id)
    }
  }

  /// Prints the grants and notes of a customer on the card of a purchase.
  private func printStaffWords(_ ledger: LedgerReader, _ customer: String, _ parameters: QueryParameters) throws {
    let words = try ledger.staffWords(about: customer, parameters)
    for grant in words.grants { Terminal.print("  Grant      \(Messages.grant(grant))") }
    for note in words.notes {
      Terminal.print(
        "  Note       \(Messages.instant(note.enteredAt))  \(Printable.text(note.author)): "
          + Printable.text(note.text))
    }
  }
}
