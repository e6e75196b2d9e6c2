extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits in lower case, two for each byte.
  package var hexadecimal: String {
    reduce(into: "") { text, byte in text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
  }
}
