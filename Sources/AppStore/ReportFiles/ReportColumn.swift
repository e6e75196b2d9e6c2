/// The columns of reports that figures keep, by one name for all reports and versions.
public enum ReportColumn: Int, Sendable, CaseIterable {
  /// The name of an event, as Apple writes it.
  case event
  /// The app's number in the App Store.
  case appAppleID
  /// The product's number in the App Store.
  case productAppleID
  /// The product id, which only some reports have (`SKU`).
  case productID
  /// The product's name in App Store Connect.
  case productName
  /// The number of the product's subscription group.
  case subscriptionGroupID
  /// The length of a period in words, such as `1 Month`.
  case duration
  /// The type of the offer: `Free Trial`, `Pay As You Go` or `Pay Up Front`.
  case offerType
  /// The name of the offer in App Store Connect.
  case offerName
  /// The id of the offer.
  case offerID
  /// The length of the offer in words, such as `2 Weeks`.
  case offerDuration
  /// The storefront, as an ISO 3166 code of two letters.
  case country
  /// The currency of the customer's price.
  case customerCurrency
  /// The currency of the proceeds.
  case proceedsCurrency
  /// `Yes` for a customer who keeps an older price.
  case preservedPricing
  /// `Rate After One Year` for the reduced commission.
  case proceedsReason
  /// The program that sold it: `News` or blank.
  case client
  /// The customer's kind of device.
  case device
  /// The reason of a cancellation.
  case cancellationReason
  /// The product before a change of plan, by its number in the App Store.
  case previousProductAppleID
  /// The product before a change of plan, by its name.
  case previousProductName
  /// Apple's code of the product type, such as `IAY`.
  case productType
  /// Whether a sale is `New` or `Renewal`.
  case renewal
  /// The kind of order, such as `Pay As You Go Intro Offer`.
  case orderType
}

/// What a column of a file is for.
enum ColumnRole: Equatable {
  /// A text that figures keep.
  case text(ReportColumn)
  /// A number of subscriptions in a state: a column of a snapshot.
  case count(String)
  case customerPrice, proceeds, units
  /// The proceeds of all units of a row.
  case extendedProceeds
  case day, endDay, purchaseDay, originalStartDay
  case consecutivePaidPeriods, daysBeforeCanceling, daysCanceled
  case refund
  /// The name of a state, which is the measure of the row.
  case stateMetric
  /// A known column that figures do not keep. Its values stay in the text of the file.
  case unused

  /// Returns the role of a column; `nil` for one that no known version has.
  /// - Parameter name: the name in the header, in small letters and without anything but letters and digits.
  static func of(_ name: String) -> ColumnRole? {
    if let role = roles[name] { return role }
    return counts[name].map { .count($0) }
  }

