import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation
import ProgramSupport

struct SeatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seats", abstract: "Give seats of a subscription to customers, where Apple leaves this to the app.",
    discussion: """
      A subscription for many has seats. Apple gives them to members (invitationManagement APPLE), or your app does \
      (DEVELOPER). These commands are for the second kind. A customer with a seat has the entitlements of the \
      purchaser's product while the purchaser has access. Apple's notification UNCLAIM_SEATS ends the claims that it \
      names. ID is any id of the purchaser's subscription.
      """,
    subcommands: [Claim.self, Unclaim.self, List.self])

  struct Claim: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give a seat to a customer.")

    @OptionGroup var entry: CustomerEntryArguments

    @Option(help: ArgumentHelp("Apple's seatClaimId. UNCLAIM_SEATS ends the claim by it.", valueName: "id"))
    var seatClaimId: String?

    func run() throws {
      let (done, at) = try entry.record {
        try $0.claimSeat(of: entry.id, for: entry.customer, seatClaimID: seatClaimId, at: $1, $2)
      }
      let (name, id) = (Printable.text(entry.customer), Printable.text(entry.id))
      Terminal.print(
        done.isNew
          ? "\(name) has a seat of \(id), from \(Messages.instant(at))."
          : "\(name) had a seat of \(id) already. Nothing was written.")
      Terminal.note(Messages.claimedSeats(done.openCount, of: done.seats))
    }
  }

  struct Unclaim: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Take a seat from a customer.")

    @OptionGroup var entry: CustomerEntryArguments

    func run() throws {
      let (isNew, at) = try entry.record { try $0.unclaimSeat(of: entry.id, from: entry.customer, at: $1, $2) }
      let name = Printable.text(entry.customer)
      Terminal.print(
        isNew
          ? "\(name) has no seat of \(Printable.text(entry.id)), from \(Messages.instant(at))."
          : "The seat of \(name) had ended already. Nothing was written.")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the seats that the app gave.",
      discussion: "Without an id, list the subscriptions with claims. Those with more claims than seats come first.")

    @Argument(help: "An id of the purchaser's subscription.", transform: String.argument) var id: String?
    @OptionGroup var database: DatabaseOption
    @OptionGroup var instants: InstantOptions
    @OptionGroup var accessLog: AccessLogOptions

    func run() throws {
      let parameters = instants.parameters
      guard let id else {
        let ledger = try database.reader()
        let all = try reporting { try ledger.claimedSubscriptions(parameters) }
        guard !all.isEmpty else { return Terminal.print("No seat is claimed.") }
        for one in all {
          Terminal.print(
            "\(Printable.text(one.originalTransactionID)): \(Messages.claimedSeats(one.openClaimCount, of: one.seats))")
        }
        return
      }
      let purchases = LoggedPurchases(id: id, environment: nil, database: database, accessLog: accessLog)
      try purchases.forEach(("listSeatClaims", "listSeatClaims"), parameters) { ledger, purchase in
        let claims = try ledger.seatClaims(on: purchase, parameters)
        let name = Printable.text(purchase.originalTransactionID)
        guard let first = claims.first else { return Terminal.print("\(name): no seat was claimed.") }
        Terminal.print("\(name): \(Messages.claimedSeats(first.openClaimCount, of: first.seats))")
        for claim in claims { Terminal.print("  " + Messages.claim(claim)) }
      }
    }
  }
}
