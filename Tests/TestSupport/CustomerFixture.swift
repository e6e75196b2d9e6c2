import AppStore
import Ledger
import Testing

/// What tests about customers share: tokens, purchases, and the claims that a ledger derives.
package enum CustomerFixture {
  package static let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"
  package static let otherToken = "11111111-2222-4333-8444-555555555555"

  package static func staffAction(_ at: Double, by author: String = "anna") -> StaffAction {
    StaffAction(author: author, reason: "asked", enteredAt: day(at))
  }

  package static func bought(
    _ id: String, originalID: String? = nil, token: String? = nil, product: String = "monthly", _ from: Double = 0,
    _ until: Double? = 30, environment: String = "Production", revoked: Double? = nil, type: String? = nil,
    stated: Double? = nil, received: Double? = nil
  ) -> ReceivedText {
    var extra: [(String, String)] = []
    if let token { extra.append(("app_account_token", "\"\(token)\"")) }
    if let type { extra.append(("type", "\"\(type)\"")) }
    let words = TransactionFixture(
      id, originalID: originalID ?? id, product: product, day(from), until.map { day($0) },
      revoked: revoked.map { day($0) },
      extra: extra)
    return ReceivedText(
      PayloadFixture.receipt(at: day(stated ?? from), latest: [words], environment: environment),
      received: day(received ?? stated ?? from))
  }

  /// Every claim as `customer line basis`, with a mark where several claim a line; by the views over all lines, and the same
  /// by the customer's own record.
  package static func claims(_ ledger: LedgerRecorder, asOf: Double = 10, knownAt: Double = 1e4) throws -> [String] {
    let parameters = QueryParameters(asOf: day(asOf), knownAt: day(knownAt))
    var found: [String] = []
    var customers: Set<String> = []
    try ledger.reader.query(
      """
      SELECT customer, original_transaction_id, basis, claimant_count FROM customer_original_transaction
      ORDER BY original_transaction_id, customer
      """, parameters, columns: { _ in },
      row: { row in
        guard case .text(let customer) = row[0], case .text(let originalID) = row[1], case .text(let basis) = row[2],
          case .integer(let count) = row[3]
        else { return }
        customers.insert(customer)
        found.append("\(customer) \(originalID) \(basis)\(count > 1 ? " contested" : "")")
      })
    let recorded = try customers.sorted().flatMap { customer in
      try ledger.reader.record(of: customer, parameters).claims.map { claim in
        "\(claim.customer) \(claim.originalTransactionID) \(claim.basis.rawValue)\(claim.claimantCount > 1 ? " contested" : "")"
      }
    }
    #expect(recorded.sorted() == found.sorted())
    return found
  }
}
