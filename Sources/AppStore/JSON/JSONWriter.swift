/// A JSON object that is written member by member, in the order of the calls.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  /// Creates a writer for an object without members.
  package init() {}

  private mutating func key(_ name: String) {
    bytes.append(contentsOf: (bytes.count > 1 ? ",\"" : "\"").utf8)
    bytes.append(contentsOf: name.utf8)
    bytes.append(contentsOf: "\":".utf8)
  }

  /// Adds a text; adds nothing for `nil`.
  package mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    Self.quote(text.utf8, into: &bytes)
  }

  /// Adds a number; adds nothing for `nil`.
  package mutating func add(_ name: String, _ number: Int64?) {
    guard let number else { return }
    key(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Adds an instant in milliseconds since 1970; adds nothing for `nil`.
  package mutating func add(_ name: String, _ instant: Instant?) { add(name, instant?.milliseconds) }

  /// Adds a Boolean value: `true` or `false`.
  package mutating func add(_ name: String, _ flag: Bool) {
    key(name)
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  /// Adds a value that is JSON text already.
  package mutating func add(_ name: String, json: [UInt8]) {
    key(name)
    bytes.append(contentsOf: json)
  }

  /// Adds a text that needs no escaping, such as a signed text.
  package mutating func add(_ name: String, plain: [UInt8]) {
    key(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: plain)
    bytes.append(UInt8(ascii: "\""))
  }

  /// The complete JSON object, UTF-8.
  package var finished: [UInt8] { bytes + [UInt8(ascii: "}")] }

  /// Returns an array of JSON values.
  package static func array(_ values: [[UInt8]]) -> [UInt8] {
    var bytes = [UInt8(ascii: "[")]
    for value in values {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: value)
    }
    return bytes + [UInt8(ascii: "]")]
  }

  /// Returns a text as a JSON string, in quotes and escaped.
  package static func quoted(_ text: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    quote(text, into: &bytes)
    return bytes
  }

  private static func quote(_ text: some Sequence<UInt8>, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    // Nearly every text needs no escape.
    let isPlain = text.withContiguousStorageIfAvailable { text in
      text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
    guard isPlain != true else {
      bytes.append(contentsOf: text)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: bytes.append(contentsOf: ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
