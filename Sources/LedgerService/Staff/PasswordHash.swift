internal import AppStore
internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import LedgerStore

/// A password of a user of the support page.
public struct Password: Sendable {
  /// The bytes of the password: UTF-8 in the composed form (NFC), so that each keyboard types the same.
  let bytes: [UInt8]

  /// The least and the greatest number of characters.
  public static let length = 12...256

  /// Creates a password that somebody typed. It may be wrong.
  public init(typed text: String) { bytes = Array(text.precomposedStringWithCanonicalMapping.utf8.prefix(4096)) }

  /// Creates a password that a user will have.
  /// - Throws: `LedgerError` with `refused_text` when it is too short or too long, or has control characters.
  public init(new text: String) throws {
    guard Self.length.contains(text.count),
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw LedgerError(
        .refusedText,
        "A password has \(Self.length.lowerBound) to \(Self.length.upperBound) characters, without control characters.",
        "Choose another one. Several words are easy to remember and hard to guess.")
    }
    self.init(typed: text)
  }
}

/// The result of scrypt (RFC 7914) for a password, with everything that is needed to compute it again.
///
/// scrypt needs time and memory for each guess. The cost is one of those that OWASP's *Password Storage Cheat Sheet*
/// recommends: 32 MiB, three times.
struct PasswordHash {
  /// The binary logarithm of the cost, the size of a block in units of 128 bytes, and how often both are spent.
  private let cost: (logarithm: Int, blockSize: Int, parallelism: Int)
  private let salt: [UInt8]
  private let result: [UInt8]

  private static let cost = (logarithm: 15, blockSize: 8, parallelism: 3)
  private static let length = 32

  /// Computes the hash of a password, with a new salt.
  /// - Throws: `LedgerError` with `cannot_write` when there is not enough memory for it.
  init(_ password: Password) throws {
    (cost, salt) = (Self.cost, RandomSecret.bytes(16))
    guard let derived = Self.derive(password, cost, salt) else {
      throw LedgerError(.cannotWrite, "There is not enough memory for the hash of a password.", "Try it again.")
    }
    result = derived
  }

  private init(salt: [UInt8], result: [UInt8]) { (cost, self.salt, self.result) = (Self.cost, salt, result) }

  /// A hash that no password has, for names that nobody has.
  static let ofNobody = PasswordHash(salt: [UInt8](repeating: 0, count: 16), result: [UInt8](repeating: 0, count: 32))

  /// Reads a hash; `nil` for a text of another form.
  init?(_ text: String) {
    guard let found = text.wholeMatch(of: /\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([^$]+)\$([^$]+)/),
      let logarithm = Int(found.1), (10...20).contains(logarithm), let blockSize = Int(found.2), blockSize > 0,
      let parallelism = Int(found.3), parallelism > 0, let salt = Data(base64Encoded: String(found.4)),
      let result = Data(base64Encoded: String(found.5)), result.count == Self.length
    else { return nil }
    cost = (logarithm, blockSize, parallelism)
    (self.salt, self.result) = (Array(salt), Array(result))
  }

  /// The hash as the ledger stores it.
  var text: String {
    "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)$\(Data(salt).base64EncodedString())"
      + "$\(Data(result).base64EncodedString())"
  }

  /// Returns whether a password has this hash. The comparison takes the same time for each password.
  func matches(_ password: Password) -> Bool {
    // Without memory for it, no password is right.
    guard let derived = Self.derive(password, cost, salt) else { return false }
    return ConstantTime.isEqual(derived, result)
  }

  private static func derive(
    _ password: Password, _ cost: (logarithm: Int, blockSize: Int, parallelism: Int), _ salt: [UInt8]
  ) -> [UInt8]? {
    let key = try? KDF.Scrypt.deriveKey(
      from: password.bytes, salt: salt, outputByteCount: length, rounds: 1 << cost.logarithm, blockSize: cost.blockSize,
      parallelism: cost.parallelism)
    return key?.withUnsafeBytes(Array.init)
  }
}
