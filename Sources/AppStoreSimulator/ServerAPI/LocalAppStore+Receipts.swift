import AppStore
import Crypto
import Foundation

/// The receipt of a device: Base64 that names the account for which it was made. A real one is a signed PKCS 7 container;
/// this one has only what verifyReceipt needs.
struct DeviceReceipt: Equatable {
  let appTransactionID: Int64
  let environment: Environment

  /// The first bytes of a container, by which people know a receipt: its Base64 begins with `MII`.
  private static let head: [UInt8] = [0x30, 0x82, 0x00, 0x3B]
  private static let fillerLength = 42
  private static let checkLength = 8

  init(of appTransactionID: Int64, in environment: Environment) {
    (self.appTransactionID, self.environment) = (appTransactionID, environment)
  }

  /// The receipt as Base64.
  var text: String {
    let number = withUnsafeBytes(of: appTransactionID.bigEndian) { Array($0) }
    let content = number + [environment == .production ? 1 : 0] + Self.filler(number)
    return Data(Self.head + content + Self.check(content)).base64EncodedString()
  }

  /// Reads a receipt from its Base64.
  /// - Throws: the status 21002 for a text that is not a receipt, and 21003 for one that was changed or is another store's.
  init(_ text: String) throws(ReceiptStatus) {
    guard let bytes = Data(base64Encoded: text, options: .ignoreUnknownCharacters).map(Array.init), bytes.count > 4,
      bytes[0] == Self.head[0], bytes[1] == Self.head[1]
    else { throw .malformed }
    let content = Array(bytes[4...].dropLast(Self.checkLength))
    guard content.count == 9 + Self.fillerLength, Self.check(content) == Array(bytes.suffix(Self.checkLength)) else {
      throw .notAuthenticated
    }
    appTransactionID = content[..<8].reduce(0) { $0 << 8 | Int64($1) }
    environment = content[8] == 1 ? .production : .sandbox
  }

  private static func filler(_ number: [UInt8]) -> [UInt8] {
    let first = Array(SHA256.hash(data: Data(number)))
    return Array((first + Array(SHA256.hash(data: Data(first)))).prefix(fillerLength))
  }

  private static func check(_ content: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: Data(Array("subledger".utf8) + content)).prefix(checkLength))
  }
}

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
      let receipt = try DeviceReceipt(text)
      guard receipt.environment == simulation.rate.environment else {
        throw receipt.environment == .sandbox ? ReceiptStatus.isOfSandbox : .isOfProduction
      }
      guard let found = try? find(String(receipt.appTransactionID)) else { throw ReceiptStatus.accountNotFound }
      let hasSubscriptions = found.encoder.store.subscriptions.contains { $0.account == found.account }
      guard given.password == Self.sharedSecret || given.password == nil && !hasSubscriptions else {
        throw ReceiptStatus.wrongSecret
      }
      return APIResponse(
        200, found.encoder.receipt(of: found.account, at: clock, excludesOld: given.excludesOld ?? false))
    } catch let status as ReceiptStatus {
      return status.response
    }
  }
}
