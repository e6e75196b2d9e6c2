import ArgumentParser
import Ledger

/// `subledger scope`
struct ScopeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scope",
    abstract: "Print SQL that limits every view to some purchases and instants, for any SQLite tool.",
    discussion: """
      A view of the file answers for now and for all purchases. The printed statements make temporary views of the same \
      names. They answer about the purchases of one id, or about all, at other instants, and change nothing in the file:

        subledger scope 2000000000000004 > scope.sql
        sqlite3 -cmd '.read scope.sql' subledger.sqlite 'SELECT * FROM transaction_fact'

      In Python, run them with executescript(). subledger query asks at other instants by itself.
      """)

  @Argument(help: "Any id: of a customer, a transaction, a line, a web order line item, an order … (default: all).")
  var id: String?

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  func run() throws {
    let ledger = try database.reader()
    let question = instants.question
    let lines = try reporting { try id.map { try found($0, ledger, question) } }
    Terminal.write(LedgerReader.scopeScript(lines, question))
  }

  private func found(_ id: String, _ ledger: LedgerReader, _ question: Question) throws -> [OriginalTransactionMatch] {
    let (matches, isExact) = try ledger.search(id)
    // The beginning of an id must not be taken for it.
    let lines = try ledger.lines(of: isExact ? matches : [], question)
    guard !lines.isEmpty else {
      try NotFound.complain(ledger, id, environment: nil, hasOthers: isExact && !matches.isEmpty)
      throw ExitCode(1)
    }
    return lines
  }
}
