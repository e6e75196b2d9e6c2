import AppStore
import Ledger

/// A random history of a few subscriptions in a short time, so that all combinations occur. It contains equal instants,
/// several versions, copies, refunds, upgrades, and renewals of two products. It also contains late and repeated
/// deliveries, and invalid payloads.
package struct RandomHistory {
  package let arrivals: [Arrival]
  /// The instants worth a query: all that were used, and those between.
  package let instants: [Instant]

  package init(seed: UInt64, count: Int) async {
    var random = SplitMix(seed: seed)
    // The receipts of devices come from a generator of their own.
    var devices = SplitMix(seed: seed &+ 0xDE)
    var decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    if let root = try? ReceiptAuthority.shared.get().rootDER, let trust = try? TrustStore(trusting: [root]) {
      decoder.trust = trust
    }
    var arrivals: [Arrival] = []
    for _ in 0..<count {
      if devices.once(in: 6), let receipt = Self.deviceReceipt(&devices) {
        let received = Self.instant(&devices)
        for outcome in await decoder.decode(receipt).outcomes {
          arrivals.append(Arrival(outcome: outcome, receivedAt: received, isExplicit: true, origin: "device"))
        }
      }
      let text = Self.payload(&random)
      for _ in 0..<(random.once(in: 4) ? 2 : 1) {
        let received = Self.instant(&random)
        let isExplicit = !random.once(in: 3)
        for outcome in await decoder.decode(Array(text.utf8)).outcomes {
          arrivals.append(Arrival(outcome: outcome, receivedAt: received, isExplicit: isExplicit, origin: "random"))
        }
      }
    }
    self.arrivals = arrivals
    instants = (0...44).flatMap { [day(Double($0) * 4), day(Double($0) * 4 + 1.5)] } + [day(10_000)]
  }

  /// Returns the arrivals in a random order, with others among them: signed notifications about the same subscriptions
  /// and about one more. Their root is that of ``TestAuthority/sharedChain``.
  package func mixedWithSigned(_ count: Int, _ random: inout SplitMix) async throws -> [Arrival] {
    let chain = try TestAuthority.sharedChain.get()
    let decoder = PayloadDecoder.permissive(
      trust: try TrustStore(trusting: [TestAuthority.shared.get().rootDER]), acceptsUnverified: true)
    var mixed = arrivals
    for number in 0..<count {
      let (originalID, purchase) = ("L\(number % 4)", Self.instant(&random))
      let transaction = TransactionFixture(
        "\(originalID)-\(Int.random(in: 0...3, using: &random))", originalID: originalID, purchase,
        Instant(milliseconds: purchase.milliseconds + 28 * 86_400_000), revoked: Self.maybe(&random, 5))
      let renewal = random.once(in: 2) ? RenewalFixture(originalID: originalID, status: random.once(in: 2)) : nil
      let text = try PayloadFixture.signedV2(
        "DID_RENEW", at: Self.instant(&random), transaction: transaction, renewal: renewal, chain: chain)
      for outcome in await decoder.decode(Array(text.utf8)).outcomes {
        let received = Self.instant(&random)
        mixed.append(Arrival(outcome: outcome, receivedAt: received, isExplicit: true, origin: "signed"))
      }
    }
    return mixed.shuffled(using: &random)
  }

  private static func instant(_ random: inout SplitMix) -> Instant {
    day(Double(Int.random(in: 0...24, using: &random)) * 4)
  }

  private static func maybe(_ random: inout SplitMix, _ count: Int) -> Instant? {
    random.once(in: count) ? instant(&random) : nil
  }

  private static func transaction(_ random: inout SplitMix, originalID: String) -> TransactionFixture {
    let purchase = instant(&random)
    // Mostly a month, sometimes a copy, sometimes not a subscription.
    let lengths: [Double] = [28, 28, 28, 8, 0, -4]
    let length = lengths.randomElement(using: &random) ?? 28
    let expires = random.once(in: 12) ? nil : Instant(milliseconds: purchase.milliseconds + Int64(length * 86_400_000))
    var transaction = TransactionFixture(
      originalID + "-" + "\(Int.random(in: 0...3, using: &random))", originalID: originalID,
      product: random.once(in: 3) ? "yearly" : "monthly", purchase, expires, revoked: maybe(&random, 5),
      isUpgraded: random.once(in: 6), extra: identifiers(&random))
    transaction.extra += seats(of: transaction)
    return transaction
  }

  /// Returns what a transaction states about seats, if its subscription has any. It draws from a generator of its own.
  private static func seats(of transaction: TransactionFixture) -> [(String, String)] {
    let instants = [transaction.purchase, transaction.expires, transaction.revoked].map { $0?.milliseconds ?? 7 }
    var random = SplitMix(
      seed: instants.reduce(UInt64(transaction.originalID.utf8.last ?? 0)) { $0 &* 31 &+ UInt64($1) })
    guard transaction.originalID != "L1", random.once(in: 2) else { return [] }
    let quantity = Int.random(in: 2...5, using: &random)
    var members = [("quantity", "\(quantity)")]
    if !random.once(in: 3) { members.append(("additionalTransactionReason", "\"SEAT_ADDITION\"")) }
    if random.once(in: 2) {
      members.append(("multiSeatInfo", "{\"revokedSeatQuantity\":\(Int.random(in: 0...quantity, using: &random))}"))
    }
    if random.once(in: 8) { members.append(("inAppOwnershipType", "\"ASSIGNED\"")) }
    if random.once(in: 4) { members.append(("revocationType", "\"ASSIGNMENT_REVOKE\"")) }
    return members
  }

  /// Returns other ids that lead to a subscription, in both of Apple's spellings.
  private static func identifiers(_ random: inout SplitMix) -> [(String, String)] {
    var members: [(String, String)] = []
    for (signed, row) in [("webOrderLineItemId", "web_order_line_item_id"), ("appAccountToken", "app_account_token")]
    where random.once(in: 3) {
      let id = "\"\(signed.prefix(1))\(Int.random(in: 0...4, using: &random))\""
      members += [(signed, id), (row, id)]
    }
    return members
  }

  private static func renewal(_ random: inout SplitMix, originalID: String) -> RenewalFixture {
    RenewalFixture(
      originalID: originalID, product: random.once(in: 3) ? "yearly" : random.once(in: 8) ? nil : "monthly",
      next: random.once(in: 3) ? "yearly" : nil, status: random.once(in: 6) ? nil : Bool.random(using: &random),
      intent: random.once(in: 2) ? Int.random(in: 1...6, using: &random) : nil,
      retry: random.once(in: 3) ? nil : Bool.random(using: &random), grace: maybe(&random, 3),
      seats: originalID == "L2" ? 3 : nil)
  }

  private static func deviceReceipt(_ random: inout SplitMix) -> [UInt8]? {
    let originalID = "L\(Int.random(in: 1...3, using: &random))"
    let rows = (0...Int.random(in: 0...2, using: &random)).map { _ in
      let row = transaction(&random, originalID: originalID)
      return ReceiptFixture.row(
        row.id, row.purchase, row.expires, revoked: row.revoked, originalID: originalID, product: row.product)
    }
    let receipt = try? ReceiptFixture(
      ReceiptAuthority.shared.get(), environment: random.once(in: 5) ? "Production" : "ProductionSandbox",
      createdAt: instant(&random), rows: rows)
    return try? receipt?.bytes()
  }

  private static func payload(_ random: inout SplitMix) -> String {
    let originalID = "L\(Int.random(in: 1...3, using: &random))"
    let other = "L\(Int.random(in: 1...3, using: &random))"
    let environment = random.once(in: 5) ? "Production" : "Sandbox"
    switch Int.random(in: 0...7, using: &random) {
    case 0:
      return transaction(&random, originalID: originalID).signed(instant(&random), environment: environment)
    case 1:
      return renewal(&random, originalID: originalID).signed(instant(&random), environment: environment)
    case 2, 3:
      let latest = (0...Int.random(in: 0...2, using: &random)).map { _ in
        transaction(&random, originalID: random.once(in: 4) ? other : originalID)
      }
      let inApp = random.once(in: 2) ? [transaction(&random, originalID: originalID)] + latest.prefix(1) : []
      let renewals =
        random.once(in: 3) ? [] : [renewal(&random, originalID: originalID), renewal(&random, originalID: other)]
      let text = PayloadFixture.receipt(
        at: random.once(in: 3) ? nil : instant(&random), latest: latest, inApp: inApp, renewals: renewals,
        environment: environment)
      // Sometimes one row contradicts itself, and sometimes the receipt does, outside its rows.
      let odd = "\"purchase_date\":\"2001-01-01 00:00:00 Etc/GMT\",\"purchase_date_ms\""
      switch Int.random(in: 0...5, using: &random) {
      case 0: return text.replacing("\"purchase_date_ms\"", with: odd, maxReplacements: 1)
      case 1:
        return text.replacing(
          "\"bundle_id\"", with: "\"request_date\":\"2001-01-01 00:00:00 Etc/GMT\",\"bundle_id\"", maxReplacements: 1)
      default: return text
      }
    case 4:
      return PayloadFixture.v1(
        "DID_RENEW", latest: [transaction(&random, originalID: originalID)],
        renewals: [renewal(&random, originalID: originalID)],
        environment: environment)
    case 5, 6:
      return PayloadFixture.v2(
        "DID_RENEW", at: instant(&random), status: random.once(in: 2) ? Int.random(in: 1...5, using: &random) : nil,
        transaction: random.once(in: 6) ? nil : transaction(&random, originalID: originalID),
        renewal: random.once(in: 3) ? nil : renewal(&random, originalID: originalID), environment: environment)
    default:
      return ["{\"status\":21002}", "{\"torn\":", "{\"x\":\(Int.random(in: 0...5, using: &random))}", "[]"]
        .randomElement(using: &random) ?? ""
    }
  }
}
