/// A refusal of the App Store Server API, by Apple's code. The first three digits are the status of HTTP.
struct APIError: Error, Equatable {
  /// Apple's `errorCode`, of seven digits.
  let code: Int64
  /// The words for a person. Clients compare the code only.
  let message: String

  private init(_ code: Int64, _ message: String) { (self.code, self.message) = (code, message) }

  /// The answer with this error.
  var response: APIResponse {
    var text = JSONText()
    text.add("errorCode", code)
    text.add("errorMessage", message)
    return APIResponse(Int(code / 10_000), text.finished)
  }

  static let invalidRevision = APIError(4_000_005, "The revision is not one of this question.")
  static let invalidTransactionID = APIError(4_000_006, "The transaction id is not valid.")
  static let invalidOriginalTransactionID = APIError(4_000_008, "The original transaction id is not valid.")
  static let invalidStartDate = APIError(4_000_015, "startDate is not a number of milliseconds.")
  static let invalidEndDate = APIError(4_000_016, "endDate is not a number of milliseconds.")
  static let invalidSort = APIError(4_000_021, "sort is not ASCENDING or DESCENDING.")
  static let invalidProductType = APIError(4_000_022, "productType is not a type of products.")
  static let invalidProductID = APIError(4_000_023, "productId is empty.")
  static let invalidGroup = APIError(4_000_024, "subscriptionGroupIdentifier is empty.")
  static let invalidExcludeRevoked = APIError(4_000_025, "excludeRevoked is not true or false.")
  static let invalidOwnershipType = APIError(4_000_026, "inAppOwnershipType is not PURCHASED or FAMILY_SHARED.")
  static let invalidRevoked = APIError(4_000_030, "revoked is not true or false.")
  static let invalidStatus = APIError(4_000_031, "status is not a number from 1 to 5.")
  static let appTransactionIDNotSupported = APIError(4_000_048, "An app transaction id is not taken here.")
  static let appNotFound = APIError(4_040_003, "No app has this bundle id.")
  static let originalTransactionIDNotFound = APIError(4_040_005, "No purchase has this original transaction id.")
  static let transactionIDNotFound = APIError(4_040_010, "No purchase has this transaction id.")
}
