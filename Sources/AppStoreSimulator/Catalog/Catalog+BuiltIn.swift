import AppStore

extension Catalog {
  /// Returns a catalogue's text with the app's bundle id. A JSON list becomes an object with `bundle_id` and
  /// `products`. A text in any other format stays as it is.
  /// - Parameter catalogue: the text that this catalogue was made from, UTF-8.
  public func naming(_ catalogue: [UInt8]) -> [UInt8] {
    guard let root = try? JSONDocument(catalogue).root, root.isArray else { return catalogue }
    var text = JSONWriter()
    text.add("bundle_id", bundleID)
    text.add("products", json: Array(root.source))
    return text.finished + [UInt8(ascii: "\n")]
  }

  /// Returns the catalogue of a meditation app. It has two subscription groups, every kind of offer, a year billed by
  /// the month, and one-time purchases.
  /// - Throws: nothing in practice, because a test reads the built-in text.
  public static func builtIn(bundleID: String = "com.example.meditation") throws -> Catalog {
    try Catalog(ProductCatalogue(Array(builtInCatalogue.utf8)), bundleID: bundleID)
  }

  // swift-format-ignore
  /// The built-in products as a JSON list, which `subledger products import` also accepts.
  public static let builtInCatalogue = #"""
    [
      {"product_id": "com.example.meditation.monthly", "type": "Auto-Renewable Subscription", "name": "Monthly",
       "group": "20900001", "group_name": "Meditation", "level": 1, "period": "P1M", "family_shareable": true,
       "entitlements": ["pro"], "price": "9.99", "currency": "USD",
       "offers": [
         {"type": "introductory", "payment_mode": "free", "period": "P1W", "period_count": 1},
         {"type": "promotional", "offer_identifier": "stay", "payment_mode": "payAsYouGo", "period": "P1M", "period_count": 3, "price": "4.99"},
         {"type": "code", "offer_identifier": "SPRING", "payment_mode": "free", "period": "P1M", "period_count": 1, "is_stackable": true},
         {"type": "win_back", "offer_identifier": "welcome-back", "payment_mode": "payUpFront", "period": "P3M", "period_count": 1, "price": "9.99"}]},
      {"product_id": "com.example.meditation.yearly", "type": "Auto-Renewable Subscription", "name": "Yearly",
       "group": "20900001", "group_name": "Meditation", "level": 1, "period": "P1Y", "family_shareable": true,
       "entitlements": ["pro"],
       "prices": [{"price": "59.99", "currency": "USD"}, {"price": "5.99", "currency": "USD", "billing_plan_type": "MONTHLY"}],
       "offers": [
         {"type": "introductory", "payment_mode": "free", "period": "P2W", "period_count": 1},
         {"type": "win_back", "offer_identifier": "year-back", "payment_mode": "payUpFront", "period": "P1Y", "period_count": 1, "price": "39.99"}]},
      {"product_id": "com.example.meditation.family", "type": "Auto-Renewable Subscription", "name": "Family",
       "group": "20900001", "group_name": "Meditation", "level": 1, "period": "P1M", "family_shareable": true,
       "entitlements": ["pro"], "price": "14.99", "currency": "USD"},
      {"product_id": "com.example.meditation.basic", "type": "Auto-Renewable Subscription", "name": "Basic",
       "group": "20900001", "group_name": "Meditation", "level": 2, "period": "P1M", "family_shareable": false,
       "entitlements": ["basic"], "price": "3.99", "currency": "USD",
       "offers": [{"type": "introductory", "payment_mode": "payUpFront", "period": "P2M", "period_count": 1, "price": "2.99"}]},
      {"product_id": "com.example.meditation.weekly", "type": "Auto-Renewable Subscription", "name": "Weekly",
       "group": "20900001", "group_name": "Meditation", "level": 2, "period": "P1W", "family_shareable": false,
       "entitlements": ["basic"], "price": "1.99", "currency": "USD",
       "offers": [{"type": "introductory", "payment_mode": "free", "period": "P3D", "period_count": 1}]},
      {"product_id": "com.example.meditation.stories", "type": "Auto-Renewable Subscription", "name": "Bedtime stories",
       "group": "20900002", "group_name": "Stories", "level": 1, "period": "P3M", "family_shareable": false,
       "entitlements": ["stories"], "price": "7.99", "currency": "USD",
       "offers": [{"type": "introductory", "payment_mode": "payAsYouGo", "period": "P3M", "period_count": 2, "price": "3.99"}]},
      {"product_id": "com.example.meditation.bells", "type": "Consumable", "name": "Ten bells",
       "entitlements": [], "price": "0.99", "currency": "USD"},
      {"product_id": "com.example.meditation.course", "type": "Non-Consumable", "name": "Beginners' course",
       "family_shareable": false, "entitlements": ["course"], "price": "19.99", "currency": "USD"},
      {"product_id": "com.example.meditation.retreat", "type": "Non-Renewing Subscription", "name": "A month's retreat",
       "period": "P1M", "entitlements": ["retreat"], "price": "24.99", "currency": "USD"}
    ]
    """#
}
