import AppStore

/// An extension of all subscriptions to a product.
struct MassExtension: Sendable {
  let product: Int
  let days: Int64
  /// The storefronts, of three letters; `nil` for all.
  let storefronts: Set<String>?
  /// The outcome; `nil` while it runs.
  var outcome: (completedAt: Instant, succeeded: Int, failed: Int)?
}

/// The extension of renewal dates for all active subscribers.
extension LocalAppStore {
  private struct Body: Decodable {
    let requestIdentifier: String?
    let extendByDays: Int64?
    let extendReasonCode: Int64?
    let productId: String?
    let storefrontCountryCodes: [String]?
  }

  /// How long an extension of all subscriptions runs, in milliseconds. Apple's takes hours or days.
  private static let length = RenewalRate.hour

  /// Begins an extension of all subscriptions to a product. The same request identifier begins nothing more.
  mutating func extendAll(_ body: [UInt8]) throws -> APIResponse {
    let given: Body = try object(body)
    guard let identifier = given.requestIdentifier, AccountToken.isToken(identifier) else {
      throw APIError.invalidRequestIdentifier
    }
    let days = try extensionDays(given.extendByDays, reason: given.extendReasonCode)
    let product = simulation.catalog.products.firstIndex { $0.id == given.productId && $0.period != nil }
    guard let product else { throw APIError.invalidProductID }
    if let codes = given.storefrontCountryCodes {
      guard !codes.isEmpty else { throw APIError.emptyStorefrontCountryCodes }
      guard codes.allSatisfy({ $0.utf8.count == 3 && $0.utf8.allSatisfy { (65...90).contains($0) } }) else {
        throw APIError.invalidStorefrontCountryCode
      }
    }
    if massExtensions[identifier] == nil {
      massExtensions[identifier] = MassExtension(
        product: product, days: days, storefronts: given.storefrontCountryCodes.map(Set.init))
      timeline.plan(.massExtension(identifier), at: clock + Self.length)
    }
    var text = JSONWriter()
    text.add("requestIdentifier", identifier)
    return APIResponse(200, text.finished)
  }

  /// Extends every active subscription that can be, and sends a summary.
  mutating func performMassExtension(_ identifier: String) throws {
    guard let wanted = massExtensions[identifier] else { return }
    var (succeeded, failed) = (0, 0)
    for number in customers.indices {
      let store = customers[number].store
      for (index, subscription) in store.subscriptions.enumerated() where subscription.sharedFrom == nil {
        let storefront = store.accounts[subscription.account].territory.code
        guard subscription.state == .active, subscription.last.product == wanted.product,
          wanted.storefronts?.contains(storefront) ?? true
        else { continue }
        if try extend(index, of: number, by: wanted.days) {
          succeeded += 1
        } else {
          failed += 1
          try sendFailure(identifier, of: index, of: number)
        }
      }
    }
    massExtensions[identifier]?.outcome = (clock, succeeded, failed)
    try send(
      StoreNotification(
        type: "RENEWAL_EXTENSION", subtype: "SUMMARY", typeV1: nil, uuid: random.uuid(), subscription: nil,
        transaction: nil,
        renewal: nil, state: nil,
        summary: ExtensionSummary(
          requestIdentifier: identifier, product: wanted.product, storefronts: wanted.storefronts?.sorted() ?? [],
          succeeded: succeeded, failed: failed)),
      account: nil, by: encoder(of: 0))
  }

  private mutating func extend(_ index: Int, of number: Int, by days: Int64) throws -> Bool {
    let subscription = customers[number].store.subscriptions[index]
    guard subscription.last.price != 0, mayExtend(subscription.id) else { return false }
    do { try perform(.extend(days: days), on: .subscription(index), of: number) } catch is ActionError { return false }
    noteExtension(of: subscription.id, identifier: nil, response: nil)
    return true
  }

  private mutating func sendFailure(_ identifier: String, of index: Int, of number: Int) throws {
    let encoder = encoder(of: number)
    let subscription = encoder.store.subscriptions[index]
    try send(
      StoreNotification(
        type: "RENEWAL_EXTENSION", subtype: "FAILURE", typeV1: nil, uuid: random.uuid(), subscription: index,
        transaction: subscription.last, renewal: encoder.store.renewalInfo(of: index), state: subscription.state),
      account: subscription.account, by: encoder)
  }

  /// Answers how far an extension of all subscriptions is.
  func massExtensionStatus(product: String, identifier: String) throws -> APIResponse {
    guard AccountToken.isToken(identifier) else { throw APIError.invalidRequestIdentifier }
    guard let index = simulation.catalog.products.firstIndex(where: { $0.id == product }) else {
      throw APIError.invalidProductID
    }
    guard let wanted = massExtensions[identifier], wanted.product == index else {
      throw APIError.statusRequestNotFound
    }
    var text = JSONWriter()
    text.add("requestIdentifier", identifier)
    text.add("complete", wanted.outcome != nil)
    if let outcome = wanted.outcome {
      text.add("completeDate", outcome.completedAt)
      text.add("succeededCount", Int64(outcome.succeeded))
      text.add("failedCount", Int64(outcome.failed))
    }
    return APIResponse(200, text.finished)
  }
}
