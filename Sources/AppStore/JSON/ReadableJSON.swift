/// Payloads as text for people: indented, and with the content of signed texts in their places.
public enum ReadableJSON {
  /// How deep signed texts may contain others. Apple's notifications have two levels.
  private static let depthLimit = 4

  /// Returns a payload as indented JSON. A signed text stands there as the object that it signs. No signature is
  /// verified.
  /// - Parameter bytes: the payload as it arrived: JSON, a JWS in compact form, or a receipt in Base 64.
  /// - Returns: the text; `nil` when the bytes are neither.
  public static func text(_ bytes: [UInt8]) -> String? {
    guard let root = signedObject(bytes[...]) ?? receipt(bytes) ?? (try? JSONDocument(bytes).root) else { return nil }
    var text: [UInt8] = []
    write(root, indent: 0, level: 0, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func signedObject(_ text: ArraySlice<UInt8>) -> JSONValue? {
    guard CompactJWS.isLikely(text), let outline = try? CompactJWS.Outline(text), let jws = try? CompactJWS(outline)
    else { return nil }
    return try? JSONDocument(jws.payload).root
  }

  private static func receipt(_ bytes: [UInt8]) -> JSONValue? {
    guard let receipt = ReceiptText.receipt(bytes[...]).flatMap({ try? DeviceReceipt($0) }) else { return nil }
    return try? JSONDocument(receipt.json).root
  }

  private static func write(_ value: JSONValue, indent: Int, level: Int, to text: inout [UInt8]) {
    if value.isObject {
      list(zip(value.names, value.members).map { ($0, $1) }, "{", "}", indent, level, to: &text)
    } else if value.isArray {
      list(value.elements.map { (nil, $0) }, "[", "]", indent, level, to: &text)
    } else if level < depthLimit, let bytes = value.stringBytes, let object = signedObject(bytes) {
      write(object, indent: indent, level: level + 1, to: &text)
    } else {
      text += value.source
    }
  }

  private static func list(
    _ members: [(name: JSONValue?, value: JSONValue)], _ open: String, _ close: String, _ indent: Int, _ level: Int,
    to text: inout [UInt8]
  ) {
    text += open.utf8
    for (index, member) in members.enumerated() {
      text += "\(index == 0 ? "" : ",")\n\(String(repeating: "  ", count: indent + 1))".utf8
      if let name = member.name { text += name.source + ": ".utf8 }
      write(member.value, indent: indent + 1, level: level, to: &text)
    }
    if !members.isEmpty { text += "\n\(String(repeating: "  ", count: indent))".utf8 }
    text += close.utf8
  }
}
