public import AppStore
internal import GRDB
internal import LedgerSchema

/// The counts of an imported catalogue.
public struct CatalogueSummary: Sendable, Equatable {
  /// The number of products in the catalogue.
  public var products = 0
  /// The number of products that the ledger did not have.
  public var added = 0
  /// The number of known products that the catalogue changes.
  public var changed = 0
  /// The number of entitlements that the catalogue gave to products or took from them.
  public var entitlementChanges = 0

  /// Creates a summary with all counts 0.
  public init() {}
}

extension LedgerRecorder {
  /// Records a catalogue completely or not at all, as a new version of each product that it adds or changes. A field
  /// that the catalogue leaves out keeps its recorded value. Products that are not in the catalogue stay unchanged.
  /// - Parameters:
  ///   - catalogue: the products to record.
  ///   - bundleID: the app that sells the products without a bundle id of their own.
  ///   - origin: the source of the catalogue, a path.
  ///   - now: the instant of recording.
  /// - Returns: the counts of products and changes.
  /// - Throws: ``LedgerError``: `refused_entry` when a product has another bundle id than `bundleID`; `refused_text`
  ///   when a product's bundle id is empty or too long.
  public func record(
    _ catalogue: ProductCatalogue, bundleID: String? = nil, origin: String, now: Instant
  ) throws -> CatalogueSummary {
    let products = try catalogue.products.map { product in
      var product = product
      if let own = product.bundleID, let bundleID, own != bundleID {
        throw LedgerError(
          .refusedEntry, "The catalogue states another app for a product than the app that you named.",
          "Name no app, or correct the catalogue. Nothing of it was recorded.")
      }
      product.bundleID = product.bundleID ?? bundleID
      try CheckedText.text(product.bundleID ?? "", "An app's bundle id")
      return product
    }
    return try record { transaction in
      var recorder = CatalogueRecorder(transaction, now: now)
      for product in products { try recorder.record(product, origin: origin) }
      if recorder.summary.added + recorder.summary.changed > 0 {
        // Types and durations decide about one-time purchases (rules §9), so the change feed looks at them again.
        try transaction.projections.execute(
          "UPDATE main.change_feed_state SET next_change_at = 1 WHERE kind = 'one_time_purchase'")
      }
      return recorder.summary
    }
  }

  /// Records that products of an app grant an entitlement, or no longer grant it. The app chooses the entitlement's
  /// name.
  /// - Parameters:
  ///   - entitlement: the name of the entitlement, such as `pro`.
  ///   - products: the ids of the products.
  ///   - bundleID: the app that sells the products.
  ///   - isGranted: false to record that the products no longer grant the entitlement.
  ///   - now: the instant of recording.
  /// - Returns: the number of products for which this was a change.
  /// - Throws: ``LedgerError``: `refused_text` when a name is empty or too long.
  public func entitle(
    _ entitlement: String, products: [String], of bundleID: String, isGranted: Bool = true, now: Instant
  ) throws -> Int {
    try CheckedText.text(entitlement, "An entitlement's name")
    try CheckedText.text(bundleID, "An app's bundle id")
    return try record { transaction in
      var recorder = CatalogueRecorder(transaction, now: now)
      for product in products {
        try recorder.entitle(Product(id: product, bundleID: bundleID), to: entitlement, isGranted: isGranted)
      }
      return recorder.summary.entitlementChanges
    }
  }
}

/// Writes product versions inside the transaction of its caller.
private struct CatalogueRecorder {
  let transaction: EvidenceTransaction
  let now: Instant
  var summary = CatalogueSummary()

  init(_ transaction: EvidenceTransaction, now: Instant) { (self.transaction, self.now) = (transaction, now) }

