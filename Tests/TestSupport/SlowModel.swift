import AppStore
import Ledger

/// A second implementation of the rules, as loops over plain values. It is slow and simple, and its source is Rules.md,
/// not the SQL. Its comments name the section of each part.
package struct SlowModel {
  package struct Answer: Equatable, CustomStringConvertible {
    package var subscription: String
    package var product: String?
    package var transaction: String
    package var state: String
    package var rule: String
    package var accessEndsAt: Instant
    package var isConfirmed: Bool
    package var willRenew: Bool?
    package var next: String?
    package var reason: String?
    package var evidenceAt: Instant
    package var seats: Int64?
    package var seatsNext: Int64?

    package var description: String {
      "\(subscription) \(state)/\(rule) \(transaction) until \(accessEndsAt) confirmed=\(isConfirmed) "
        + "renews=\(willRenew.map(String.init) ?? "-") next=\(next ?? "-") reason=\(reason ?? "-") evidence=\(evidenceAt) "
        + "seats=\(seats.map(String.init) ?? "-") next=\(seatsNext.map(String.init) ?? "-")"
    }

    /// Creates an answer from the ledger's entitlement, to compare it with the model's.
    package init(_ entitlement: Entitlement) {
      subscription = entitlement.environment + "/" + entitlement.originalTransactionID
      product = entitlement.productID
      transaction = entitlement.transactionID ?? ""
      state = entitlement.state.rawValue
      rule = entitlement.rule.rawValue
      accessEndsAt = entitlement.accessEndsAt ?? Instant(milliseconds: 0)
      isConfirmed = entitlement.isConfirmed
      willRenew = entitlement.willRenew
      next = entitlement.nextProductID
      reason = entitlement.expirationReason?.rawValue
      evidenceAt = entitlement.evidenceAt ?? Instant(milliseconds: 0)
      (seats, seatsNext) = (entitlement.seats.map(Int64.init), entitlement.seatsNext.map(Int64.init))
    }

    init(
      subscription: String, product: String?, transaction: String, state: String, rule: String, accessEndsAt: Instant,
      isConfirmed: Bool, willRenew: Bool?, next: String?, reason: String?, evidenceAt: Instant, seatsNext: Int64?
    ) {
      self.seatsNext = seatsNext
      (self.subscription, self.product, self.transaction, self.state, self.rule) = (
        subscription, product, transaction, state, rule
      )
      (self.accessEndsAt, self.isConfirmed, self.willRenew, self.next) = (accessEndsAt, isConfirmed, willRenew, next)
      (self.reason, self.evidenceAt) = (reason, evidenceAt)
    }
  }

  private struct Payload {
    var evidence: Evidence
    var recordedAt: Instant
    var evidenceAt: Instant
  }

  private let payloads: [Payload]

  /// Creates a model from all arrivals, repeats included, in any order.
  package init(_ arrivals: [Arrival]) {
    var byDigest: [ContentDigest: (evidence: Evidence, received: [Instant], reported: [Instant])] = [:]
    for arrival in arrivals {
      guard case .evidence(let evidence) = arrival.outcome else { continue }
      byDigest[evidence.digest, default: (evidence, [], [])].received.append(arrival.receivedAt)
      if arrival.isExplicit { byDigest[evidence.digest]?.reported.append(arrival.receivedAt) }
    }
    // Rules §1: recorded_at is the earliest received instant. evidence_at is stated, else explicit, else inferred.
    payloads = byDigest.values.map { entry in
      let received = entry.received.min() ?? Instant(milliseconds: 0)
      let inferred = entry.evidence.inferredAt.map { min($0, received) }
      let isSigned = entry.evidence.trust == .verified || entry.evidence.root != nil
      let stated = entry.evidence.statedAt.map { isSigned ? $0 : min($0, received) }
      return Payload(
        evidence: entry.evidence, recordedAt: received,
        evidenceAt: stated ?? entry.reported.min() ?? inferred ?? Instant(milliseconds: 0))
    }
  }

  package func answers(_ parameters: QueryParameters) -> [Answer] {
    // Rules §1: K limits the knowledge.
    let known = payloads.filter { $0.recordedAt <= parameters.knownAt }
    var subscriptions: Set<String> = []
    for payload in known {
      for version in payload.evidence.transactions {
        subscriptions.insert(key(version.environment, version.originalTransactionID))
      }
    }
    return subscriptions.compactMap { answer($0, known, parameters.asOf) }.sorted { $0.subscription < $1.subscription }
  }

  /// Returns whether Apple had stated by an instant that the transaction was revoked. Later versions do not matter
  /// (rules §8).
  package func wasRevoked(_ transactionID: String, of claim: StatusClaim, by instant: Instant) -> Bool {
    payloads.contains { payload in
      payload.evidence.transactions.contains {
        $0.transactionID == transactionID && $0.originalTransactionID == claim.originalTransactionID
          && $0.environment == claim.environment && ($0.signedAt ?? payload.evidenceAt) <= instant
          && ($0.fields.revokedAt.map { $0 <= instant } ?? false)
      }
    }
  }

  /// Returns whether Apple stated something newer of one of the transactions, after a claim and by an instant (rules §8).
  package func isOvertaken(
    _ claim: StatusClaim, of transactionIDs: Set<String>, after signedAt: Instant, by instant: Instant
  ) -> Bool {
    payloads.contains { payload in
      payload.evidence.transactions.contains {
        let evidenceAt = $0.signedAt ?? payload.evidenceAt
        return transactionIDs.contains($0.transactionID) && $0.originalTransactionID == claim.originalTransactionID
          && $0.environment == claim.environment && signedAt < evidenceAt && evidenceAt <= instant
      }
    }
  }

  private func key(_ environment: Environment, _ id: String) -> String { environment.name + "/" + id }

  private func answer(_ subscription: String, _ known: [Payload], _ time: Instant) -> Answer? {
    // Rules §2: the current version of each transaction.
    var current: [String: Candidate] = [:]
    var lastSigned: [String: Candidate] = [:]
    // Rules §7: the refunded seats of each transaction, as Apple stated them.
    var refunds: [String: [(seats: Int64, at: Instant)]] = [:]
    // Rules §7: the newest evidence_at.
    var newest: [Instant] = []
    // Rules §6: the instants and objects of payloads that do not contradict themselves. Receipts of devices confirm no
    // end, so their instants are left out.
    var soundest: [Instant] = []
    var sound: Set<ContentDigest> = []
    var renewals: [(version: RenewalVersion, at: Instant, payload: ContentDigest)] = []
    for payload in known {
      for version in payload.evidence.transactions
      where key(version.environment, version.originalTransactionID) == subscription {
        let at = version.signedAt ?? payload.evidenceAt
        newest.append(at)
        if !payload.evidence.isContradictory {
          if ![.appReceipt, .transactionReceipt].contains(payload.evidence.kind) { soundest.append(at) }
          sound.insert(version.object.digest)
        }
        if let seats = version.fields.seats?.revokedSeatQuantity {
          refunds[version.transactionID, default: []].append((seats, at))
        }
        let candidate = (version, at, payload.evidence.digest)
        if version.rank == .jws, isLater(candidate, than: lastSigned[version.transactionID]) {
          lastSigned[version.transactionID] = candidate
        }
        if let present = current[version.transactionID], !comes(candidate, after: present) { continue }
        current[version.transactionID] = candidate
      }
      for version in payload.evidence.renewals
      where key(version.environment, version.originalTransactionID) == subscription {
        let at = version.signedAt ?? payload.evidenceAt
        newest.append(at)
        if !payload.evidence.isContradictory { soundest.append(at) }
        renewals.append((version, at, payload.evidence.digest))
      }
      for claim in payload.evidence.claims where key(claim.environment, claim.originalTransactionID) == subscription {
        newest.append(claim.signedAt ?? payload.evidenceAt)
        if !payload.evidence.isContradictory { soundest.append(claim.signedAt ?? payload.evidenceAt) }
      }
    }
    // Rules §1: a receipt states nothing about seats.
    for (id, one) in current where one.version.rank != .jws {
      guard let fields = lastSigned[id]?.version.fields else { continue }
      current[id]?.version.fields.seats = fields.seats
      current[id]?.version.fields.revocationType = one.version.fields.revocationType ?? fields.revocationType
    }
    // Rules §3: a copy (rules §1) counts only where nothing but copies is.
    let subscriptions = current.values.filter { $0.version.fields.expiresAt != nil }
    func isCopy(_ version: TransactionVersion) -> Bool {
      guard let expires = version.fields.expiresAt, let purchase = version.fields.purchaseAt else { return false }
      return expires <= purchase
    }
    let originals = subscriptions.filter { !isCopy($0.version) }
    guard let period = Period(originals.isEmpty ? Array(subscriptions) : originals, refunds, time),
      let evidenceAt = newest.max()
    else { return nil }
    var answer = decide(subscription, period, evidenceAt, soundest.max(), renewals, time)
    // Rules §6: only contradictory payloads state the deciding version.
    if answer.rule == "covered" || answer.rule == "revoked",
      !sound.contains(period.deciding.version.object.digest)
    {
      answer.isConfirmed = false
    }
    // Rules §7.
    if let seats = period.seats {
      answer.seats = answer.state == "active" || answer.state == "grace_period" ? seats : 0
    }
    return answer
  }

  /// Returns whether a signed version is later than another one. The greater digest decides between the same instants.
  private func isLater(_ one: Candidate, than other: Candidate?) -> Bool {
    guard let other else { return true }
    if one.at != other.at { return one.at > other.at }
    if one.version.object.digest != other.version.object.digest {
      return other.version.object.digest < one.version.object.digest
    }
    return other.payload < one.payload
  }

  /// Returns whether a version comes after another one in the order of rules §2.
  private func comes(_ one: Candidate, after other: Candidate) -> Bool {
    if one.at != other.at { return one.at > other.at }
    if one.version.rank != other.version.rank { return one.version.rank.rawValue < other.version.rank.rawValue }
    let (left, right) = (one.version.fields, other.version.fields)
    if (left.revokedAt == nil) != (right.revokedAt == nil) { return left.revokedAt != nil }
    let reasons = (left.seats?.additionalTransactionReason, right.seats?.additionalTransactionReason)
    if (reasons.0 == nil) != (reasons.1 == nil) { return reasons.0 != nil }
    let (leftEnd, rightEnd) = (left.expiresAt?.milliseconds ?? -1, right.expiresAt?.milliseconds ?? -1)
    if leftEnd != rightEnd { return leftEnd > rightEnd }
    if one.version.object.digest != other.version.object.digest {
      return other.version.object.digest < one.version.object.digest
    }
    return other.payload < one.payload
  }

  /// Returns the answer of a period that has begun (rules §4 to §7).
  private func decide(
    _ subscription: String, _ period: Period, _ evidenceAt: Instant, _ soundAt: Instant?,
    _ renewals: [(version: RenewalVersion, at: Instant, payload: ContentDigest)], _ time: Instant
  ) -> Answer {
    let (head, end) = (period.deciding.version, period.end)
    // Rules §5: ties on evidence_at.
    func stronger(
      _ one: (version: RenewalVersion, at: Instant, payload: ContentDigest),
      _ other: (version: RenewalVersion, at: Instant, payload: ContentDigest)
    ) -> Bool {
      let mine = one.version.fields.productID != nil && one.version.fields.productID == head.fields.productID
      let theirs = other.version.fields.productID != nil && other.version.fields.productID == head.fields.productID
      if mine != theirs { return mine }
      if one.version.rank != other.version.rank { return one.version.rank.rawValue < other.version.rank.rawValue }
      if one.version.object.digest != other.version.object.digest {
        return other.version.object.digest < one.version.object.digest
      }
      return other.payload < one.payload
    }
    func last(_ list: [(version: RenewalVersion, at: Instant, payload: ContentDigest)]) -> RenewalVersion? {
      guard let at = list.map(\.at).max() else { return nil }
      return list.filter { $0.at == at }.sorted(by: stronger).first?.version
    }
    func first(_ list: [(version: RenewalVersion, at: Instant, payload: ContentDigest)]) -> RenewalVersion? {
      guard let at = list.map(\.at).min() else { return nil }
      return list.filter { $0.at == at }.sorted(by: stronger).first?.version
    }
    // Rules §7: will_renew and next_product_id.
    let latest = last(renewals.filter { $0.at <= time })?.fields
    // Rules §5: renewal(T).
    let chosen =
      last(renewals.filter { $0.at >= end && $0.at <= time }) ?? first(renewals.filter { $0.at > time })
      ?? last(renewals.filter { $0.at < end })
    let renewal = chosen?.fields
    // Rules §6: renewal(T) states that the subscription continues.
    let requiresSameFile =
      chosen?.rank == .jws && (chosen?.signedAt.map { $0 >= end && $0 <= time } ?? false)
      && (renewal?.autoRenewStatus == true || period.revokedAt.map { $0 >= end } ?? false)
      && renewal?.expirationIntent == nil
      && renewal?.isInBillingRetryPeriod != true
    var answer = Answer(
      subscription: subscription, product: head.fields.productID, transaction: head.transactionID, state: "active",
      rule: "covered",
      accessEndsAt: end, isConfirmed: true, willRenew: latest?.autoRenewStatus, next: latest?.autoRenewProductID,
      reason: nil, evidenceAt: evidenceAt, seatsNext: latest?.seats?.renewalQuantity)
    // Rules §4a.
    if !period.isUpgraded, let revoked = period.revokedAt, revoked <= time {
      (answer.state, answer.rule, answer.accessEndsAt) = ("revoked", "revoked", min(revoked, end))
      answer.isConfirmed = !requiresSameFile
      return answer
    }
    // Rules §4b and §4c.
    if period.isUpgraded, let over = period.upgradeEnd, over <= time {
      (answer.state, answer.rule, answer.accessEndsAt, answer.isConfirmed) = ("expired", "superseded", over, false)
      return answer
    }
    // Rules §4d and §4e.
    if time < end {
      answer.isConfirmed = !period.isIncomplete
      return answer
    }
    // Rules §6: nothing since E, or it continues.
    answer.isConfirmed = soundAt.map { $0 >= end } ?? false && !requiresSameFile && !period.isIncomplete
    // Rules §5a to §5e.
    let grace = renewal?.gracePeriodExpiresAt.flatMap { $0 > end ? $0 : nil }
    answer.accessEndsAt = grace ?? end
    let isRetrying = renewal?.isInBillingRetryPeriod ?? false
    if let grace, grace > time {
      (answer.state, answer.rule) = ("grace_period", "grace")
    } else if isRetrying, time.milliseconds < end.milliseconds + 60 * 86_400_000 {
      (answer.state, answer.rule) = ("billing_retry", "retry")
    } else if isRetrying {
      (answer.state, answer.rule, answer.reason) = ("expired", "retry_exhausted", "billing_error")
    } else {
      (answer.state, answer.rule) = ("expired", answer.isConfirmed ? "lapsed" : "unconfirmed")
      let reasons: [Int64: String] = [
        1: "customer_cancelled", 2: "billing_error", 3: "price_increase_not_accepted", 4: "product_unavailable",
      ]
      answer.reason = renewal?.expirationIntent.map { reasons[$0] ?? "other" }
    }
    return answer
  }
}
