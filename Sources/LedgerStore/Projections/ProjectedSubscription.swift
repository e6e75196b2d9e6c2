internal import LedgerSchema

/// The projected row of one original transaction during a database transaction. It is read once and written once.
final class ProjectedSubscription {
  private typealias Renewal = ProjectionKeeper.Renewal

  var lastRecordedAt: Int64?
  var evidenceAt: Int64?
  /// Whether a payload with evidence about this original transaction contradicts itself.
  var isContradicted = false
  /// The lowest trust of all evidence about this original transaction.
  var leastTrust = LeastTrust.apple
  private var renewalEvidenceAt: Int64?
  private var head: Head?
  private var renewal: ProjectionKeeper.Renewal?
  /// Whether the general text of the views must find the deciding transaction.
  private var isHeadUnclear = false
  /// Whether the general text of the views must find the deciding renewal info.
  private var isRenewalUnclear = false

  private struct Head {
    var version: Int64
    var key: Int64
    var evidenceAt: Int64
    var productID: String?
    var purchaseAt: Int64
    var expiresAt: Int64
    var revokedAt: Int64?
    var isUpgraded: Bool

    /// Rules §1 and §3: a copy of a period counts only in a subscription that contains nothing but copies.
    var isCopy: Bool { expiresAt <= purchaseAt }
  }

  var isUnclear: Bool { isHeadUnclear || isRenewalUnclear }

  init() {}

  /// Reads a stored row, whose columns are in the order of its table.
  init(row: Step.Columns) {
    lastRecordedAt = row.number(1)
    evidenceAt = row.number(2)
    renewalEvidenceAt = row.number(3)
    if let version = row.number(4), let key = row.number(5), let purchaseAt = row.number(8),
      let expiresAt = row.number(9)
    {
      head = Head(
        version: version, key: key, evidenceAt: row.number(6) ?? 0, productID: row.text(7), purchaseAt: purchaseAt,
        expiresAt: expiresAt, revokedAt: row.number(10), isUpgraded: row.number(11) == 1)
    }
    if let version = row.number(12) {
      renewal = Renewal(
        version: version, gracePeriodExpiresAt: row.number(13), isInBillingRetryPeriod: row.number(14).map { $0 == 1 },
        expirationIntent: row.number(15), autoRenewStatus: row.number(16).map { $0 == 1 },
        autoRenewProductID: row.text(17), signedAt: row.number(18))
    }
    isContradicted = row.number(19) == 1
    leastTrust = LeastTrust(rawValue: row.number(20) ?? 0) ?? .any
  }

  func write(_ originalKey: Int64, _ step: Step) throws {
    try step.bind(originalKey).bind(lastRecordedAt).bind(evidenceAt).bind(renewalEvidenceAt).bind(head?.version)
      .bind(head?.key).bind(head?.evidenceAt).bind(head?.productID).bind(head?.purchaseAt).bind(head?.expiresAt)
      .bind(head?.revokedAt).bind(head?.isUpgraded).bind(renewal?.version).bind(renewal?.gracePeriodExpiresAt)
      .bind(renewal?.isInBillingRetryPeriod).bind(renewal?.expirationIntent).bind(renewal?.autoRenewStatus)
      .bind(renewal?.autoRenewProductID).bind(renewal?.signedAt).bind(isContradicted)
      .bind(leastTrust.rawValue).run()
  }

  /// Considers a transaction's new current version. It becomes the deciding transaction if it comes later in the order
  /// of rules §1 and §3.
  func consider(_ version: ProjectionKeeper.Current) {
    if isHeadUnclear { return }
    guard let expiresAt = version.expiresAt else {
      // A transaction without an expiry never decides. If it decided before, the views must find another one.
      if head?.key == version.key { setHeadUnclear() }
      return
    }
    let candidate = Head(
      version: version.version, key: version.key, evidenceAt: version.evidenceAt, productID: version.productID,
      purchaseAt: version.purchaseAt, expiresAt: expiresAt, revokedAt: version.revokedAt,
      isUpgraded: version.isUpgraded)
    guard let head else { return candidate.isCopy ? setHeadUnclear() : become(candidate) }
    let (mine, present) = ((candidate.purchaseAt, candidate.expiresAt), (head.purchaseAt, head.expiresAt))
    if candidate.isCopy {
      if head.isCopy || head.key == candidate.key { setHeadUnclear() }
    } else if head.key == candidate.key {
      // It stays the greatest unless its dates went back.
      if head.isCopy || mine < present { setHeadUnclear() } else { become(candidate) }
    } else if head.isCopy || mine > present {
      become(candidate)
    } else if mine == present {
      setHeadUnclear()
    }
  }

  private func become(_ candidate: Head) {
    // Among renewal infos with equal instants, the product of the deciding transaction chooses one (rules §5).
    if renewalEvidenceAt != nil, head == nil || head?.productID != candidate.productID { isRenewalUnclear = true }
    head = candidate
  }

  private func setHeadUnclear() {
    isHeadUnclear = true
    isRenewalUnclear = true
  }

  /// Considers one more version of the renewal info. At the greatest possible instant, the last version decides (rules
  /// §5 and §7).
  func consider(_ version: ProjectionKeeper.Renewal, evidenceAt: Int64) {
    if let last = renewalEvidenceAt, evidenceAt <= last {
      if evidenceAt == last { isRenewalUnclear = true }
      return
    }
    renewalEvidenceAt = evidenceAt
    renewal = version
    isRenewalUnclear = head == nil
  }
}
