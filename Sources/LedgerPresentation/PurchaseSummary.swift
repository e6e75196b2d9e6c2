import AppStore
import Ledger

/// One purchase in short form, for a customer with too many purchases for cards.
package struct PurchaseSummary {
  package let purchase: OriginalTransactionMatch
  /// The product of its subscription, else of its one-time purchase; `nil` where nothing states it.
  package let productID: String?
  /// The state of its subscription, else of its one-time purchase; `nil` where it had not begun.
  package let state: CustomerAccess.State?

  package init(_ purchase: OriginalTransactionMatch, _ ledger: LedgerReader, _ parameters: QueryParameters) throws {
    self.purchase = purchase
    if let entitlement = try ledger.entitlement(of: purchase, parameters) {
      (productID, state) = (entitlement.productID, CustomerAccess.State(entitlement.state))
    } else {
      let once = try ledger.transactions(of: purchase, parameters).first
      (productID, state) = (once?.productID, once?.oneTimeState)
    }
  }
}

extension PurchaseSummary: AnswerRow {
  package static let fields: [AnswerField<Self>] = [
    AnswerField("original_transaction_id") { .text($0.purchase.originalTransactionID) },
    AnswerField("environment") { .text($0.purchase.environment) },
    AnswerField("product_id") { Value($0.productID) },
    AnswerField("state") { Value($0.state) },
  ]
}