  mutating func record(_ imported: Product, origin: String) throws {
    summary.products += 1
    let known = try StoredProduct.latest(transaction, imported.id, of: imported.bundleID)
    var product = known?.product ?? Product(id: imported.id, bundleID: imported.bundleID)
    product.take(imported)
    var shown = product
    shown.entitlements = nil
    if known.map({ $0.product != shown }) ?? true {
      if known == nil { summary.added += 1 } else { summary.changed += 1 }
      // A version is never recorded before its predecessor, even if the clock went back.
      try insert(shown, at: max(now, known?.enteredAt ?? now), origin: origin)
    }
    guard let wanted = imported.entitlements else { return }
    let granted = try transaction.texts(
      """
      SELECT entitlement FROM product_entitlement_entry e
      WHERE product_id = ? AND bundle_id IS ? AND is_granted = 1 AND NOT EXISTS (
        SELECT 1 FROM product_entitlement_entry l
        WHERE l.product_id = e.product_id AND l.bundle_id IS e.bundle_id AND l.entitlement = e.entitlement
          AND l.entry_id > e.entry_id)
      """, [product.id, product.bundleID])
    for name in Set(wanted).subtracting(granted).sorted() { try entitle(product, to: name, isGranted: true) }
    for name in Set(granted).subtracting(wanted).sorted() { try entitle(product, to: name, isGranted: false) }
  }

  mutating func entitle(_ product: Product, to entitlement: String, isGranted: Bool) throws {
    let last = try transaction.row(
      """
      SELECT is_granted, entered_at FROM product_entitlement_entry
      WHERE product_id = ? AND bundle_id IS ? AND entitlement = ?
      ORDER BY entry_id DESC LIMIT 1
      """, [product.id, product.bundleID, entitlement])
    guard (last?["is_granted"] as Bool? ?? false) != isGranted else { return }
    let at = max(now, last?.instant("entered_at") ?? now)
    try transaction.insert(
      "product_entitlement_entry",
      [
        "product_id": product.id, "entitlement": entitlement, "is_granted": isGranted,
        "entered_at": at.milliseconds,
        "bundle_id": product.bundleID,
      ])
    summary.entitlementChanges += 1
  }

  private func insert(_ product: Product, at enteredAt: Instant, origin: String) throws {
    var recorder = Recorder(transaction)
    let origin = try recorder.originID(origin)
    let version = try transaction.insert(
      "product_version",
      [
        "product_id": product.id, "entered_at": enteredAt.milliseconds, "origin_id": origin,
        "type": product.type?.rawValue,
        "reference_name": product.referenceName, "subscription_group_identifier": product.subscriptionGroupID,
        "subscription_group_name": product.subscriptionGroupName, "service_level": product.serviceLevel,
        "period": product.period?.description, "period_months": product.period?.months,
        "period_days": product.period?.days, "is_family_shareable": product.isFamilyShareable,
        "bundle_id": product.bundleID,
      ])
    for name in product.names ?? [] {
      try transaction.insert(
        "product_name",
        [
          "version_id": version, "locale": name.locale, "display_name": name.displayName,
          "description": name.description,
        ])
    }
    for (ordinal, price) in (product.prices ?? []).enumerated() {
      try transaction.insert(
        "product_price",
        [
          "version_id": version, "ordinal": ordinal, "price_milliunits": price.amount.rawValue,
          "currency": price.currency, "storefront": price.storefront, "billing_plan_type": price.billingPlanType,
          "commitment_price_milliunits": price.commitmentAmount?.rawValue,
        ])
    }
    for (ordinal, offer) in (product.offers ?? []).enumerated() {
      try transaction.insert(
        "product_offer",
        [
          "version_id": version, "ordinal": ordinal, "offer_type": offer.type, "offer_identifier": offer.identifier,
          "reference_name": offer.referenceName, "offer_discount_type": offer.discountType,
          "period": offer.period?.description, "period_count": offer.periodCount,
          "price_milliunits": offer.price?.rawValue,
          "eligibility": offer.eligibility.isEmpty ? nil : offer.eligibility.sorted().joined(separator: " "),
          "is_stackable": offer.isStackable,
        ])
    }
  }
}

extension Product {
  /// Takes over the fields that another version states, and leaves the other fields as they are.
  fileprivate mutating func take(_ other: Product) {
    type = other.type ?? type
    referenceName = other.referenceName ?? referenceName
    names = other.names ?? names
    subscriptionGroupID = other.subscriptionGroupID ?? subscriptionGroupID
    subscriptionGroupName = other.subscriptionGroupName ?? subscriptionGroupName
    serviceLevel = other.serviceLevel ?? serviceLevel
    period = other.period ?? period
    isFamilyShareable = other.isFamilyShareable ?? isFamilyShareable
    prices = other.prices ?? prices
    offers = other.offers ?? offers
  }
}
