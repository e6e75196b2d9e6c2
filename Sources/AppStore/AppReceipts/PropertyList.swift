/// A property list in the form of NeXT, with texts only: `{ "key" = "value"; }`. Foundation does not read this form on
/// Linux.
struct PropertyList {
  private(set) var members: [(key: String, value: String)] = []

  /// Reads the whole text of a list.
  /// - Throws: an error where the bytes are not such a list, or where a key occurs twice.
  init(_ bytes: [UInt8]) throws(PayloadError) {
    var reader = Reader(bytes: bytes)
    guard reader.skip("{") else { throw reader.malformed }
    while !reader.skip("}") {
      let key = try reader.text()
      guard reader.skip("=") else { throw reader.malformed }
      let value = try reader.text()
      guard reader.skip(";") else { throw reader.malformed }
      guard self[key] == nil else {
        throw PayloadError(.duplicateKey, offset: reader.index, detail: "the receipt contains the same key twice")
      }
      guard members.count < Self.limit else { throw reader.malformed }
      members.append((key, value))
    }
    reader.skipSpace()
    guard reader.index == bytes.count else { throw reader.malformed }
  }

  /// The greatest number of members. A receipt has about twenty.
  private static let limit = 200

  /// Returns the value of a key; `nil` if there is none.
  subscript(key: String) -> String? { members.first { $0.key == key }?.value }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    var malformed: PayloadError {
      PayloadError(
        index < bytes.count ? .malformed : .truncated, offset: index, detail: "this is not a property list of texts")
    }

    mutating func skipSpace() {
      while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    mutating func skip(_ character: Character) -> Bool {
      skipSpace()
      guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
      index += 1
      return true
    }

    mutating func text() throws(PayloadError) -> String {
      guard skip("\"") else { throw malformed }
      var text: [UInt8] = []
      while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
        if bytes[index] == UInt8(ascii: "\\") { index += 1 }
        guard index < bytes.count else { throw malformed }
        text.append(bytes[index])
        index += 1
      }
      guard skip("\""), let text = String(validating: text, as: UTF8.self) else { throw malformed }
      return text
    }
  }
}
