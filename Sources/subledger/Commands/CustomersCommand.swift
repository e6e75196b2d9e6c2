import AppStore
import ArgumentParser
import Ledger

/// `subledger customers`
struct CustomersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "customers", abstract: "Whose purchases they are: links, transfers, notes, and erasure.",
    discussion: """
      A customer is any id of your own. Purchases made with an app account token are the token's customer's by \
      themselves. ID is any id of Apple's that names purchases: of a transaction or a line, an app account token, an app \
      transaction id, an order; also one that has not been heard of yet. Every entry is dated, and none is ever edited.
      """,
    subcommands: [Link.self, Unlink.self, Transfer.self, Note.self, Erase.self])

  /// `subledger customers link`
  struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What an id of Apple's names is a customer's.")

    @Argument(help: "The customer.") var customer: String
    @Argument(help: "An id of Apple's.") var id: String
    @OptionGroup var options: StaffActionOptions

    @Option(
      help: ArgumentHelp(
        "From when on (default: ever since it was bought; from now on where it was linked before).",
        valueName: "instant"),
      transform: Instant.argument)
    var from: Instant?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
      let done = try database.recording { try $0.link(customer, to: id, since: from, options.act(.now)) }
      Terminal.print(
        done.isNew
          ? "\(Terminal.printable(id)) is \(Terminal.printable(customer))'s"
            + (done.since.map { ", from \(Messages.instant($0)) on." } ?? ", ever since it was bought.")
          : "\(Terminal.printable(id)) was \(Terminal.printable(customer))'s already: nothing was written.")
      Terminal.note(
        done.lineCount == 0
          ? "Nothing is known by this id yet: the link takes effect when it appears."
          : "It names \(Messages.count(done.lineCount, "line")) as yet.")
    }
  }

  /// `subledger customers unlink`
  struct Unlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "It is the customer's no longer.")

    @Argument(help: "The customer.") var customer: String
    @Argument(help: "An id of Apple's.") var id: String
    @OptionGroup var options: StaffActionOptions

    @Option(help: ArgumentHelp("From when on (default: now).", valueName: "instant"), transform: Instant.argument)
    var at: Instant?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
      let now = Instant.now
      _ = try database.recording { try $0.unlink(customer, from: id, at: at ?? now, options.act(now)) }
      Terminal.print(
        "\(Terminal.printable(id)) is \(Terminal.printable(customer))'s no longer, from \(Messages.instant(at ?? now)) on."
      )
    }
  }

  /// `subledger customers transfer`
  struct Transfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "It was one customer's and is another's.")

    @Argument(help: "An id of Apple's.") var id: String
    @Option(help: ArgumentHelp("Whose it was.", valueName: "customer")) var fromCustomer: String
    @Option(help: ArgumentHelp("Whose it is.", valueName: "customer")) var toCustomer: String
    @OptionGroup var options: StaffActionOptions

    @Option(help: ArgumentHelp("From when on (default: now).", valueName: "instant"), transform: Instant.argument)
    var at: Instant?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
      let now = Instant.now
      try database.recording { try $0.transfer(id, from: fromCustomer, to: toCustomer, at: at ?? now, options.act(now)) }
      Terminal.print(
        "\(Terminal.printable(id)) was \(Terminal.printable(fromCustomer))'s and is \(Terminal.printable(toCustomer))'s, "
          + "from \(Messages.instant(at ?? now)) on.")
    }
  }

  /// `subledger customers note`
  struct Note: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a note: it stays as it is.")

    @Argument(help: "The customer.") var customer: String
    @Argument(help: "The note.") var text: String
    @Option(help: ArgumentHelp("Who writes it.", valueName: "author")) var author: String
    @OptionGroup var database: DatabaseOption

    func run() async throws {
      try database.recording { try $0.note(text, about: customer, by: author, now: .now) }
      Terminal.print("Noted.")
    }
  }

  /// `subledger customers erase`
  struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a pseudonym in place of a customer's ids, everywhere.",
      discussion: """
        The customer's id and account tokens give way to a pseudonym in every table and every stored text; notes about \
        them are emptied; in reasons, other notes and your app's reports, the ids give way too, but for those of four letters or \
        fewer and mere numbers, which may mean anything there. Device ids stay otherwise. A token that \
        also stands for someone else stays too. The purchases stay. What was rewritten keeps its digest and the fact that its signature had \
        verified, and cannot be verified again: the audit names it. At last every text of every table is searched for \
        the ids, in any case, percent-encoded, escaped and in Base 64. Where one stands and may not be rewritten, such \
        as an id of Apple's that is the same, the table, column and rows are named. This cannot be undone. What Apple sends of them \
        afterwards is recorded as it comes. Other copies of the file, and the archives that you import, are yours.
        """)

    @Argument(help: "The customer: your own id, or an account token.") var customer: String
    @OptionGroup var options: StaffActionOptions
    @OptionGroup var database: DatabaseOption
    @Option(help: "text or json.") var format = SummaryFormat.text

    func run() async throws {
      _ = try database.reader()
      let done = try database.recording { try $0.erase(customer, as: Erasure.newPseudonym(), options.act(.now)) }
      if format == .json { return Terminal.print(Self.json(done)) }
      Terminal.print(
        "Forgotten: \(done.pseudonym) stands in their place. "
          + (done.textCount == 0
            ? "No stored text had named them."
            : "\(Messages.count(done.textCount, "stored text")) rewritten, which cannot be verified again."))
      guard !done.remainders.isEmpty else { return }
      Terminal.print("An id still stands, and may not be rewritten, in:")
      for place in done.remainders {
        let more = place.count > place.rows.count ? " … and \(place.count - place.rows.count) more" : ""
        Terminal.print(
          "  \(place.table).\(place.column)  \(Messages.count(place.count, "row")): "
            + place.rows.joined(separator: ", ") + more)
      }
      Terminal.note("Look at each: it may be another's, such as an id of Apple's. subledger query shows the rows.")
    }

    private static func json(_ erasure: Erasure) -> String {
      JSONText.nested([
        ("pseudonym", JSONText.string(erasure.pseudonym)), ("texts_rewritten", String(erasure.textCount)),
        (
          "remainders",
          JSONText.array(
            erasure.remainders.map { place in
              JSONText.nested([
                ("table", JSONText.string(place.table)), ("column", JSONText.string(place.column)),
                ("count", String(place.count)), ("rows", JSONText.array(place.rows.map(JSONText.string))),
              ])
            })
        ),
      ])
    }
  }
}
