public import AppStore

/// An App Store of simulated customers that answers the App Store Server API. It has no network: a server passes
/// requests on.
///
/// Its clock stands until a caller moves it. Tokens are checked against the caller's own clock, because clients make
/// them by the real time.
public struct LocalAppStore: Sendable {
  /// The simulation whose customers buy here.
  public let simulation: Simulation
  /// The key whose tokens are accepted.
  public let key: APIKey
  /// The present instant of the store.
  public private(set) var clock: Instant

  private let signer: Signer
  private var customers: [SimulatedCustomer]

  /// Creates a store whose customers have lived up to an instant.
  /// - Parameters:
  ///   - simulation: the simulation whose customers buy here.
  ///   - clock: the instant at which the store's clock begins.
  ///   - signer: the signer of transactions and notifications.
  ///   - key: the key whose tokens are accepted.
  /// - Throws: ``ActionError`` where the scenario does not fit the catalogue.
  public init(_ simulation: Simulation, at clock: Instant, signer: Signer, key: APIKey = APIKey()) throws {
    (self.simulation, self.clock, self.signer, self.key) = (simulation, clock, signer, key)
    customers = try (0..<simulation.customers).map { number in
      var customer = try SimulatedCustomer(number, of: simulation)
      _ = try customer.advance(to: clock)
      return customer
    }
  }

  /// Moves the clock, and lets all customers live on.
  /// - Parameters:
  ///   - instant: the new present instant. An earlier one than ``clock`` changes nothing.
  ///   - onMoment: receives what happened: for each customer in order, one after the other.
  /// - Throws: ``ActionError`` where a planned action is impossible; errors of `onMoment`.
  public mutating func advance(to instant: Instant, onMoment: (StoreMoment) throws -> Void = { _ in }) throws {
    guard instant > clock else { return }
    clock = instant
    for number in customers.indices {
      for moment in try customers[number].advance(to: instant) { try onMoment(moment) }
    }
  }

  /// Answers a request as Apple would.
  /// - Parameters:
  ///   - request: the request.
  ///   - now: the present instant of the real clock, by which the token must be valid.
  /// - Returns: Apple's answer: 401 without a body for a token that is refused, 404 without a body for an unknown path.
  /// - Throws: an error of the cryptographic library.
  public func answer(_ request: APIRequest, now: Instant) throws -> APIResponse {
    let app: String
    do { app = try key.check(request.authorization, now: now) } catch { return APIResponse(401) }
    do {
      guard app == simulation.assortment.bundleID else { throw APIError.appNotFound }
      guard let endpoint = Endpoint(request) else { return APIResponse(404) }
      return APIResponse(200, try answer(endpoint, request))
    } catch let error as APIError {
      return error.response
    }
  }

  /// The endpoints of the API, with the id of the path.
  private enum Endpoint {
    case transaction(String)
    case history(String, version: Int)
    case statuses(String)
    case appTransaction(String)
    case refunds(String)
    case refundsOfOne(String)

    init?(_ request: APIRequest) {
      guard request.method == "GET", let id = request.path.last, !id.isEmpty else { return nil }
      switch request.path.dropLast().joined(separator: "/") {
      case "inApps/v1/transactions": self = .transaction(id)
      case "inApps/v1/transactions/appTransactions": self = .appTransaction(id)
      case "inApps/v1/history": self = .history(id, version: 1)
      case "inApps/v2/history": self = .history(id, version: 2)
      case "inApps/v1/subscriptions": self = .statuses(id)
      case "inApps/v1/refund/lookup": self = .refundsOfOne(id)
      case "inApps/v2/refund/lookup": self = .refunds(id)
      default: return nil
      }
    }
  }

