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
  static let invalidExtendByDays = APIError(4_000_009, "extendByDays is not a number from 1 to 90.")
  static let invalidExtendReasonCode = APIError(4_000_010, "extendReasonCode is not a number from 0 to 3.")
  static let invalidRequestIdentifier = APIError(4_000_011, "requestIdentifier does not have 1 to 128 characters.")
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
  static let notExtendable = APIError(4_030_004, "The subscription's renewal date cannot be extended in this state.")
  static let extendedTooOften = APIError(4_030_005, "The subscription was extended twice in 365 days.")
  static let familyMemberNotExtendable = APIError(4_030_007, "A family member's subscription cannot be extended.")
  static let seatNotExtendable = APIError(4_030_028, "An assigned seat cannot be extended.")
  static let invalidAppAccountToken = APIError(4_000_183, "appAccountToken is not a UUID.")
  static let familySharedNotSupported = APIError(4_000_185, "A family member's purchase is not taken here.")
  static let notOriginalTransactionID = APIError(4_000_187, "The transaction id is not an original one.")
  static let seatNotSupported = APIError(4_000_227, "An assigned seat is not taken here.")
  static let appNotFound = APIError(4_040_003, "No app has this bundle id.")
  static let originalTransactionIDNotFound = APIError(4_040_005, "No purchase has this original transaction id.")
  static let transactionIDNotFound = APIError(4_040_010, "No purchase has this transaction id.")
}
