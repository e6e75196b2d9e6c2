import AppStore

/// A refund that a customer has asked for, and Apple has not decided.
struct RefundCase: Sendable {
  let customer: Int
  let target: SimulatedStore.Target
  let notification: StoreNotification
  let account: Int
  /// How often Apple still asks for consumption information.
  var repeatsLeft = 2
  /// What the app wishes; `nil` while it has not answered, or has no wish.
  var preference: RefundPreference?
  var isAnswered = false
}

/// What an app wishes for a refund: Apple's `refundPreference`.
enum RefundPreference: Sendable, Equatable {
  case decline
  case grantFull
  /// A part of the price, in thousandths of a percent.
  case grantProrated(Int64)
}

/// Consumption information, and the decisions about refunds.
extension LocalAppStore {
  /// Opens or closes the case of a refund, where a notification says so.
  mutating func noteRefund(_ notification: StoreNotification, of number: Int, at instant: Instant) {
    guard let transaction = notification.transaction else { return }
    switch notification.type {
    case "CONSUMPTION_REQUEST":
      guard let target = customers[number].store.target(of: transaction) else { return }
      refundCases[transaction.id] = RefundCase(
        customer: number, target: target, notification: notification, account: transaction.account)
      // Apple asks three times, eight hours apart (users' reports).
      let again = instant + 8 * RenewalRate.hour
      if again > clock { timeline.plan(.consumptionRequest(transaction.id), at: again) }
    case "REFUND", "REFUND_DECLINED":
      refundCases[transaction.id] = nil
    default: break
    }
  }

  /// Asks for consumption information again, with another UUID, where nobody has answered.
  mutating func repeatConsumptionRequest(_ id: Int64) throws {
    guard let open = refundCases[id], !open.isAnswered, open.repeatsLeft > 0 else { return }
    refundCases[id]?.repeatsLeft -= 1
    var again = open.notification
    again.uuid = random.uuid()
    try send(again, account: open.account, by: encoder(of: open.customer))
    if open.repeatsLeft > 1 { timeline.plan(.consumptionRequest(id), at: clock + 8 * RenewalRate.hour) }
  }

  /// Decides about a refund as the app wishes.
  mutating func decideRefund(_ id: Int64) throws {
    guard let open = refundCases[id], let preference = open.preference else { return }
    let action: Action
    switch preference {
    case .decline: action = .declineRefund
    case .grantFull: action = .refund(before: before(id, open), percentage: nil)
    case .grantProrated(let share): action = .refund(before: before(id, open), percentage: share)
    }
    // What cannot be refunded any more stays as it is.
    do { try perform(action, on: open.target, of: open.customer) } catch is ActionError {}
    refundCases[id] = nil
  }

  /// Returns how many purchases of the subscription came after a transaction.
  private func before(_ id: Int64, _ open: RefundCase) -> Int {
    guard case .subscription(let index) = open.target else { return 0 }
    let all = customers[open.customer].store.subscriptions[index].transactions
    guard let asked = all.firstIndex(where: { $0.id == id }) else { return 0 }
    return Set(all[(asked + 1)...].map(\.webOrderLineItemID)).subtracting([all[asked].webOrderLineItemID]).count
  }

  // MARK: - The answers of the app

  private struct Body: Decodable {
    let customerConsented: Bool?
    let deliveryStatus: String?
    let sampleContentProvided: Bool?
    let consumptionPercentage: Int64?
    let refundPreference: String?
  }

  /// Takes consumption information of version 2.
  mutating func takeConsumption(_ id: String, _ body: [UInt8]) throws -> APIResponse {
    let given: Body = try object(body)
    let (found, transaction) = try consumed(id)
    guard given.customerConsented == true else { throw APIError.invalidCustomerConsented }
    let statuses = [
      "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
      "UNDELIVERED_OTHER",
    ]
    guard let status = given.deliveryStatus, statuses.contains(status) else { throw APIError.invalidDeliveryStatus }
    guard given.sampleContentProvided != nil else { throw APIError.invalidSampleContentProvided }
    let isRenewable = simulation.catalog.products[transaction.product].type == .autoRenewable
    let share = given.consumptionPercentage
    guard !isRenewable || share == nil else { throw APIError.consumptionPercentageNotSupported }
    guard share.map({ (0...100_000).contains($0) }) ?? true, status == "DELIVERED" || share ?? 0 == 0 else {
      throw APIError.invalidConsumptionPercentage
    }
    var preference: RefundPreference?
    switch given.refundPreference {
    case nil: break
    case "DECLINE": preference = .decline
    case "GRANT_FULL": preference = .grantFull
    case "GRANT_PRORATED":
      // Apple computes the share of a subscription itself.
      guard isRenewable || (1..<100_000).contains(share ?? 0) else { throw APIError.invalidConsumptionPercentage }
      preference = .grantProrated(isRenewable ? unused(transaction) : 100_000 - (share ?? 0))
    default: throw APIError.invalidRefundPreference
    }
    take(preference, for: found, transaction)
    return APIResponse(202)
  }

