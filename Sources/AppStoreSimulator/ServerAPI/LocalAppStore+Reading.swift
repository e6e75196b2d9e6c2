import AppStore

/// The endpoints that change nothing.
extension LocalAppStore {
  /// Answers a question about an id.
  func read(_ endpoint: APIEndpoint, about id: String, _ request: APIRequest) throws -> APIResponse {
    switch endpoint {
    case .transactionInfo:
      let found = try find(id)
      guard let transaction = found.transaction else { throw APIError.appTransactionIDNotSupported }
      return APIResponse(200, try found.encoder.transactionInfo(transaction, at: clock))
    case .appTransactionInfo:
      let found = try find(id)
      return APIResponse(200, try found.encoder.appTransactionInfo(of: found.account, at: clock))
    case .transactionHistory, .transactionHistoryV1:
      return APIResponse(200, try history(try find(id), endpoint, request))
    case .subscriptionStatuses:
      let found = try find(id)
      return APIResponse(
        200, try found.encoder.statuses(of: found.account, at: clock, only: try statuses(request)))
    case .refundHistory:
      let found = try find(id)
      let all = found.encoder.refunds(of: found.account)
      let page = try page(of: all, [endpoint.rawValue, "\(found.appTransactionID)"], request, isDescending: false) {
        $0.revocation?.at ?? $0.purchaseAt
      }
      return APIResponse(200, try found.encoder.refundHistory(page, at: clock))
    case .refundHistoryV1:
      let found = try findOriginal(id)
      return APIResponse(
        200, try found.encoder.refundHistory(found.encoder.refunds(of: found.account).prefix(50), at: clock))
    case .orderLookup: return try order(id)
    default: throw NotFound()
    }
  }

  private func statuses(_ request: APIRequest) throws(APIError) -> Set<Int64>? {
    let texts = request.values("status")
    let numbers = texts.compactMap(Int64.init).filter { (1...5).contains($0) }
    guard numbers.count == texts.count else { throw .invalidStatus }
    return texts.isEmpty ? nil : Set(numbers)
  }

  /// Returns the transactions of an order id. Only production knows orders.
  private func order(_ text: String) throws -> APIResponse {
    guard simulation.rate.environment == .production else { throw NotFound() }
    let order = OrderID(text)
    let number = order.flatMap { simulation.customer(of: $0.number) }
    let encoder = number.map(encoder(of:))
    let transactions = encoder?.store.transactions.filter { OrderID(of: $0) == order } ?? []
    return APIResponse(200, try ResponseEncoder.orderLookup(encoder, transactions, at: clock))
  }

  private func history(_ found: Found, _ endpoint: APIEndpoint, _ request: APIRequest) throws -> [UInt8] {
    let query = try HistoryQuery(request)
    let products = simulation.catalog.products
    let all = found.encoder.history(of: found.account).filter { one in
      // The first version has no finished consumables.
      query.matches(one, products[one.product])
        && (endpoint == .transactionHistory || products[one.product].type != .consumable)
    }
    let asked =
      [endpoint.rawValue, "\(found.appTransactionID)"]
      + request.query.filter { $0.name != "revision" }.map { "\($0.name)=\($0.value)" }.sorted()
    let page = try page(of: all, asked, request, isDescending: query.isDescending, \.modifiedAt)
    return try found.encoder.history(page, at: clock)
  }

  /// Returns the page of transactions that a request's revision asks for.
  private func page(
    of all: [Transaction], _ parameters: [String], _ request: APIRequest, isDescending: Bool,
    _ date: (Transaction) -> Instant
  ) throws(APIError) -> ResponsePage {
    var before: Revision.Position?
    if let given = request.values("revision").first { before = try Revision(given, of: parameters).position }
    let sorted = all.map { (position: Revision.Position(at: date($0), id: $0.id), transaction: $0) }
      .filter { one in before.map { isDescending ? one.position < $0 : one.position > $0 } ?? true }
      .sorted { isDescending ? $0.position > $1.position : $0.position < $1.position }
    return ResponsePage(sorted.map(\.transaction)) { last in
      Revision(after: last.map { Revision.Position(at: date($0), id: $0.id) } ?? before, of: parameters).text
    }
  }
}
