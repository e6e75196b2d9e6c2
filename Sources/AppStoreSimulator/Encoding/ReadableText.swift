import AppStore

/// Makes signed texts readable: replaces each JWS in a JSON text by the JSON that it signs.
public enum ReadableText {
  /// Returns a JSON text with the contents of its signed texts in their places.
  public static func opened(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var position = text.startIndex
    while let quote = text[position...].firstIndex(of: UInt8(ascii: "\"")) {
      let end = text[(quote + 1)...].firstIndex(of: UInt8(ascii: "\"")) ?? text.endIndex
      let inside = text[(quote + 1)..<min(end, text.endIndex)]
      if let payload = payload(of: inside) {
        result += text[position..<quote] + opened(payload)
        position = end + 1
      } else {
        result += text[position..<min(end + 1, text.endIndex)]
        position = min(end + 1, text.endIndex)
      }
      if position >= text.endIndex { return result }
    }
    return result + text[position...]
  }

  private static func payload(of text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count > 300, text.starts(with: "eyJ".utf8) else { return nil }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 3 ? Base64URL.decode(parts[1]) : nil
  }
}
