import AppStore

/// The parameters of Get Transaction History.
struct HistoryQuery {
  private let products: Set<String>
  private let types: Set<String>
  private let groups: Set<String>
  private let ownership: String?
  private let isRevoked: Bool?
  private let from: Int64?
  private let to: Int64?
  /// Whether the transaction that changed last comes first.
  let isDescending: Bool

  /// Reads the parameters of a request.
  /// - Throws: the error of the first parameter that is not valid.
  init(_ request: APIRequest) throws(APIError) {
    products = Set(request.values("productId"))
    guard !products.contains("") else { throw .invalidProductID }
    types = Set(request.values("productType"))
    guard types.isSubset(of: ProductType.allCases.map(\.apiName)) else { throw .invalidProductType }
    groups = Set(request.values("subscriptionGroupIdentifier"))
    guard !groups.contains("") else { throw .invalidGroup }
    ownership = try Self.one(of: ["PURCHASED", "FAMILY_SHARED"], request, "inAppOwnershipType", .invalidOwnershipType)
    isDescending = try Self.one(of: ["ASCENDING", "DESCENDING"], request, "sort", .invalidSort) == "DESCENDING"
    let revoked = try Self.one(of: ["true", "false"], request, "revoked", .invalidRevoked)
    let excludes = try Self.one(of: ["true", "false"], request, "excludeRevoked", .invalidExcludeRevoked)
    isRevoked = revoked.map { $0 == "true" } ?? (excludes == "true" ? false : nil)
    from = try Self.milliseconds(request, "startDate", .invalidStartDate)
    to = try Self.milliseconds(request, "endDate", .invalidEndDate)
  }

  private static func one(
    of allowed: [String], _ request: APIRequest, _ name: String, _ error: APIError
  ) throws(APIError) -> String? {
    let values = request.values(name)
    guard values.count < 2, values.allSatisfy(allowed.contains) else { throw error }
    return values.first
  }

  private static func milliseconds(
    _ request: APIRequest, _ name: String, _ error: APIError
  ) throws(APIError) -> Int64? {
    guard let text = request.values(name).first else { return nil }
    guard let number = Int64(text), number >= 0 else { throw error }
    return number
  }

  /// Whether a transaction is one of those that were asked for.
  func matches(_ transaction: Transaction, _ product: SoldProduct) -> Bool {
    let purchasedAt = transaction.purchaseAt.milliseconds
    return (products.isEmpty || products.contains(product.id))
      && (types.isEmpty || types.contains(product.type.apiName))
      && (groups.isEmpty || product.group.map(groups.contains) ?? false)
      && (ownership == nil || ownership == transaction.ownership)
      && (isRevoked == nil || isRevoked == (transaction.revocation != nil))
      && (from.map { purchasedAt >= $0 } ?? true) && (to.map { purchasedAt < $0 } ?? true)
  }
}

extension ProductType {
  /// Apple's name of the type in a query.
  fileprivate var apiName: String {
    switch self {
    case .autoRenewable: "AUTO_RENEWABLE"
    case .nonRenewing: "NON_RENEWABLE"
    case .nonConsumable: "NON_CONSUMABLE"
    case .consumable: "CONSUMABLE"
    }
  }
}
