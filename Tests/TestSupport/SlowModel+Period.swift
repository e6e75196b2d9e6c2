import AppStore
import Ledger

extension SlowModel {
  /// A version of a transaction, when Apple stated it, and the payload that states it.
  typealias Candidate = (version: TransactionVersion, at: Instant, payload: ContentDigest)

  /// The transactions that decide at one instant (rules §3).
  struct Period {
    /// The transaction that decides.
    var deciding: Candidate
    /// Rules §3: E.
    var end: Instant
    /// When the period was revoked.
    var revokedAt: Instant?
    /// Whether an upgrade replaced it.
    var isUpgraded: Bool
    /// Rules §4: when the upgrade ends it.
    var upgradeEnd: Instant?
    /// Rules §4e.
    var isIncomplete = false
    /// Rules §7: the seats while there is access.
    var seats: Int64?

    /// Creates the period of a subscription at an instant; `nil` when it has not begun.
    init?(_ candidates: [Candidate], _ refunds: [String: [(seats: Int64, at: Instant)]], _ time: Instant) {
      let begun = candidates.filter { Self.purchase($0) <= time }
      guard var last = begun.first else { return nil }
      for one in begun where Self.comes(one, after: last) { last = one }
      deciding = last
      var period = [last]
      var hasOthers = false
      if Self.hasReason(last) {
        for one in candidates where one.version.transactionID != last.version.transactionID {
          guard one.version.fields.productID == last.version.fields.productID, Self.expiry(one) > Self.purchase(one),
            Self.purchase(one) < Self.expiry(last), Self.expiry(one) > Self.purchase(last),
            !Self.changesProduct(between: one, last, of: candidates)
          else { continue }
          hasOthers = true
          if Self.purchase(one) <= time { period.append(one) }
        }
      }
      var valid = period.filter { Self.ended($0).map { $0 > time } ?? true }
      let misses = Self.hasReason(last) && !hasOthers
      let fields = last.version.fields
      if misses, valid.isEmpty, fields.isUpgraded != true,
        !["ASSIGNMENT_REVOKE", "FAMILY_REVOKE"].contains(fields.revocationType)
      {
        valid = [last]
        isIncomplete = true
      }
      for one in valid where !valid.contains(where: { Self.comes($0, after: one) }) { deciding = one }
      end = (valid.isEmpty ? period : valid).map(Self.expiry).max() ?? Self.expiry(last)
      let upgraded = period.filter { $0.version.fields.isUpgraded ?? false }
      if valid.isEmpty {
        isUpgraded = !upgraded.isEmpty
        upgradeEnd = upgraded.compactMap(Self.ended).max()
        revokedAt = isUpgraded ? fields.revokedAt : period.compactMap(Self.ended).max()
      } else {
        isUpgraded = deciding.version.fields.isUpgraded ?? false
        upgradeEnd = isUpgraded ? Self.ended(deciding) : nil
        revokedAt = isIncomplete ? nil : deciding.version.fields.revokedAt
      }
      let isShared = ["ASSIGNED", "FAMILY_SHARED"].contains(deciding.version.fields.inAppOwnershipType)
      if misses || isShared || deciding.version.fields.quantity == nil { return }
      let quantities = valid.map { one in
        one.version.fields.quantity.map { quantity in
          let stated = refunds[one.version.transactionID, default: []].filter { $0.at <= time }.map(\.seats).max() ?? 0
          return quantity - min(stated, one.version.fields.seats?.revokedSeatQuantity ?? 0)
        }
      }
      seats = quantities.contains(nil) ? nil : quantities.compactMap(\.self).reduce(0, +)
    }

    private static func purchase(_ one: Candidate) -> Instant { one.version.fields.purchaseAt ?? day(0) }
    private static func expiry(_ one: Candidate) -> Instant { one.version.fields.expiresAt ?? day(0) }
    private static func hasReason(_ one: Candidate) -> Bool {
      one.version.fields.seats?.additionalTransactionReason != nil
    }

    /// Rules §1: when a transaction ended early.
    private static func ended(_ one: Candidate) -> Instant? {
      let fields = one.version.fields
      return fields.isUpgraded ?? false ? min(fields.revokedAt ?? one.at, expiry(one)) : fields.revokedAt
    }

    /// Rules §3: whether another product was bought between two transactions of one product.
    private static func changesProduct(
      between one: Candidate, _ last: Candidate, of candidates: [Candidate]
    ) -> Bool {
      candidates.contains { other in
        other.version.fields.productID != last.version.fields.productID
          && expiry(other) > purchase(other) && isBought(one, before: other) != isBought(last, before: other)
      }
    }

    /// The order of the purchases: by instant, then by end, then by id.
    private static func isBought(_ one: Candidate, before other: Candidate) -> Bool {
      if purchase(one) != purchase(other) { return purchase(one) < purchase(other) }
      if expiry(one) != expiry(other) { return expiry(one) < expiry(other) }
      return one.version.transactionID.utf8.lexicographicallyPrecedes(other.version.transactionID.utf8)
    }

    /// Rules §3: the later purchase, then a stated reason, then the later end, then the greater id.
    private static func comes(_ one: Candidate, after other: Candidate) -> Bool {
      if purchase(one) != purchase(other) { return purchase(one) > purchase(other) }
      if hasReason(one) != hasReason(other) { return hasReason(one) }
      if expiry(one) != expiry(other) { return expiry(one) > expiry(other) }
      return other.version.transactionID.utf8.lexicographicallyPrecedes(one.version.transactionID.utf8)
    }
  }
}
