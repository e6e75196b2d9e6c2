import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation

/// The purchases that an id names. The access log records who reads them.
struct LoggedPurchases {
  /// Any id, or its beginning.
  let id: String
  /// The environment of the purchases; `nil` for all.
  let environment: String?
  let database: DatabaseOption
  let accessLog: AccessLogOptions

  /// Calls `body` for each purchase that the id names, and prints an empty line between two of them. First the access log
  /// records who reads.
  /// - Parameters:
  ///   - operations: the names of the operation, for a customer's id and for a purchase's.
  ///   - parameters: the instants, and the evidence that counts.
  ///   - body: prints one purchase.
  /// - Throws: exit code 1 after a message, if the id names no purchase, or is the beginning of several ids.
  func forEach(
    _ operations: (customer: String, purchase: String), _ parameters: QueryParameters,
    _ body: (LedgerReader, OriginalTransactionMatch) throws -> Void
  ) throws {
    let ledger = try database.reader()
    try reporting {
      let wanted = try environment.map { try Environment.argument($0).name }
      let (matches, isExact) = try ledger.search(id)
      let purchases = try ledger.purchases(of: matches, parameters).filter { wanted == nil || $0.environment == wanted }
      guard !purchases.isEmpty else {
        let count = try NotFound.complain(ledger, id, environment: wanted, hasOthers: !matches.isEmpty)
        if count > 0 { accessLog.record([accessLog.entry("search", count: count)], in: database) }
        throw ExitCode(1)
      }
      // The beginning of an id may match several people, whose answers must not be mixed.
      if !isExact, matches.count > 1 {
        accessLog.record([accessLog.entry("search", count: matches.count)], in: database)
        try MatchList.print(matches, ledger, parameters, format: .table)
        Terminal.complain("Several ids begin with \(Printable.text(id)). Name one of them.")
        throw ExitCode(1)
      }
      if case .customer(let customer)? = matches.first {
        let entry = accessLog.entry(operations.customer, parameters, count: purchases.count)
        accessLog.record(entry.about([customer]), in: database)
      } else {
        let entries = try purchases.flatMap { purchase in
          accessLog.entry(operations.purchase, purchase: purchase.originalTransactionID, parameters, count: 1)
            .about(try ledger.customers(of: purchase, parameters))
        }
        accessLog.record(entries, in: database)
      }
      for (index, purchase) in purchases.enumerated() {
        if index > 0 { Terminal.print() }
        try body(ledger, purchase)
      }
    }
  }
}
