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
package struct MatchRow {
  package let match: Match
  /// The purchase in short form, where the match is one.
  package let summary: PurchaseSummary?

  package init(_ match: Match, _ ledger: LedgerReader, _ parameters: QueryParameters) throws {
    self.match = match
    if case .purchase(let purchase) = match {
      summary = try PurchaseSummary(purchase, ledger, parameters)
    } else {
      summary = nil
    }
  }

  /// The kind of id that led to a purchase, or the type of a notification.
  private var foundBy: String? {
    switch match {
    case .purchase(let purchase): purchase.kind.rawValue
    case .notification(_, let type, _): type
    default: nil
    }
  }

  /// The environment; `nil` for a match that names none.
  package var environment: String? {
    switch match {
    case .purchase(let purchase): purchase.environment
    case .notification(_, _, let environment): environment
    default: nil
    }
  }
}

extension MatchRow: AnswerRow {
  package static let fields: [AnswerField<Self>] = [
    AnswerField("found") { .text($0.match.kind) },
    AnswerField("identifier") { .text($0.match.identifier) },
    AnswerField("found_by") { Value($0.foundBy) },
    AnswerField("environment") { Value($0.environment) },
    AnswerField("original_transaction_id") { Value($0.summary?.purchase.originalTransactionID) },
    AnswerField("product_id") { Value($0.summary?.productID) },
    AnswerField("state") { Value($0.summary?.state) },
  ]
}
