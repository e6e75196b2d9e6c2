/// One value inside a ``JSONDocument``. It is cheap to copy, and decodes its content only when it is read.
public struct JSONValue: Sendable {
  /// The document that contains this value.
  public let document: JSONDocument
  let index: Int

  private var node: JSONDocument.Node { document.nodes[index] }

  /// The byte range of the value in ``JSONDocument/bytes``, with quotes and brackets.
  public var range: Range<Int> { Int(node.start)..<Int(node.end) }

  /// The exact bytes of the value, with quotes and brackets.
  public var source: ArraySlice<UInt8> { document.bytes[range] }

  /// The JSON path of the value, such as `$.data[0].status`.
  public var path: String { document.path(of: index) }

  /// Whether this value is an object.
  public var isObject: Bool { node.kind == .object }
  /// Whether this value is an array.
  public var isArray: Bool { node.kind == .array }
  /// Whether this value is a string.
  public var isString: Bool { node.kind == .string }
  /// Whether this value is `null`.
  public var isNull: Bool { node.kind == .null }

  /// Returns a member of an object; `nil` if the key is absent or this value is not an object.
  public subscript(key: StaticString) -> JSONValue? {
    guard node.kind == .object else { return nil }
    let length = key.utf8CodeUnitCount
    let wanted = UnsafeRawBufferPointer(start: key.utf8Start, count: length)
    var nodeIndex = index + 1
    let end = Int(node.next)
    return document.bytes.withUnsafeBytes { bytes in
      document.nodes.withUnsafeBufferPointer { nodes in
        while nodeIndex < end {
          let name = nodes[nodeIndex]
          if name.isEscaped {
            let decoded = Self.unescape(document.bytes[Int(name.start) + 1..<Int(name.end) - 1])
            if decoded == key.description { return JSONValue(document: document, index: nodeIndex + 1) }
          } else if Int(name.end - name.start) == length + 2 {
            let slice = UnsafeRawBufferPointer(rebasing: bytes[Int(name.start) + 1..<Int(name.end) - 1])
            if ByteSearch.areEqual(slice, wanted) { return JSONValue(document: document, index: nodeIndex + 1) }
          }
          nodeIndex = Int(nodes[nodeIndex + 1].next)
        }
        return nil
      }
    }
  }

  /// The elements of an array, in order; empty if this value is not an array.
  public var elements: [JSONValue] {
    guard node.kind == .array else { return [] }
    return children(step: 0)
  }

  /// The decoded keys of an object, in order; empty if this value is not an object.
  public var keys: [String] {
    names.map { $0.string ?? "" }
  }

  /// The keys of an object as values with positions.
  var names: [JSONValue] {
    guard node.kind == .object else { return [] }
    return children(step: 1).map { JSONValue(document: document, index: $0.index - 1) }
  }

  /// The values of an object, in the order of ``keys``; empty if this value is not an object.
  public var members: [JSONValue] {
    guard node.kind == .object else { return [] }
    return children(step: 1)
  }

  private func children(step: Int) -> [JSONValue] {
    var found: [JSONValue] = []
    var nodeIndex = index + 1
    while nodeIndex < Int(node.next) {
      found.append(JSONValue(document: document, index: nodeIndex + step))
      nodeIndex = Int(document.nodes[nodeIndex + step].next)
    }
    return found
  }

  /// The decoded text of a string; `nil` if this value is not a string.
  public var string: String? {
    guard node.kind == .string else { return nil }
    let inside = document.bytes[Int(node.start) + 1..<Int(node.end) - 1]
    return node.isEscaped ? Self.unescape(inside) : String(decoding: inside, as: UTF8.self)
  }

  /// The decoded text of a string as UTF-8. It is copied only if it contains an escape.
  var stringBytes: ArraySlice<UInt8>? {
    if let range = plainStringRange { return document.bytes[range] }
    return string.map { Array($0.utf8)[...] }
  }

  /// The byte range between the quotes of a string without escapes; `nil` for any other value. A JWS has this form in a
  /// payload.
  var plainStringRange: Range<Int>? {
    guard node.kind == .string, !node.isEscaped else { return nil }
    return Int(node.start) + 1..<Int(node.end) - 1
  }

  /// The digits of a number as they were written.
  var numberText: String? {
    node.kind == .number ? String(decoding: source, as: UTF8.self) : nil
  }

  /// The value of up to 18 digits, as a number or a string; `nil` for anything else.
  package var plainDigits: Int64? {
    let node = node
    let quote = node.kind == .string ? 1 : 0
    guard node.kind == .string || node.kind == .number else { return nil }
    let range = Int(node.start) + quote..<Int(node.end) - quote
    guard (1...18).contains(range.count) else { return nil }
    return document.bytes.withUnsafeBufferPointer { bytes in
      var number: Int64 = 0
      for byte in bytes[range] {
        guard byte &- 0x30 < 10 else { return nil }
        number = number * 10 + Int64(byte - 0x30)
      }
      return number
    }
  }

  /// The value of `true` or `false`; `nil` for anything else.
  package var boolean: Bool? {
    switch node.kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  var pathComponent: String {
    PathComponent.text(document.bytes[Int(node.start) + 1..<Int(node.end) - 1])
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x41 + 10)
    case 0x61...0x66: UInt32(byte - 0x61 + 10)
    default: nil
    }
  }

  /// Decodes the inside of a string that the parser has accepted. A surrogate without its pair becomes U+FFFD.
  static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var offset = bytes.startIndex
    func unit(at start: Int) -> UInt32? {
      guard start + 6 <= bytes.endIndex, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u")
      else { return nil }
      return bytes[start + 2..<start + 6].reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) }
    }
    while offset < bytes.endIndex {
      guard bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.endIndex else {
        text.append(bytes[offset])
        offset += 1
        continue
      }
      if let high = unit(at: offset) {
        var scalar = high
        offset += 6
        if (0xD800...0xDBFF).contains(high), let low = unit(at: offset), (0xDC00...0xDFFF).contains(low) {
          scalar = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
          offset += 6
        }
        text.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
        continue
      }
      switch bytes[offset + 1] {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      default: text.append(bytes[offset + 1])
      }
      offset += 2
    }
    return String(decoding: text, as: UTF8.self)
  }
}
