public import AppStore
internal import GRDB
internal import LedgerSchema

/// What became of a catalogue that was imported.
public struct CatalogueSummary: Sendable, Equatable {
  /// How many products it holds.
  public var products = 0
  /// How many of them were new.
  public var added = 0
  /// How many were known and are changed by it.
  public var changed = 0
  /// How many entitlements it gave to products, or took from them.
  public var entitlementChanges = 0

  /// A summary of nothing.
  public init() {}
}

extension LedgerRecorder {
  /// Records a catalogue, whole or not at all: a new version of each product that it says something new of. What it
  /// does not say of a product stays as it was known, and so do products that it does not hold.
  /// - Parameters:
  ///   - catalogue: the products.
  ///   - bundleID: the app that sells those of which the catalogue does not say.
  ///   - origin: where they came from: a path.
  ///   - now: when they are recorded.
  /// - Throws: ``LedgerError``, `refusedEntry` where a product belongs to no app, or to another than the one that is named.
  public func record(
    _ catalogue: ProductCatalogue, bundleID: String? = nil, origin: String, now: Instant
  ) throws -> CatalogueSummary {
    let products = try catalogue.products.map { product in
      var product = product
      if let own = product.bundleID, let bundleID, own != bundleID {
        throw LedgerError(
          .refusedEntry, "The catalogue says that a product belongs to another app than the one that you named.",
          "Name no app, or correct the catalogue; nothing of it was recorded.")
      }
      product.bundleID = product.bundleID ?? bundleID
      try CheckedText.text(product.bundleID ?? "", "An app's bundle id")
      return product
    }
    return try record { transaction in
      var recorder = CatalogueRecorder(transaction, now: now.milliseconds)
      for product in products { try recorder.record(product, origin: origin) }
      return recorder.summary
    }
  }

  /// Lets products of an app grant an entitlement of the app's own naming, or no longer.
  /// - Returns: for how many of them that was new.
  /// - Throws: ``LedgerError``.
  public func entitle(
    _ entitlement: String, products: [String], of bundleID: String, isGranted: Bool = true, now: Instant
  ) throws -> Int {
    try CheckedText.text(entitlement, "An entitlement's name")
    try CheckedText.text(bundleID, "An app's bundle id")
    return try record { transaction in
      var recorder = CatalogueRecorder(transaction, now: now.milliseconds)
      for product in products {
        try recorder.entitle(Product(id: product, bundleID: bundleID), to: entitlement, isGranted: isGranted)
      }
      return recorder.summary.entitlementChanges
    }
  }
}

/// Writes product versions, inside its caller's transaction.
private struct CatalogueRecorder {
  let transaction: EvidenceTransaction
  let now: Int64
  var summary = CatalogueSummary()

  init(_ transaction: EvidenceTransaction, now: Int64) { (self.transaction, self.now) = (transaction, now) }

  mutating func record(_ imported: Product, origin: String) throws {
    summary.products += 1
    let known = try StoredProduct.latest(transaction, imported.id, of: imported.bundleID)
    var product = known?.product ?? Product(id: imported.id, bundleID: imported.bundleID)
    product.take(imported)
    var shown = product
    shown.entitlements = nil
    if known.map({ $0.product != shown }) ?? true {
      if known == nil { summary.added += 1 } else { summary.changed += 1 }
      // Never before the version that it follows, whatever the clock says.
      try insert(shown, at: max(now, known?.recordedAt ?? now), origin: origin)
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
        SELECT is_granted, recorded_at FROM product_entitlement_entry
        WHERE product_id = ? AND bundle_id IS ? AND entitlement = ?
        ORDER BY entry_id DESC LIMIT 1
        """, [product.id, product.bundleID, entitlement])
    guard (last?["is_granted"] as Bool? ?? false) != isGranted else { return }
    let at = max(now, last?["recorded_at"] as Int64? ?? now)
    try transaction.insert("product_entitlement_entry", [nil, product.id, entitlement, isGranted, at, product.bundleID])
    summary.entitlementChanges += 1
  }

  private func insert(_ product: Product, at recordedAt: Int64, origin: String) throws {
    var recorder = Recorder(transaction)
    let origin = try recorder.originID(origin)
    let version = try transaction.insert(
      "product_version",
      [
        nil, product.id, recordedAt, origin, product.type?.rawValue, product.referenceName, product.subscriptionGroupID,
        product.subscriptionGroupName, product.serviceLevel, product.period?.description, product.period?.months,
        product.period?.days, product.isFamilyShareable, product.bundleID,
      ])
    for name in product.names ?? [] {
      try transaction.insert("product_name", [version, name.locale, name.displayName, name.description])
    }
    for (ordinal, price) in (product.prices ?? []).enumerated() {
      try transaction.insert(
        "product_price",
        [
          version, ordinal, price.milliunits, price.currency, price.storefront, price.billingPlanType,
          price.commitmentMilliunits,
        ])
    }
    for (ordinal, offer) in (product.offers ?? []).enumerated() {
      try transaction.insert(
        "product_offer",
        [
          version, ordinal, offer.type, offer.identifier, offer.referenceName, offer.discountType,
          offer.period?.description, offer.periodCount, offer.milliunits,
          offer.eligibility.isEmpty ? nil : offer.eligibility.sorted().joined(separator: " "), offer.isStackable,
        ])
    }
  }
}

extension Product {
  /// Takes over what another statement says, and keeps the rest.
  fileprivate mutating func take(_ told: Product) {
    type = told.type ?? type
    referenceName = told.referenceName ?? referenceName
    names = told.names ?? names
    subscriptionGroupID = told.subscriptionGroupID ?? subscriptionGroupID
    subscriptionGroupName = told.subscriptionGroupName ?? subscriptionGroupName
    serviceLevel = told.serviceLevel ?? serviceLevel
    period = told.period ?? period
    isFamilyShareable = told.isFamilyShareable ?? isFamilyShareable
    prices = told.prices ?? prices
    offers = told.offers ?? offers
  }
}
