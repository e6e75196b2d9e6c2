/// Computes the second valid ECDSA signature of a text: (r, n − s) for (r, s), where n is the order of the curve.
/// Anyone can compute one from the other. Apple sends either form, so both are valid. Their digests identify them as
/// one payload.
enum AlternateSignature {
  /// The order of P-256 (FIPS 186-4, D.1.2.3), most significant byte first.
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// Returns the other form of a signature.
  /// - Parameter signature: r and s, 32 bytes each. In every valid signature, s is below the order.
  /// - Returns: `nil` for another length.
  static func of(_ signature: [UInt8]) -> [UInt8]? {
    guard signature.count == 64 else { return nil }
    var other = signature
    var borrow = 0
    for index in order.indices.reversed() {
      let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
      borrow = difference < 0 ? 1 : 0
      other[32 + index] = UInt8(truncatingIfNeeded: difference)
    }
    return other
  }
}
