import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation
import ProgramSupport

/// The arguments of an entry about a customer and an id of Apple's, which begins at an instant.
struct CustomerEntryArguments: ParsableArguments {
  @Argument(help: "The customer.", transform: String.argument) var customer: String
  @Argument(help: "The Apple id that names the purchases.", transform: String.argument) var id: String
  @OptionGroup var options: StaffActionOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("When this begins (default: now).", valueName: "instant"),
    transform: Instant.argument)
  var at: Instant?

  @OptionGroup var database: DatabaseOption

  /// Records the entry, and returns what was done with the instant from which it holds.
  func record<Done>(_ body: (LedgerRecorder, Instant, StaffAction) throws -> Done) throws -> (Done, Instant) {
    let now = Instant.now
    let at = at ?? now
    return (try database.recording { try body($0, at, options.staffAction(now)) }, at)
  }
}

struct CustomersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "customers", abstract: "Link purchases to customers, add notes, and erase a customer.",
    discussion: """
      A customer is any id of your own. A purchase with an app account token belongs to the customer of that token, \
      without a link.

      ID is any Apple id that names purchases: a transaction id, an original transaction id, an app account token, an \
      app transaction id or an order id. The ledger need not know the id yet. Every entry has a date, and no entry is \
      ever edited.
      """,
    subcommands: [List.self, Link.self, Unlink.self, Transfer.self, Note.self, Erase.self])

  struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Link the purchases of an Apple id to a customer.")

    @Argument(help: "The customer.", transform: String.argument) var customer: String
    @Argument(help: "The Apple id that names the purchases.", transform: String.argument) var id: String
    @OptionGroup var options: StaffActionOptions

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "When it takes effect (default: from the purchase on; from now on if the id already has a link).",
        valueName: "instant"),
      transform: Instant.argument)
    var from: Instant?

    @OptionGroup var database: DatabaseOption

    func run() throws {
      let done = try database.recording { try $0.link(customer, to: id, since: from, options.staffAction(.now)) }
      Terminal.print(
        done.isNew
          ? "\(Printable.text(id)) is linked to \(Printable.text(customer))"
            + (done.since.map { ", from \(Messages.instant($0))." } ?? ", from the purchase on.")
          : "\(Printable.text(id)) was already linked to \(Printable.text(customer)). Nothing was written.")
      Terminal.note(
        done.purchaseCount == 0
          ? "The ledger does not know this id yet. The link takes effect when evidence names it."
          : "It names \(Messages.count(done.purchaseCount, "purchase")) so far.")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List customers, or those whose ids or whose notes, links and reasons contain a text.")

    @Argument(help: "A text, such as a name or an address, in any case.", transform: String.argument) var text: String?
    @Option(help: ArgumentHelp("How many rows to list.", valueName: "count")) var limit = 100
    @OptionGroup var database: DatabaseOption
    @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions
    @OptionGroup var accessLog: AccessLogOptions

    func validate() throws {
      guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is a number from 1 to 1000000.") }
    }

    func run() throws {
      let ledger = try database.reader()
      let found = try reporting {
        try ledger.customers(mentioning: text ?? "", knownAt: .commandStart, limit: limit + 1)
      }
      accessLog.record([accessLog.entry("search", count: min(found.count, limit))], in: database)
      var printer = format.printer(csv)
      printer.begin(CustomerMention.columns)
      for mention in found.prefix(limit) { printer.row(mention.values) }
      printer.end()
      if found.isEmpty, format == .table {
        Terminal.note(
          text == nil ? "The ledger has no customers yet." : "No customer has this text. Check the spelling.")
      }
      if found.count > limit { Terminal.note("There are more. Write more of the text, or a greater --limit.") }
    }
  }

  struct Unlink: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End the link between an Apple id and a customer.")

    @OptionGroup var entry: CustomerEntryArguments

    func run() throws {
      let (_, at) = try entry.record { try $0.unlink(entry.customer, from: entry.id, at: $1, $2) }
      Terminal.print(
        "\(Printable.text(entry.id)) leaves \(Printable.text(entry.customer)), from \(Messages.instant(at))."
      )
    }
  }

  struct Transfer: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Move an Apple id's link from one customer to another.")

    @Argument(help: "The Apple id that names the purchases.", transform: String.argument) var id: String
    @Option(help: ArgumentHelp("The customer before.", valueName: "customer")) var fromCustomer: String
    @Option(help: ArgumentHelp("The customer afterwards.", valueName: "customer")) var toCustomer: String
    @OptionGroup var options: StaffActionOptions

    @Option(
      parsing: .unconditional, help: ArgumentHelp("When this begins (default: now).", valueName: "instant"),
      transform: Instant.argument)
    var at: Instant?

    @OptionGroup var database: DatabaseOption

    func run() throws {
      let now = Instant.now
      try database.recording {
        try $0.transfer(id, from: fromCustomer, to: toCustomer, at: at ?? now, options.staffAction(now))
      }
      Terminal.print(
        "\(Printable.text(id)) moves from \(Printable.text(fromCustomer)) to \(Printable.text(toCustomer)), "
          + "from \(Messages.instant(at ?? now)).")
    }
  }

  struct Note: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a note about a customer. Notes are never edited.")

    @Argument(help: "The customer.", transform: String.argument) var customer: String
    @Argument(help: "The text of the note.") var text: String
    @OptionGroup var author: AuthorOption
    @OptionGroup var database: DatabaseOption

    func run() throws {
      try database.recording { try $0.note(text, about: customer, by: author.name, now: .now) }
      Terminal.print("The note was added.")
    }
  }

  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace a customer's ids with a pseudonym everywhere. This cannot be undone.",
      discussion: """
        A pseudonym replaces the customer's id and account tokens in every table and every stored text. Notes about \
        the customer become empty. Reasons, other notes and client events get the pseudonym too. There, ids of up to \
        four letters and plain numbers stay, because they may have another meaning.

        The purchases and the device ids stay. An account token that also belongs to somebody else stays too. A \
        rewritten text keeps its digest, and the fact that its signature was verified. Nobody can verify it again, and \
        the audit names it.

        Finally the command searches every text of every table for the ids: in any case, percent-encoded, escaped and \
        in Base64. An id may not be rewritten where it has another meaning, such as an equal id of Apple's. The \
        command prints the table, the column and the rows of such an id, and the exit code is then 1.

        --dry-run shows what the erasure would change, and changes nothing. A terminal asks before it erases; elsewhere, \
        add --yes.

        Data about the customer that Apple sends later is recorded as it arrives. Other copies of the file, and the \
        archives that you import, do not change. Erase them yourself.
        """)

    @Argument(help: "The customer: your own id, or an app account token.", transform: String.argument)
    var customer: String
    @OptionGroup var options: StaffActionOptions
    @OptionGroup var database: DatabaseOption
    @Flag(help: "Show what would change, and change nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false
    @Option(help: "text or json.") var format = SummaryFormat.text

    func validate() throws {
      guard yes || dryRun || Terminal.hasPerson else {
        throw ValidationError("This cannot be undone. See what it changes with --dry-run, then add --yes.")
      }
    }

    func run() throws {
      _ = try database.reader()
      if !yes, !dryRun { try confirm() }
      let done = try database.recording {
        try $0.erase(customer, as: Erasure.newPseudonym(), options.staffAction(.now), isCommitted: !dryRun)
      }
      if format == .json { Terminal.print(JSONText.nested(done.members)) } else { print(done) }
      // Who asks for an erasure must not take an incomplete one for a complete one.
      if !done.remainders.isEmpty || !done.isLogEmpty { throw ExitCode(1) }
    }

    private func confirm() throws {
      Terminal.note("Erase \(Printable.text(customer))? This cannot be undone. Write the customer's id again:")
      guard readLine().map(String.argument) == customer else {
        Terminal.complain("Nothing was erased.")
        throw ExitCode(1)
      }
    }

    private func print(_ done: Erasure) {
      let texts = Messages.count(done.textCount, "stored text")
      if dryRun {
        Terminal.print("Nothing was written. A pseudonym would replace the customer's ids in:")
        for change in done.changes { Terminal.print("  \(change.table)  \(Messages.count(change.count, "row"))") }
        if done.textCount > 0 { Terminal.print("\(texts) would be rewritten, which cannot be verified again.") }
      } else {
        Terminal.print(
          "Erased. \(done.pseudonym) replaces the customer's ids. "
            + (done.textCount == 0
              ? "No stored text contained them." : "\(texts) rewritten, which cannot be verified again."))
      }
      if !done.isLogEmpty { Terminal.note(database.logHasErasedTexts) }
      guard !done.remainders.isEmpty else { return }
      Terminal.print("An id remains, and may not be rewritten, in:")
      for remainder in done.remainders {
        let more = remainder.count > remainder.rows.count ? " … and \(remainder.count - remainder.rows.count) more" : ""
        Terminal.print(
          "  \(remainder.table).\(remainder.column)  \(Messages.count(remainder.count, "row")): "
            + remainder.rows.joined(separator: ", ") + more)
      }
      Terminal.note("Check each one. It may have another meaning, such as an Apple id. subledger query shows the rows.")
    }
  }
}
