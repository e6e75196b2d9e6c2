internal import AppStore
internal import Ledger
internal import LedgerPresentation
internal import LedgerService

/// Reads purchases for pages, and writes each reading into the access log.
struct PurchaseReading: Sendable {
  let readers: ReaderPool
  let log: ReadLog

  /// Reads a purchase with one reader, so that all of it is of one state of the file.
  /// - Parameters:
  ///   - id: any id of the purchase.
  ///   - isLogged: whether the reading is written into the access log. A change that follows has an entry of its own.
  ///   - further: reads what the page needs beside the card.
  /// - Throws: ``HTTPProblem`` when no purchase has the id.
  func read<Further: Sendable>(
    _ id: String, _ call: PageCall, _ parameters: QueryParameters, isLogged: Bool = true,
    _ further: @escaping @Sendable (PurchaseCard, LedgerReader) throws -> Further
  ) async throws -> (card: PurchaseCard, customers: [String], further: Further) {
    let found = try await readers.read(by: call.key) {
      ledger -> (card: PurchaseCard, customers: [String], further: Further)? in
      guard let purchase = try ledger.purchase(withID: id) else { return nil }
      let card = try PurchaseCard(purchase, ledger, parameters, names: try ledger.productNames())
      return (card, try ledger.customers(of: purchase, parameters), try further(card, ledger))
    }
    if isLogged {
      let entries = call.entries(
        found?.customers ?? [], purchase: found?.card.match.originalTransactionID, parameters: parameters,
        count: found == nil ? 0 : 1)
      try await log.write(entries)
    }
    guard let found else { throw HTTPProblem.unknownPurchase }
    return found
  }
}
