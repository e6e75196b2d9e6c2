import AppStore
import Foundation

/// A status of verifyReceipt that is not 0 (Apple, "status").
enum ReceiptStatus: Int64, Error {
  case notPosted = 21_000
  case malformed = 21_002
  case notAuthenticated = 21_003
  case wrongSecret = 21_004
  case isOfSandbox = 21_007
  case isOfProduction = 21_008
  case accountNotFound = 21_010

  /// The answer with this status. HTTP has the status 200 all the same.
  var response: APIResponse {
    var text = JSONWriter()
    text.add("status", rawValue)
    return APIResponse(200, text.finished)
  }
}

/// The verifyReceipt endpoint, which Apple has deprecated.
extension LocalAppStore {
  /// The app's shared secret, which is the same in every simulation.
  public static var sharedSecret: String { ResponseEncoder.sharedSecret }

  private struct Body: Decodable {
    enum CodingKeys: String, CodingKey {
      case receipt = "receipt-data"
      case password
      case excludesOld = "exclude-old-transactions"
    }
    let receipt: String?
    let password: String?
    let excludesOld: Bool?
  }

  /// Answers with what an account bought.
  func verifyReceipt(_ body: [UInt8]) throws -> APIResponse {
    do {
      guard let given: Body = try? object(body), let text = given.receipt else { throw ReceiptStatus.malformed }
      guard let bytes = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
        throw ReceiptStatus.malformed
      }
      let receipt = try PostedReceipt(Array(bytes))
      guard let signer = signer.receipts, signer.made(receipt.signature, of: receipt.payload) else {
        throw ReceiptStatus.notAuthenticated
      }
      guard receipt.environment == simulation.rate.environment else {
        throw receipt.environment == .sandbox ? ReceiptStatus.isOfSandbox : .isOfProduction
      }
      guard let found = try? find(String(receipt.appTransactionID)) else { throw ReceiptStatus.accountNotFound }
      let hasSubscriptions = found.encoder.store.subscriptions.contains { $0.account == found.account }
      guard given.password == Self.sharedSecret || given.password == nil && !hasSubscriptions else {
        throw ReceiptStatus.wrongSecret
      }
      return APIResponse(
        200, try found.encoder.receipt(of: found.account, at: clock, excludesOld: given.excludesOld ?? false))
    } catch let status as ReceiptStatus {
      return status.response
    }
  }
}