  /// Returns how much of a period is left, in whole percents as thousandths of a percent.
  private func unused(_ transaction: Transaction) -> Int64 {
    guard let end = transaction.expiresAt, end > transaction.purchaseAt else { return 1000 }
    let left = (end - clock) * 100 / (end - transaction.purchaseAt)
    return max(1, min(99, left)) * 1000
  }

  /// A member of a body of version 1.
  private enum Value: Decodable {
    case flag(Bool)
    case number(Int64)
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Int64.self) {
        self = .number(number)
      } else {
        self = (try? container.decode(String.self)).map { .text($0) } ?? .other
      }
    }

    var number: Int64? { if case .number(let number) = self { number } else { nil } }
  }

  /// The numeric members of version 1, with their greatest values and errors.
  private static let numbersV1: [(name: String, greatest: Int64, error: APIError)] = [
    ("accountTenure", 7, .invalidAccountTenure), ("consumptionStatus", 3, .invalidConsumptionStatus),
    ("deliveryStatus", 5, .invalidDeliveryStatus),
    ("lifetimeDollarsPurchased", 7, .invalidLifetimeDollarsPurchased),
    ("lifetimeDollarsRefunded", 7, .invalidLifetimeDollarsRefunded), ("platform", 2, .invalidPlatform),
    ("playTime", 7, .invalidPlayTime), ("refundPreference", 3, .invalidRefundPreference),
    ("userStatus", 4, .invalidUserStatus),
  ]

  /// Takes consumption information of version 1.
  mutating func takeConsumptionV1(_ id: String, _ body: [UInt8]) throws -> APIResponse {
    let given: [String: Value] = try object(body)
    let (found, transaction) = try consumed(id)
    guard case .flag(true) = given["customerConsented"] else { throw APIError.invalidCustomerConsented }
    for row in Self.numbersV1 {
      guard let value = given[row.name] else { continue }
      guard let number = value.number, (0...row.greatest).contains(number) else { throw row.error }
    }
    switch given["sampleContentProvided"] {
    case nil, .flag: break
    default: throw APIError.invalidSampleContentProvided
    }
    switch given["appAccountToken"] {
    case nil: break
    case .text(let token) where token.isEmpty || AccountToken.isToken(token): break
    default: throw APIError.invalidConsumptionAppAccountToken
    }
    let preferences: [Int64: RefundPreference] = [1: .grantFull, 2: .decline]
    take(given["refundPreference"]?.number.flatMap { preferences[$0] }, for: found, transaction)
    return APIResponse(202)
  }

  /// Finds the transaction that consumption information is about.
  private func consumed(_ id: String) throws(APIError) -> (Found, Transaction) {
    let found = try find(id)
    guard let transaction = found.transaction else { throw .appTransactionIDNotSupported }
    if transaction.isAssigned { throw .seatNotSupported }
    if transaction.isShared { throw .familySharedNotSupported }
    return (found, transaction)
  }

  /// Notes the answer of the app, where a refund waits. With a wish, Apple decides an hour later.
  private mutating func take(_ preference: RefundPreference?, for found: Found, _ transaction: Transaction) {
    guard refundCases[transaction.id] != nil else { return }
    refundCases[transaction.id]?.isAnswered = true
    refundCases[transaction.id]?.preference = preference
    guard preference != nil, let target = found.target else { return }
    customers[found.customer].forgetRefundPlans(of: target)
    timeline.plan(.customer(found.customer), at: customers[found.customer].nextDue)
    timeline.plan(.refundDecision(transaction.id), at: clock + RenewalRate.hour)
  }
}