  private func answer(_ endpoint: Endpoint, _ request: APIRequest) throws -> [UInt8] {
    switch endpoint {
    case .transaction(let id):
      let found = try find(id)
      guard let transaction = found.transaction else { throw APIError.appTransactionIDNotSupported }
      return try found.encoder.transactionInfo(transaction, at: clock)
    case .appTransaction(let id):
      let found = try find(id)
      return try found.encoder.appTransactionInfo(of: found.account, at: clock)
    case .history(let id, let version): return try history(try find(id), version, request)
    case .statuses(let id):
      var wanted: Set<Int64>?
      for text in request.values("status") {
        guard let status = Int64(text), (1...5).contains(status) else { throw APIError.invalidStatus }
        wanted = (wanted ?? []).union([status])
      }
      let found = try find(id)
      return try found.encoder.statuses(of: found.account, at: clock, only: wanted)
    case .refunds(let id):
      let found = try find(id)
      let all = found.encoder.refunds(of: found.account)
      let page = try page(of: all, ["refunds", "\(found.appTransactionID)"], request, isDescending: false) {
        $0.revocation?.at ?? $0.purchaseAt
      }
      return try found.encoder.refundHistory(page, at: clock)
    case .refundsOfOne(let id):
      let found = try find(id, .invalidOriginalTransactionID, .originalTransactionIDNotFound)
      guard let original = found.transaction?.originalID, String(original) == id else {
        throw APIError.originalTransactionIDNotFound
      }
      return try found.encoder.refundHistory(found.encoder.refunds(of: found.account).prefix(50), at: clock)
    }
  }

  private func history(_ found: Found, _ version: Int, _ request: APIRequest) throws -> [UInt8] {
    let query = try HistoryQuery(request)
    let products = simulation.assortment.products
    let all = found.encoder.history(of: found.account).filter { one in
      // The first version has no finished consumables.
      query.matches(one, products[one.product]) && (version > 1 || products[one.product].type != .consumable)
    }
    let question =
      ["history", "\(version)", "\(found.appTransactionID)"]
      + request.query.filter { $0.name != "revision" }.map { "\($0.name)=\($0.value)" }.sorted()
    let page = try page(of: all, question, request, isDescending: query.isDescending, \.modifiedAt)
    return try found.encoder.history(page, at: clock)
  }

  /// Returns the page of transactions that a request's revision asks for.
  private func page(
    of all: [Transaction], _ question: [String], _ request: APIRequest, isDescending: Bool,
    _ date: (Transaction) -> Instant
  ) throws(APIError) -> ResponsePage {
    let given = request.values("revision").first
    let before = given == nil ? nil : try Revision(given ?? "", of: question).place
    let sorted = all.map { (place: Revision.Place(at: date($0), id: $0.id), transaction: $0) }
      .filter { one in before.map { isDescending ? one.place < $0 : one.place > $0 } ?? true }
      .sorted { isDescending ? $0.place > $1.place : $0.place < $1.place }
    return ResponsePage(sorted.map(\.transaction)) { last in
      Revision(after: last.map { Revision.Place(at: date($0), id: $0.id) } ?? before, of: question).text
    }
  }
}

extension LocalAppStore {
  /// What one of Apple's ids belongs to.
  private struct Found {
    let encoder: ResponseEncoder
    let account: Int
    /// The transaction with this id; `nil` where the id is an app transaction's.
    let transaction: Transaction?

    var appTransactionID: Int64 { encoder.store.accounts[account].appTransactionID }
  }

  /// Finds the account that has any of Apple's ids: of a transaction, an original transaction or an app transaction.
  /// - Parameters:
  ///   - text: the id.
  ///   - invalid: the error for a text that cannot be an id.
  ///   - unknown: the error for an id that nothing has.
  private func find(
    _ text: String, _ invalid: APIError = .invalidTransactionID, _ unknown: APIError = .transactionIDNotFound
  ) throws(APIError) -> Found {
    guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(text)
    else { throw invalid }
    guard let number = simulation.customer(of: id) else { throw unknown }
    let store = customers[number].store
    let encoder = ResponseEncoder(store: store, signer: signer)
    if let account = store.accounts.firstIndex(where: { $0.appTransactionID == id }), hasBought(account, store) {
      return Found(encoder: encoder, account: account, transaction: nil)
    }
    let transactions = store.lines.lazy.flatMap(\.transactions)
    guard let transaction = transactions.first(where: { $0.id == id }) ?? store.purchases.first(where: { $0.id == id })
    else { throw unknown }
    return Found(encoder: encoder, account: transaction.account, transaction: transaction)
  }

  private func hasBought(_ account: Int, _ store: SimulatedStore) -> Bool {
    store.lines.contains { $0.account == account } || store.purchases.contains { $0.account == account }
  }
}
