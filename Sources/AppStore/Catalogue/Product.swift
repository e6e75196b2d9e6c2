/// One product, as its owner describes it. What is `nil` was not told: a ledger keeps what it knew of that.
public struct Product: Sendable, Equatable {
  /// `productID`.
  public var id: String
  /// `bundleId` of the app that sells it; `nil` where the catalogue does not say.
  public var bundleID: String?
  /// What kind of purchase it is.
  public var type: ProductType?
  /// The name inside App Store Connect.
  public var referenceName: String?
  /// Its names for customers, by locale.
  public var names: [Name]?
  /// `subscriptionGroupID`.
  public var subscriptionGroupID: String?
  /// The name of that group.
  public var subscriptionGroupName: String?
  /// The level of service in its group; 1 is the highest.
  public var serviceLevel: Int64?
  /// How long one purchase lasts.
  public var period: Period?
  /// Whether a family may share it.
  public var isFamilyShareable: Bool?
  /// What it costs, by storefront, currency or billing plan.
  public var prices: [Price]?
  /// Its introductory, promotional, code and win-back offers.
  public var offers: [Offer]?
  /// The app's own names for what it grants, such as `pro`.
  public var entitlements: [String]?

  /// A product of which nothing is known but its id, and perhaps its app.
  public init(id: String, bundleID: String? = nil) { (self.id, self.bundleID) = (id, bundleID) }

  /// A product's name and description in one locale.
  public struct Name: Sendable, Equatable {
    /// Such as `en_US`.
    public var locale: String
    /// `displayName`.
    public var displayName: String
    /// `description`; empty where there is none.
    public var description: String

    /// A name.
    public init(locale: String, displayName: String, description: String) {
      (self.locale, self.displayName, self.description) = (locale, displayName, description)
    }
  }

  /// One price, in milliunits of its currency.
  public struct Price: Sendable, Equatable {
    /// Thousandths of the currency's unit, as Apple's `price` counts.
    public var milliunits: Int64
    /// ISO 4217, where told.
    public var currency: String?
    /// A storefront's three letters, where told.
    public var storefront: String?
    /// `BILLED_UPFRONT` or `MONTHLY`, where the product is sold by several plans.
    public var billingPlanType: String?
    /// The price of the whole commitment, in milliunits.
    public var commitmentMilliunits: Int64?

    /// A price.
    public init(
      milliunits: Int64, currency: String? = nil, storefront: String? = nil, billingPlanType: String? = nil,
      commitmentMilliunits: Int64? = nil
    ) {
      self.milliunits = milliunits
      self.currency = currency
      self.storefront = storefront
      self.billingPlanType = billingPlanType
      self.commitmentMilliunits = commitmentMilliunits
    }
  }

  /// One offer.
  public struct Offer: Sendable, Equatable {
    /// As in transactions: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    public var type: Int64
    /// `offerIdentifier`, as transactions carry it: of an offer code its reference name.
    public var identifier: String?
    /// The name inside App Store Connect.
    public var referenceName: String?
    /// `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
    public var discountType: String?
    /// How long one of its periods lasts.
    public var period: Period?
    /// How many periods it lasts.
    public var periodCount: Int64?
    /// What a period costs, in milliunits; `nil` for free ones and where it was not told.
    public var milliunits: Int64?
    /// Who may have it: `new`, `existing`, `expired`.
    public var eligibility: [String] = []
    /// Whether an offer code stacks on an introductory offer.
    public var isStackable: Bool?

    /// An offer of which nothing is known but its type and names.
    public init(type: Int64, identifier: String? = nil, referenceName: String? = nil) {
      (self.type, self.identifier, self.referenceName) = (type, identifier, referenceName)
    }
  }
}

/// What kind of purchase a product is, in the words of `type` in JWSTransactionDecodedPayload.
public enum ProductType: String, Sendable, CaseIterable {
  /// Renews until it is turned off.
  case autoRenewable = "Auto-Renewable Subscription"
  /// Ends after a time that only its app knows.
  case nonRenewing = "Non-Renewing Subscription"
  /// Bought once and for ever.
  case nonConsumable = "Non-Consumable"
  /// Used up.
  case consumable = "Consumable"

  /// Reads Apple's words, Xcode's (`RecurringSubscription`, `NonConsumable` …) and any writing of them.
  public init?(_ text: String) {
    let letters = text.lowercased().filter { $0.isLetter }
    switch letters {
    case "autorenewablesubscription", "autorenewable", "recurringsubscription", "subscription": self = .autoRenewable
    case "nonrenewingsubscription", "nonrenewing": self = .nonRenewing
    case "nonconsumable": self = .nonConsumable
    case "consumable": self = .consumable
    default: return nil
    }
  }
}

/// An ISO 8601 duration of whole years, months, weeks and days, as Apple writes periods: `P1M`, `P2W`.
public struct Period: Sendable, Equatable, CustomStringConvertible {
  /// As it was written.
  public let description: String
  /// Calendar months: years are twelve.
  public let months: Int64
  /// Days: weeks are seven.
  public let days: Int64

  /// Reads a duration; `nil` for anything else, for hours and for nothing at all.
  public init?(_ text: String) {
    guard text.first == "P", text.utf8.count <= 20 else { return nil }
    var (months, days): (Int64, Int64) = (0, 0)
    var digits = ""
    var units = Substring("YMWD")
    for character in text.dropFirst() {
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      // Each unit once, and from the longest to the shortest.
      guard let place = units.firstIndex(of: character), digits.count <= 4, let count = Int64(digits) else {
        return nil
      }
      units = units[units.index(after: place)...]
      switch character {
      case "Y": months += count * 12
      case "M": months += count
      case "W": days += count * 7
      default: days += count
      }
      digits = ""
    }
    guard digits.isEmpty, months + days > 0 else { return nil }
    (description, self.months, self.days) = (text, months, days)
  }
}

/// Amounts of money as people write them.
enum Milliunits {
  /// `4.99` to 4990: exact, at most three decimals, no sign, a dot and no thousands.
  static func parse(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let first = parts.first, !first.isEmpty, first.count <= 12 else { return nil }
    guard parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = Int64(first) else {
      return nil
    }
    guard parts.count == 2 else { return whole * 1000 }
    var fraction = parts[1]
    while fraction.count > 3, fraction.last == "0" { fraction.removeLast() }
    guard (1...3).contains(fraction.count) else { return nil }
    let padded = fraction + String(repeating: "0", count: 3 - fraction.count)
    return Int64(padded).map { whole * 1000 + $0 }
  }
}
