import Foundation

extension String {
  /// Returns the compact JWS with its other valid signature: (r, n − s) in place of (r, s). It computes this by plain
  /// arithmetic on digits.
  package func withOtherFormOfSignature() throws -> String {
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    let parts = split(separator: ".").map(String.init)
    let standard = parts[2].replacing("-", with: "+").replacing("_", with: "/") + "=="
    guard let signature = Data(base64Encoded: standard).map({ [UInt8]($0) }), signature.count == 64 else {
      throw CocoaError(.coderInvalidValue)
    }
    var digits = order.compactMap(\.hexDigitValue)
    let own = signature[32...].flatMap { [Int($0 >> 4), Int($0 & 15)] }
    var borrow = 0
    for index in digits.indices.reversed() {
      let difference = digits[index] - own[index] - borrow
      (digits[index], borrow) = difference < 0 ? (difference + 16, 1) : (difference, 0)
    }
    let other = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    return parts[0] + "." + parts[1] + "." + Data(signature[..<32] + other).base64URL
  }
}
