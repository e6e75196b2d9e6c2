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
      names.
      """,
    subcommands: [Claim.self, Unclaim.self, List.self])

  struct Claim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give a seat to a customer.")

    @Argument(help: "The customer.") var customer: String
    @Argument(help: "An id of the purchaser's subscription.") var id: String

    @Option(help: ArgumentHelp("Apple's seatClaimId. UNCLAIM_SEATS ends the claim by it.", valueName: "id"))
    var seatClaimId: String?

    @OptionGroup var options: StaffActionOptions

    @Option(help: ArgumentHelp("When this begins (default: now).", valueName: "instant"), transform: Instant.argument)
    var at: Instant?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
      let now = Instant.now
      let done = try database.recording {
        try $0.claimSeat(of: id, for: customer, seatClaimID: seatClaimId, at: at ?? now, options.act(now))
      }
      let name = Printable.text(customer)
      Terminal.print(
        done.isNew
          ? "\(name) has a seat of \(Printable.text(id)), from \(Messages.instant(at ?? now))."
          : "\(name) had a seat of \(Printable.text(id)) already. Nothing was written.")
      Terminal.note(Messages.claimedSeats(done.openCount, of: done.seats))
    }
  }

  struct Unclaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Take a seat from a customer.")

    @Argument(help: "The customer.") var customer: String
    @Argument(help: "An id of the purchaser's subscription.") var id: String
    @OptionGroup var options: StaffActionOptions

    @Option(help: ArgumentHelp("When this begins (default: now).", valueName: "instant"), transform: Instant.argument)
    var at: Instant?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
      let now = Instant.now
      let isNew = try database.recording {
        try $0.unclaimSeat(of: id, from: customer, at: at ?? now, options.act(now))
      }
      let name = Printable.text(customer)
      Terminal.print(
        isNew
          ? "\(name) has no seat of \(Printable.text(id)), from \(Messages.instant(at ?? now))."
          : "The seat of \(name) had ended already. Nothing was written.")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the seats that the app gave.",
      discussion: "Without an id, list the subscriptions with claims. Those with more claims than seats come first.")

    @Argument(help: "An id of the purchaser's subscription.") var id: String?
    @OptionGroup var database: DatabaseOption
    @OptionGroup var instants: QuestionOptions

    func run() async throws {
      let ledger = try database.reader()
      let question = instants.question
      guard let id else {
        let all = try reporting { try ledger.claimedSubscriptions(question) }
        guard !all.isEmpty else { return Terminal.print("No seat is claimed.") }
        for one in all {
          Terminal.print(
            "\(Printable.text(one.originalTransactionID)): \(Messages.claimedSeats(one.openClaimCount, of: one.seats))")
        }
        return
      }
      let matches = try reporting { try ledger.search(id).matches }
      let lines = matches.compactMap { match -> OriginalTransactionMatch? in
        if case .line(let line) = match { line } else { nil }
      }
      guard !lines.isEmpty else {
        Terminal.complain("The ledger does not know \(Printable.text(id)).")
        throw ExitCode(1)
      }
      for line in lines { try list(line, ledger, question) }
    }

    private func list(_ line: OriginalTransactionMatch, _ ledger: LedgerReader, _ question: Question) throws {
      let claims = try reporting { try ledger.seatClaims(on: line, question) }
      let name = Printable.text(line.originalTransactionID)
      guard let first = claims.first else { return Terminal.print("\(name): no seat was claimed.") }
      Terminal.print("\(name): \(Messages.claimedSeats(first.openClaimCount, of: first.seats))")
      for claim in claims { Terminal.print("  " + Messages.claim(claim)) }
    }
  }
}
