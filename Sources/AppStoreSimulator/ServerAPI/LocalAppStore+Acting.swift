import AppStore
import Foundation

/// The endpoints that change something.
extension LocalAppStore {
  private struct Extension: Decodable {
    let extendByDays: Int64?
    let extendReasonCode: Int64?
    let requestIdentifier: String?
  }

  /// Extends the running period of a subscription. The same request identifier gets the same answer again.
  mutating func extend(_ id: String, _ body: [UInt8]) throws -> APIResponse {
    let given: Extension = try object(body)
    let found = try findOriginal(id)
    let days = try extensionDays(given.extendByDays, reason: given.extendReasonCode)
    guard let identifier = given.requestIdentifier, (1...128).contains(identifier.count) else {
      throw APIError.invalidRequestIdentifier
    }
    guard case .subscription(let index) = found.target else { throw APIError.notExtendable }
    let subscription = found.encoder.store.subscriptions[index]
    if let same = extensions[subscription.id]?.first(where: { $0.identifier == identifier })?.response { return same }
    if subscription.isAssigned { throw APIError.seatNotExtendable }
    if subscription.sharedFrom != nil { throw APIError.familyMemberNotExtendable }
    guard mayExtend(subscription.id) else { throw APIError.extendedTooOften }
    // A free period cannot be extended.
    guard subscription.state == .active, subscription.last.price != 0 else { throw APIError.notExtendable }
    do { try perform(.extend(days: days), on: .subscription(index), of: found.customer) } catch is ActionError {
      throw APIError.notExtendable
    }
    let last = encoder(of: found.customer).store.subscriptions[index].last
    var text = JSONWriter()
    text.add("originalTransactionId", id)
    text.add("webOrderLineItemId", last.webOrderLineItemID.map { String($0) })
    text.add("success", true)
    text.add("effectiveDate", last.expiresAt)
    let response = APIResponse(200, text.finished)
    noteExtension(of: subscription.id, identifier: identifier, response: response)
    return response
  }

  /// Returns the days of an extension, of one subscription or of all, where its members are valid.
  func extensionDays(_ days: Int64?, reason: Int64?) throws(APIError) -> Int64 {
    guard let days, (1...90).contains(days) else { throw .invalidExtendByDays }
    guard let reason, (0...3).contains(reason) else { throw .invalidExtendReasonCode }
    return days
  }

  /// Whether a subscription may be extended again: twice in 365 days is the limit.
  func mayExtend(_ id: Int64) -> Bool {
    let since = clock + -simulation.rate.days(365)
    return (extensions[id] ?? []).filter { $0.at > since }.count < 2
  }

  mutating func noteExtension(of id: Int64, identifier: String?, response: APIResponse?) {
    extensions[id, default: []].append(RenewalExtension(identifier: identifier, at: clock, response: response))
  }

  private struct Token: Decodable {
    let appAccountToken: String?
  }

  /// Gives the last transaction of a purchase and all later ones another token.
  mutating func setAppAccountToken(_ id: String, _ body: [UInt8]) throws -> APIResponse {
    let given: Token = try object(body)
    let found = try find(id, unknown: .originalTransactionIDNotFound)
    guard let transaction = found.transaction else { throw APIError.appTransactionIDNotSupported }
    guard String(transaction.originalID) == id else { throw APIError.notOriginalTransactionID }
    guard let token = given.appAccountToken, AccountToken.isToken(token) else { throw APIError.invalidAppAccountToken }
    if transaction.isAssigned { throw APIError.seatNotSupported }
    if transaction.isShared { throw APIError.familySharedNotSupported }
    guard let target = found.target else { throw APIError.originalTransactionIDNotFound }
    try perform(.setAppAccountToken(AccountToken.normalized(token)), on: target, of: found.customer)
    return APIResponse(200)
  }

  /// Reads the body of a request.
  func object<Body: Decodable>(_ body: [UInt8]) throws(MalformedBody) -> Body {
    do { return try JSONDecoder().decode(Body.self, from: Data(body)) } catch { throw MalformedBody() }
  }

  /// Notes that the app delivered a purchase. Nothing that the API answers shows it.
  func finish(_ id: String) throws -> APIResponse {
    guard try find(id).transaction != nil else { throw APIError.appTransactionIDNotSupported }
    return APIResponse(200)
  }
}

/// An extension of a subscription that was granted.
struct RenewalExtension: Sendable {
  /// The identifier of the request; `nil` where all subscriptions were extended.
  let identifier: String?
  let at: Instant
  /// The answer, which the same request gets again.
  let response: APIResponse?
}
