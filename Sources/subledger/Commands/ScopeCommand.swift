import ArgumentParser
import Ledger

struct ScopeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scope",
    abstract: "Print SQL that limits every view to some purchases and instants, for any SQLite tool.",
    discussion: """
      A view in the file answers for now and for all purchases. The printed statements create temporary views with the \
      same names. These views answer for the purchases of one id or for all, and at other instants. The file does not \
      change:

        subledger scope 2000000000000004 > scope.sql
        sqlite3 -cmd '.read scope.sql' subledger.sqlite 'SELECT * FROM transaction_fact'

      In Python, run the statements with executescript(). subledger query needs no scope for other instants.
      """)

  @Argument(
    help: "Any id: of a customer, a transaction, a web order line item, an order … (default: all purchases).",
    transform: String.argument)
  var id: String?

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions

  func run() throws {
    let ledger = try database.reader()
    let parameters = instants.parameters
    let purchases = try reporting { try id.map { try found($0, ledger, parameters) } }
    Terminal.write(try LedgerReader.scopeScript(purchases, parameters))
  }

  private func found(_ id: String, _ ledger: LedgerReader, _ parameters: QueryParameters) throws
    -> [OriginalTransactionMatch]
  {
    let (matches, isExact) = try ledger.search(id)
    // A scope must not silently take the purchases of another id that has the same beginning.
    let purchases = try ledger.purchases(of: isExact ? matches : [], parameters)
    guard !purchases.isEmpty else {
      try NotFound.complain(ledger, id, environment: nil, hasOthers: isExact && !matches.isEmpty)
      throw ExitCode(1)
    }
    return purchases
  }
}