  /// The columns of all versions [Apple, "Reports" in App Store Connect Help; real files of 1_0 and 1_2].
  private static let roles: [String: ColumnRole] = [
    "event": .text(.event), "eventname": .text(.event),
    "appappleid": .text(.appAppleID),
    "subscriptionappleid": .text(.productAppleID), "appleidentifier": .text(.productAppleID),
    "sku": .text(.productID),
    "subscriptionname": .text(.productName), "title": .text(.productName),
    "subscriptiongroupid": .text(.subscriptionGroupID),
    "standardsubscriptionduration": .text(.duration), "subscriptionduration": .text(.duration),
    "period": .text(.duration),
    "subscriptionoffertype": .text(.offerType), "introductorypricetype": .text(.offerType),
    "subscriptionoffername": .text(.offerName), "promotionaloffername": .text(.offerName),
    "offerreferencename": .text(.offerName),
    "promotionalofferid": .text(.offerID), "offercode": .text(.offerID),
    "subscriptionofferduration": .text(.offerDuration), "introductorypriceduration": .text(.offerDuration),
    "country": .text(.country), "countrycode": .text(.country), "territory": .text(.country),
    "customercurrency": .text(.customerCurrency),
    "proceedscurrency": .text(.proceedsCurrency), "currencyofproceeds": .text(.proceedsCurrency),
    "preservedpricing": .text(.preservedPricing), "proceedsreason": .text(.proceedsReason),
    "client": .text(.client), "device": .text(.device), "cancellationreason": .text(.cancellationReason),
    "previoussubscriptionappleid": .text(.previousProductAppleID),
    "previoussubscriptionname": .text(.previousProductName),
    // Analytics reports. Their pages and their files spell some names in different ways.
    "statemetric": .stateMetric, "eventsubtype": .text(.event), "counts": .units,
    "appappleidentifier": .text(.appAppleID), "subscriptionidentifier": .text(.productAppleID),
    "subscriptiongroupidentifier": .text(.subscriptionGroupID), "offerpricing": .text(.offerType),
    "offername": .text(.offerName), "offerid": .text(.offerID), "offerduration": .text(.offerDuration),
    "previoussubscriptionidentifier": .text(.previousProductAppleID), "originalpurchasedevice": .text(.device),
    "statemetricgrouping": .unused, "eventgrouping": .unused, "eventgroup": .unused, "subscriptiongroup": .unused,
    "billingfrequency": .unused, "billingperiod": .unused, "offertype": .unused, "vanitycode": .unused,
    "planchangetype": .unused, "familysharing": .unused, "churntenure": .unused,
    "appdownloadsourcetype": .unused, "pagetype": .unused, "preorder": .unused,
    // Financial reports call the proceeds a partner's share.
    "vendoridentifier": .text(.productID), "countryofsale": .text(.country),
    "partnersharecurrency": .text(.proceedsCurrency), "partnershare": .proceeds,
    "extendedpartnershare": .extendedProceeds, "startdate": .day, "transactiondate": .day,
    "settlementdate": .unused, "salesorreturn": .unused, "saleorreturn": .unused, "upc": .unused, "isrcisbn": .unused,
    "artistshowdeveloperauthor": .unused, "labelstudionetworkdeveloperpublisher": .unused, "grid": .unused,
    "isanotheridentifier": .unused, "preorderflag": .unused, "developername": .unused, "region": .unused,
    "producttypeidentifier": .text(.productType), "subscription": .text(.renewal), "ordertype": .text(.orderType),
    "customerprice": .customerPrice, "developerproceeds": .proceeds,
    "units": .units, "quantity": .units, "redemptions": .units,
    "eventdate": .day, "date": .day, "begindate": .day, "enddate": .endDay, "purchasedate": .purchaseDay,
    "originalstartdate": .originalStartDay,
    "consecutivepaidperiods": .consecutivePaidPeriods, "daysbeforecanceling": .daysBeforeCanceling,
    "dayscanceled": .daysCanceled, "refund": .refund,
    "provider": .unused, "providercountry": .unused, "developer": .unused, "version": .unused, "promocode": .unused,
    "parentidentifier": .unused, "category": .unused, "cmb": .unused, "supportedplatforms": .unused,
    "appname": .unused, "state": .unused, "subscribers": .unused, "subscriberid": .unused,
    "subscriberidreset": .unused, "marketingoptin": .unused, "marketingoptinduration": .unused,
    "paidservicedaysrecovered": .unused, "trial": .unused, "trialduration": .unused,
    // Columns of loaders that copy reports into tables.
    "fivetranid": .unused, "fivetransynced": .unused, "vendornumber": .unused,
  ]

  /// The columns of a snapshot, and the stable names of their measures.
  private static let counts: [String: String] = {
    var names = [
      "activestandardpricesubscriptions": "active_standard_price", "marketingoptins": "marketing_opt_in",
      "billingretry": "billing_retry", "graceperiod": "grace_period",
    ]
    for (title, type) in [
      ("freetrial", "free_trial"), ("payupfront", "pay_up_front"), ("payasyougo", "pay_as_you_go"),
    ] {
      names["active\(title)introductoryoffersubscriptions"] = "\(type)_introductory"
      names["\(title)promotionaloffersubscriptions"] = "\(type)_promotional"
      names["\(title)offercodesubscriptions"] = "\(type)_offer_code"
      names["\(title)winbackoffers"] = "\(type)_win_back"
      names["\(title)winbackoffersubscriptions"] = "\(type)_win_back"
    }
    return names
  }()
}
