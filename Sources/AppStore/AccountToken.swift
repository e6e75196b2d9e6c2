/// The app account token: a UUID with which an app names its user to the App Store.
public enum AccountToken {
  /// Returns a UUID in lower case, as Apple writes it. Any other text is returned unchanged. Swift writes UUIDs in
  /// capital letters, so an app's own ids often differ from Apple's only in case.
  public static func normalized(_ text: String) -> String {
    isToken(text) ? text.lowercased() : text
  }

  /// Returns whether a text has the form of a UUID.
  public static func isToken(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : JSONValue.hexDigit(byte) != nil
    }
  }
}
