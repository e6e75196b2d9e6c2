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
  /// The extensions that were granted, by the id of the subscription.
  var extensions: [Int64: [RenewalExtension]] = [:]

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
  ///   - onMoment: receives what the request made happen.
  /// - Returns: Apple's answer: 401 without a body for a token that is refused, 404 without a body for an unknown path.
  /// - Throws: an error of the cryptographic library; errors of `onMoment`.
  public mutating func answer(
    _ request: APIRequest, now: Instant, onMoment: (StoreMoment) throws -> Void = { _ in }
  ) throws -> APIResponse {
    let app: String
    do { app = try key.check(request.authorization, now: now) } catch { return APIResponse(401) }
    do {
      guard app == simulation.assortment.bundleID else { throw APIError.appNotFound }
      switch Endpoint(request) {
      case .reading(let question, let id): return try answer(question, about: id, request)
      case .extending(let id): return try extend(id, request.body, onMoment)
      case .finishing(let id): return try finish(id)
      case .settingToken(let id): return try setAppAccountToken(id, request.body, onMoment)
      case nil: return APIResponse(404)
      }
    } catch let error as APIError {
      return error.response
    } catch is MalformedBody {
      return APIResponse(400)
    }
  }

  /// Performs an action of the app's owner for one customer, and moves the clock to its instant.
  mutating func perform(
    _ action: Action, on target: SimulatedStore.Target, of number: Int, _ onMoment: (StoreMoment) throws -> Void
  ) throws {
    for moment in try customers[number].perform(action, on: target) { try onMoment(moment) }
    clock = max(clock, customers[number].store.clock)
  }

  /// An endpoint of the API, with the id of the path.
  private enum Endpoint {
    case reading(Question, id: String)
    case extending(String)
    case finishing(String)
    case settingToken(String)

    init?(_ request: APIRequest) {
      guard let last = request.path.last, !last.isEmpty else { return nil }
      let path = request.path.dropLast().joined(separator: "/")
      switch (request.method, path) {
      case ("GET", _):
        guard let question = Question(rawValue: path) else { return nil }
        self = .reading(question, id: last)
      case ("PUT", "inApps/v1/subscriptions/extend"): self = .extending(last)
      case ("POST", _) where last == "finish" && Self.isOfTransaction(request.path): self = .finishing(request.path[3])
      case ("PUT", _) where last == "appAccountToken" && Self.isOfTransaction(request.path):
        self = .settingToken(request.path[3])
      default: return nil
      }
    }

    /// Whether a path is one of a transaction, with a word after the id.
    private static func isOfTransaction(_ path: [String]) -> Bool {
      path.count == 5 && Array(path.prefix(3)) == ["inApps", "v1", "transactions"]
    }
  }

  /// A body that is not the JSON object of its endpoint. Apple answers with the status 400 and no code.
  struct MalformedBody: Error {}
}

extension LocalAppStore {
  /// What one of Apple's ids belongs to.
  struct Found {
    /// The number of the customer.
    let customer: Int
    let encoder: ResponseEncoder
    let account: Int
    /// The transaction with this id; `nil` where the id is an app transaction's.
    let transaction: Transaction?

    var appTransactionID: Int64 { encoder.store.accounts[account].appTransactionID }
    /// The subscription or one-time purchase of the transaction.
    var target: SimulatedStore.Target? {
      let store = encoder.store
      let line = store.lines.firstIndex { $0.id == transaction?.originalID }
      return line.map { .line($0) } ?? store.purchases.firstIndex { $0.id == transaction?.id }.map { .purchase($0) }
    }
  }

  /// Finds the account that has any of Apple's ids: of a transaction, an original transaction or an app transaction.
  /// - Parameters:
  ///   - text: the id.
  ///   - invalid: the error for a text that cannot be an id.
  ///   - unknown: the error for an id that nothing has.
  func find(
    _ text: String, invalid: APIError = .invalidTransactionID, unknown: APIError = .transactionIDNotFound
  ) throws(APIError) -> Found {
    guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(text)
    else { throw invalid }
    guard let number = simulation.customer(of: id) else { throw unknown }
    let encoder = encoder(of: number)
    let store = encoder.store
    if let account = store.accounts.firstIndex(where: { $0.appTransactionID == id }), hasBought(account, store) {
      return Found(customer: number, encoder: encoder, account: account, transaction: nil)
    }
    guard let transaction = store.transactions.first(where: { $0.id == id }) else { throw unknown }
    return Found(customer: number, encoder: encoder, account: transaction.account, transaction: transaction)
  }

  /// Finds the subscription or one-time purchase that has an original transaction id.
  func findOriginal(_ text: String) throws(APIError) -> Found {
    let found = try find(text, invalid: .invalidOriginalTransactionID, unknown: .originalTransactionIDNotFound)
    guard let original = found.transaction?.originalID, String(original) == text else {
      throw .originalTransactionIDNotFound
    }
    return found
  }

  /// Returns an encoder of answers about a customer, by the customer's number.
  func encoder(of number: Int) -> ResponseEncoder {
    ResponseEncoder(store: customers[number].store, signer: signer)
  }

  private func hasBought(_ account: Int, _ store: SimulatedStore) -> Bool {
    store.lines.contains { $0.account == account } || store.purchases.contains { $0.account == account }
  }
}

extension SimulatedStore {
  /// The transactions of all subscriptions and one-time purchases.
  var transactions: [Transaction] { lines.flatMap(\.transactions) + purchases }
}
