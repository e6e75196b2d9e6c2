/// One product, as its owner describes it. `nil` means that the catalogue does not state a value. A ledger then keeps
/// the value that it has.
public struct Product: Sendable, Equatable {
  /// The product id, `productID` in Xcode.
  public var id: String
  /// The bundle id of the app that sells it; `nil` if the catalogue does not state it.
  public var bundleID: String?
  /// The type of purchase.
  public var type: ProductType?
  /// The product's name in App Store Connect.
  public var referenceName: String?
  /// The names that customers see, one for each locale.
  public var names: [Name]?
  /// The id of its subscription group, `subscriptionGroupID` in Xcode.
  public var subscriptionGroupID: String?
  /// The name of its subscription group.
  public var subscriptionGroupName: String?
  /// The level of service in its group. Level 1 is the highest.
  public var serviceLevel: Int64?
  /// The duration of one purchase.
  public var period: Period?
  /// Whether customers may share it with their family.
  public var isFamilyShareable: Bool?
  /// The prices, by storefront, currency or billing plan.
  public var prices: [Price]?
  /// The introductory, promotional, code and win-back offers.
  public var offers: [Offer]?
  /// The entitlements that it grants, by the app's own names, such as `pro`.
  public var entitlements: [String]?

  /// Creates a product with an id, and optionally the bundle id of its app. All other values are `nil`.
  public init(id: String, bundleID: String? = nil) { (self.id, self.bundleID) = (id, bundleID) }

  /// The name and description of a product in one locale.
  public struct Name: Sendable, Equatable {
    /// The locale, such as `en_US`; empty if the catalogue states none.
    public var locale: String
    /// The name that customers see, `displayName` in Xcode.
    public var displayName: String
    /// The description that customers see; empty if there is none.
    public var description: String

    /// Creates a name in one locale.
    public init(locale: String, displayName: String, description: String) {
      (self.locale, self.displayName, self.description) = (locale, displayName, description)
    }
  }

  /// One price of a product.
  public struct Price: Sendable, Equatable {
    /// The price of one period, or of a one-time purchase.
    public var amount: Milliunits
    /// The currency as an ISO 4217 code; `nil` if the catalogue does not state it.
    public var currency: String?
    /// The storefront as a three-letter code; `nil` if the catalogue does not state it.
    public var storefront: String?
    /// Apple's billing plan, `BILLED_UPFRONT` or `MONTHLY`, for a product with several plans.
    public var billingPlanType: String?
    /// The price of the whole commitment.
    public var commitmentAmount: Milliunits?

    /// Creates a price of a product.
    public init(
      _ amount: Milliunits, currency: String? = nil, storefront: String? = nil, billingPlanType: String? = nil,
      commitmentAmount: Milliunits? = nil
    ) {
      self.amount = amount
      self.currency = currency
      self.storefront = storefront
      self.billingPlanType = billingPlanType
      self.commitmentAmount = commitmentAmount
    }
  }

  /// One offer of a product.
  public struct Offer: Sendable, Equatable {
    /// Apple's `offerType`, as in transactions: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    public var type: Int64
    /// Apple's `offerIdentifier`, as in transactions. For an offer code it is the reference name.
    public var identifier: String?
    /// The offer's name in App Store Connect.
    public var referenceName: String?
    /// The payment mode: `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
    public var discountType: String?
    /// The duration of one period of the offer.
    public var period: Period?
    /// The number of periods of the offer.
    public var periodCount: Int64?
    /// The price of one period; `nil` for a free offer, or if the catalogue does not state it.
    public var price: Milliunits?
    /// The customers who may use the offer: `new`, `existing`, `expired`.
    public var eligibility: [String] = []
    /// Whether an offer code can be combined with an introductory offer.
    public var isStackable: Bool?

    /// Creates an offer with a type and names. All other values are `nil` or empty.
    public init(type: Int64, identifier: String? = nil, referenceName: String? = nil) {
      (self.type, self.identifier, self.referenceName) = (type, identifier, referenceName)
    }
  }
}

/// The type of purchase of a product, with Apple's values of `type` in JWSTransactionDecodedPayload.
public enum ProductType: String, Sendable, CaseIterable {
  /// A subscription that renews until the customer turns renewal off.
  case autoRenewable = "Auto-Renewable Subscription"
  /// A subscription that does not renew. Only its app knows when it ends.
  case nonRenewing = "Non-Renewing Subscription"
  /// A purchase that lasts for ever.
  case nonConsumable = "Non-Consumable"
  /// A purchase that the customer uses up.
  case consumable = "Consumable"

  /// Reads Apple's values, Xcode's (`RecurringSubscription`, `NonConsumable` …), and their variations in case and
  /// punctuation; `nil` for any other text.
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

/// An ISO 8601 duration of whole years, months, weeks and days, the form of Apple's periods: `P1M`, `P2W`.
public struct Period: Sendable, Equatable, CustomStringConvertible {
  /// The duration as it was written.
  public let description: String
  /// The calendar months. A year counts as twelve.
  public let months: Int64
  /// The days. A week counts as seven.
  public let days: Int64

  /// Reads a duration. Returns `nil` for hours, for an empty duration, and for any other text.
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
      // Each unit occurs at most once, from the longest to the shortest.
      guard let index = units.firstIndex(of: character), digits.count <= 4, let count = Int64(digits) else {
        return nil
      }
      units = units[units.index(after: index)...]
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
