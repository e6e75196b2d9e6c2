import AppStore
import Ledger

/// One purchase in short form, for a customer with too many purchases for cards.
package struct PurchaseSummary {
  package static let columns = ["original_transaction_id", "environment", "product_id", "state"]

  /// The values of the purchase, one for each of ``columns``.
  package let values: [Value]

  package init(_ line: OriginalTransactionMatch, _ ledger: LedgerReader, _ question: Question) throws {
    let (product, state) = try Self.productAndState(line, ledger, question)
    values = [.text(line.originalTransactionID), .text(line.environment), product, state]
  }

  /// Returns the product and the state of a purchase: of its subscription, else of its one-time purchase.
  package static func productAndState(_ line: OriginalTransactionMatch, _ ledger: LedgerReader, _ question: Question)
    throws
    -> (Value, Value)
  {
    if let entitlement = try ledger.entitlement(of: line, question) {
      return (.optional(entitlement.productID), .text(entitlement.state.rawValue))
    }
    let once = try ledger.transactions(of: line, question).first
    return (.optional(once?.productID), .optional(once?.oneTimeState?.rawValue))
  }
}
