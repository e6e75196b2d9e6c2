/// An app account token: the UUID by which an app tells the App Store who of its users buys.
public enum AccountToken {
  /// A UUID in lower case, as Apple writes it; any other text as it stands. Swift itself writes UUIDs in capitals, so an
  /// app's own ids are often the same token in another writing.
  public static func normalized(_ text: String) -> String {
    isToken(text) ? text.lowercased() : text
  }

  /// Whether a text has the form of a UUID.
  public static func isToken(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : JSONValue.hexDigit(byte) != nil
    }
  }
}
