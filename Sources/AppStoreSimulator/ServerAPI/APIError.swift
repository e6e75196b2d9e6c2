import AppStore

/// A refusal of the App Store Server API, by Apple's code. The first three digits are the status of HTTP.
struct APIError: Error, Equatable {
  /// Apple's `errorCode`, of seven digits.
  let code: Int64
  /// The words for a person. Clients compare the code only.
  let message: String

  private init(_ code: Int64, _ message: String) { (self.code, self.message) = (code, message) }

  /// The answer with this error.
  var response: APIResponse {
    var text = JSONWriter()
    text.add("errorCode", code)
    text.add("errorMessage", message)
    return APIResponse(Int(code / 10_000), text.finished)
  }

  /// Returns the answer with this error, and with the instant from which another try makes sense.
  func answer(again: Instant) -> APIResponse {
    var response = response
    response.retryAfter = again
    return response
  }

  static let invalidAppIdentifier = APIError(4_000_002, "The app's identifier is not valid.")
  static let invalidRevision = APIError(4_000_005, "The revision is not one of this question.")
  static let invalidTransactionID = APIError(4_000_006, "The transaction id is not valid.")
  static let invalidOriginalTransactionID = APIError(4_000_008, "The original transaction id is not valid.")
  static let invalidExtendByDays = APIError(4_000_009, "extendByDays is not a number from 1 to 90.")
  static let invalidExtendReasonCode = APIError(4_000_010, "extendReasonCode is not a number from 0 to 3.")
  static let invalidRequestIdentifier = APIError(4_000_011, "requestIdentifier does not have 1 to 128 characters.")
  static let startDateTooFarInPast = APIError(4_000_012, "startDate is before the first instant of the history.")
  static let startDateAfterEndDate = APIError(4_000_013, "endDate is not after startDate.")
  static let invalidPaginationToken = APIError(4_000_014, "The pagination token is not one of this question.")
  static let invalidStartDate = APIError(4_000_015, "startDate is not a number of milliseconds.")
  static let invalidEndDate = APIError(4_000_016, "endDate is not a number of milliseconds.")
  static let paginationTokenExpired = APIError(4_000_017, "The pagination token is older than a day.")
  static let invalidNotificationType = APIError(4_000_018, "No notification has this type and subtype.")
  static let multipleFilters = APIError(4_000_019, "Either a type or a transaction id is taken, not both.")
  static let invalidTestNotificationToken = APIError(4_000_020, "The text is not a token of a test notification.")
  static let invalidSort = APIError(4_000_021, "sort is not ASCENDING or DESCENDING.")
  static let invalidProductType = APIError(4_000_022, "productType is not a type of products.")
  static let invalidProductID = APIError(4_000_023, "productId is empty.")
  static let invalidGroup = APIError(4_000_024, "subscriptionGroupIdentifier is empty.")
  static let invalidExcludeRevoked = APIError(4_000_025, "excludeRevoked is not true or false.")
  static let invalidOwnershipType = APIError(4_000_026, "inAppOwnershipType is not PURCHASED or FAMILY_SHARED.")
  static let emptyStorefrontCountryCodes = APIError(4_000_027, "storefrontCountryCodes is empty.")
  static let invalidStorefrontCountryCode = APIError(
    4_000_028, "A storefront country code does not have three letters.")
  static let invalidRevoked = APIError(4_000_030, "revoked is not true or false.")
  static let invalidStatus = APIError(4_000_031, "status is not a number from 1 to 5.")
  static let invalidAccountTenure = APIError(4_000_032, "accountTenure is not a number from 0 to 7.")
  static let invalidConsumptionAppAccountToken = APIError(4_000_033, "appAccountToken is not a UUID or empty.")
  static let invalidConsumptionStatus = APIError(4_000_034, "consumptionStatus is not a number from 0 to 3.")
  static let invalidCustomerConsented = APIError(4_000_035, "customerConsented is not true.")
  static let invalidDeliveryStatus = APIError(4_000_036, "deliveryStatus is not one of its values.")
  static let invalidLifetimeDollarsPurchased = APIError(
    4_000_037, "lifetimeDollarsPurchased is not a number from 0 to 7.")
  static let invalidLifetimeDollarsRefunded = APIError(
    4_000_038, "lifetimeDollarsRefunded is not a number from 0 to 7.")
  static let invalidPlatform = APIError(4_000_039, "platform is not a number from 0 to 2.")
  static let invalidPlayTime = APIError(4_000_040, "playTime is not a number from 0 to 7.")
  static let invalidSampleContentProvided = APIError(4_000_041, "sampleContentProvided is not true or false.")
  static let invalidUserStatus = APIError(4_000_042, "userStatus is not a number from 0 to 4.")
  static let invalidRefundPreference = APIError(4_000_044, "refundPreference is not one of its values.")
  static let appTransactionIDNotSupported = APIError(4_000_048, "An app transaction id is not taken here.")
  static let notExtendable = APIError(4_030_004, "The subscription's renewal date cannot be extended in this state.")
  static let extendedTooOften = APIError(4_030_005, "The subscription was extended twice in 365 days.")
  static let familyMemberNotExtendable = APIError(4_030_007, "A family member's subscription cannot be extended.")
  static let seatNotExtendable = APIError(4_030_028, "An assigned seat cannot be extended.")
  static let invalidAppAccountToken = APIError(4_000_183, "appAccountToken is not a UUID.")
  static let familySharedNotSupported = APIError(4_000_185, "A family member's purchase is not taken here.")
  static let notOriginalTransactionID = APIError(4_000_187, "The transaction id is not an original one.")
  static let consumptionPercentageNotSupported = APIError(
    4_000_209, "consumptionPercentage is not taken for a subscription.")
  /// Apple documents this error without its number, so it has the general one.
  static let invalidConsumptionPercentage = APIError(
    4_000_000, "consumptionPercentage does not fit the delivery or the wish.")
  /// Apple documents this error without its number, so it has the general one.
  static let invalidGroupID = APIError(4_000_000, "The group id is not valid.")
  static let invalidPageLimit = APIError(4_000_004, "limit is not a number from 1 to 100.")
  static let seatNotSupported = APIError(4_000_227, "An assigned seat is not taken here.")
  static let accountNotFoundTryAgain = APIError(4_040_002, "The account is not found yet. Try again.")
  static let appNotFoundTryAgain = APIError(4_040_004, "The app is not found yet. Try again.")
  static let appTransactionNotFound = APIError(4_040_019, "The customer has no app transaction.")
  static let appNotFound = APIError(4_040_003, "No app has this bundle id.")
  static let originalTransactionIDNotFound = APIError(4_040_005, "No purchase has this original transaction id.")
  static let originalTransactionIDNotFoundTryAgain = APIError(
    4_040_006, "No purchase has this original transaction id yet. Try again.")
  static let serverNotificationURLNotFound = APIError(4_040_007, "The app has no address for notifications.")
  static let testNotificationNotFound = APIError(4_040_008, "No test notification has this token.")
  static let statusRequestNotFound = APIError(4_040_009, "No extension has this request identifier and product.")
  static let transactionIDNotFound = APIError(4_040_010, "No purchase has this transaction id.")
  /// Apple documents this error without its number.
  static let groupNotFound = APIError(4_040_000, "No group has this id.")
  static let rateLimitExceeded = APIError(4_290_000, "There were too many requests.")
  static let unknown = APIError(5_000_000, "An unknown error happened.")
  static let unknownTryAgain = APIError(5_000_001, "An unknown error happened. Try again.")
}
