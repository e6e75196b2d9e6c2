import AppStore
import Ledger

extension Match {
  /// The name of the kind of match, for the column `found`.
  package var kind: String {
    switch self {
    case .customer: "customer"
    case .purchase: "purchase"
    case .notification: "notification"
    case .order: "order"
    case .payload: "payload"
    case .unread: "unread"
    }
  }

  /// The identifier that was found.
  package var identifier: String {
    switch self {
    case .customer(let id), .order(let id), .unread(let id): id
    case .purchase(let purchase): purchase.identifier
    case .notification(let uuid, _, _): uuid
    case .payload(let digest): digest.hexadecimal
    }
  }
}

/// One match as a row of a list, or an object of an answer.
package enum MatchRow {
  /// The names of the values.
  package static let columns = [
    "found", "identifier", "found_by", "environment", "original_transaction_id", "product_id", "state",
  ]

  /// Returns the values of a match, in the order of ``columns``.
  package static func values(_ match: Match, _ ledger: LedgerReader, _ question: Question) throws -> [Value] {
    let first: [Value] = [.text(match.kind), .text(match.identifier)]
    switch match {
    case .purchase(let purchase):
      let (product, state) = try PurchaseSummary.productAndState(purchase, ledger, question)
      return first + [
        .text(purchase.kind), .text(purchase.environment), .text(purchase.originalTransactionID), product, state,
      ]
    case .notification(_, let type, let environment):
      return first + [.text(type), .text(environment), .null, .null, .null]
    default: return first + [.null, .null, .null, .null, .null]
    }
  }
}
