/// The strict parser of ``JSONDocument``: RFC 8259, without repeated keys.
///
/// It refuses a repeated key, because two readers of the object could use different values.
struct JSONParser {
  let bytes: [UInt8]
  private var nodes: [JSONDocument.Node] = []
  private var offset = 0
  /// The containers, keys and indexes above the current value, as node indexes. The path is written only when it is
  /// needed.
  private var trail: [Step] = []

  private struct Step {
    var container: Int
    var childIndex = 0
    var key = -1
    /// A bit for each plain key, computed from a few of its bytes. If the bit of a key is new, no earlier key is equal.
    var marks: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    /// The decoded keys of an object. It is set only if there are many keys, or if one has an escape.
    var keys: Set<[UInt8]>?
  }

  /// The maximum number of keys that are compared one by one.
  private static let fewKeys = 48

  init(bytes: [UInt8]) {
    self.bytes = bytes
    nodes.reserveCapacity(bytes.count / 16 + 4)
  }

  mutating func parse() throws(JSONError) -> [JSONDocument.Node] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw failure(.notUTF8, "this looks like UTF-16; UTF-8 is expected")
    }
    guard bytes.count < Int32.max else { throw failure(.malformed, "longer than 2 GiB") }
    skipSpace()
    guard offset < bytes.count else { throw failure(.empty) }
    try value()
    skipSpace()
    guard offset == bytes.count else { throw failure(.malformed, "there is text after the end of the first value") }
    return nodes
  }

  private func failure(_ reason: JSONError.Reason, _ detail: String = "") -> JSONError {
    var path = "$"
    for (depth, step) in trail.enumerated() {
      // A longer path does not help the reader.
      if depth == 16 {
        path += "…"
        break
      }
      if step.key >= 0 {
        path += "." + PathComponent.text(bytes[Int(nodes[step.key].start) + 1..<Int(nodes[step.key].end) - 1])
      } else if nodes[step.container].kind == .array {
        path += "[\(step.childIndex)]"
      }
    }
    return JSONError(reason: reason, offset: offset, path: path, detail: detail)
  }

  private mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func value() throws(JSONError) {
    guard offset < bytes.count else { throw failure(.truncated, "a value is missing at the end") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): try container(.object, close: UInt8(ascii: "}"))
    case UInt8(ascii: "["): try container(.array, close: UInt8(ascii: "]"))
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true", .yes)
    case UInt8(ascii: "f"): try word("false", .no)
    case UInt8(ascii: "n"): try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw failure(.malformed, "a value was expected")
    }
  }

  private mutating func container(_ kind: JSONDocument.Kind, close: UInt8) throws(JSONError) {
    guard trail.count < JSONDocument.depthLimit else { throw failure(.tooDeep) }
    let mine = nodes.count
    nodes.append(.init(start: Int32(offset), end: 0, next: 0, kind: kind))
    offset += 1
    trail.append(Step(container: mine))
    skipSpace()
    var isFirst = true
    while true {
      guard offset < bytes.count else { throw failure(.truncated, "the end came before the closing bracket") }
      if bytes[offset] == close, isFirst { break }
      if kind == .object { try key(of: mine) }
      try value()
      isFirst = false
      skipSpace()
      guard offset < bytes.count else { throw failure(.truncated, "the end came before the closing bracket") }
      if bytes[offset] == close { break }
      guard bytes[offset] == UInt8(ascii: ",") else { throw failure(.malformed, "a comma was expected") }
      offset += 1
      trail[trail.count - 1].childIndex += 1
      skipSpace()
      if offset < bytes.count, bytes[offset] == close {
        throw failure(.malformed, "a comma before the closing bracket")
      }
    }
    offset += 1
    trail.removeLast()
    nodes[mine].end = Int32(offset)
    nodes[mine].next = Int32(nodes.count)
  }

  private mutating func key(of object: Int) throws(JSONError) {
    guard bytes[offset] == UInt8(ascii: "\"") else { throw failure(.malformed, "a key in quotes was expected") }
    let key = nodes.count
    trail[trail.count - 1].key = -1
    try string()
    trail[trail.count - 1].key = key
    try refuseRepetition(of: key, in: object)
    skipSpace()
    guard offset < bytes.count else { throw failure(.truncated, "a colon is missing at the end") }
    guard bytes[offset] == UInt8(ascii: ":") else { throw failure(.malformed, "a colon was expected") }
    offset += 1
    skipSpace()
  }

  /// Throws an error for a repeated key. A few plain keys are compared byte by byte; more, or keys with escapes, by a
  /// set of decoded keys. An object with more than a thousand keys is refused.
  private mutating func refuseRepetition(of key: Int, in object: Int) throws(JSONError) {
    let last = trail.count - 1
    guard trail[last].childIndex <= 1000 else { throw failure(.malformed, "more than a thousand keys in one object") }
    if trail[last].keys == nil {
      if !nodes[key].isEscaped, trail[last].childIndex < Self.fewKeys {
        if !mark(nodes[key], last), hasEqualKey(key, in: object) { throw failure(.duplicateKey) }
        return
      }
      trail[last].keys = decodedKeys(of: object, before: key)
    }
    let text = decoded(nodes[key])
    guard trail[last].keys?.insert(text).inserted == true else { throw failure(.duplicateKey) }
  }

  /// Sets the bit of a key.
  /// - Returns: whether the bit is new.
  private mutating func mark(_ key: JSONDocument.Node, _ step: Int) -> Bool {
    let (start, end) = (Int(key.start) + 1, Int(key.end) - 1)
    var mixed = UInt64(end - start) &* 0x9E37_79B9_7F4A_7C15
    if end > start {
      let middle = start + (end - start) / 2
      mixed ^= UInt64(bytes[start]) &* 0xC2B2_AE3D_27D4_EB4F ^ UInt64(bytes[middle]) &* 0x1656_67B1_9E37_79F9
      mixed ^= UInt64(bytes[end - 1]) &* 0x27D4_EB2F_1656_67C5
      mixed ^= UInt64(bytes[start + (end - start) / 4]) &* 0x8585_07C1_2D4F_31B7
    }
    let bitIndex = mixed >> 56
    let bit = UInt64(1) << (bitIndex & 63)
    func set(_ marks: inout UInt64) -> Bool {
      defer { marks |= bit }
      return marks & bit == 0
    }
    return switch bitIndex >> 6 {
    case 0: set(&trail[step].marks.0)
    case 1: set(&trail[step].marks.1)
    case 2: set(&trail[step].marks.2)
    default: set(&trail[step].marks.3)
    }
  }

  private func hasEqualKey(_ key: Int, in object: Int) -> Bool {
    let mine = nodes[key]
    var other = object + 1
    while other < key {
      let node = nodes[other]
      if node.end - node.start == mine.end - mine.start,
        bytes[Int(node.start)..<Int(node.end)] == bytes[Int(mine.start)..<Int(mine.end)]
      {
        return true
      }
      other = Int(nodes[other + 1].next)
    }
    return false
  }

  private func decodedKeys(of object: Int, before key: Int) -> Set<[UInt8]> {
    var keys: Set<[UInt8]> = []
    var other = object + 1
    while other < key {
      keys.insert(decoded(nodes[other]))
      other = Int(nodes[other + 1].next)
    }
    return keys
  }

  private func decoded(_ node: JSONDocument.Node) -> [UInt8] {
    let inside = bytes[Int(node.start) + 1..<Int(node.end) - 1]
    return node.isEscaped ? Array(JSONValue.unescape(inside).utf8) : Array(inside)
  }

  private mutating func word(_ word: StaticString, _ kind: JSONDocument.Kind) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    guard offset + length <= bytes.count else { throw failure(.truncated, "a word is cut off") }
    for index in 0..<length where bytes[offset + index] != word.utf8Start[index] {
      throw failure(.malformed, "true, false or null was expected")
    }
    append(kind, length: length)
  }

  private mutating func append(_ kind: JSONDocument.Kind, length: Int, isEscaped: Bool = false) {
    nodes.append(
      .init(
        start: Int32(offset), end: Int32(offset + length), next: Int32(nodes.count + 1), kind: kind,
        isEscaped: isEscaped))
    offset += length
  }

  private mutating func number() throws(JSONError) {
    var end = offset
    func digits() -> Bool {
      let before = end
      while end < bytes.count, bytes[end] >= 0x30, bytes[end] <= 0x39 { end += 1 }
      return end > before
    }
    if bytes[end] == UInt8(ascii: "-") { end += 1 }
    let leadingZero = end < bytes.count && bytes[end] == 0x30
    let first = end
    guard digits(), !(leadingZero && end - first > 1) else { throw failure(.malformed, "not a number") }
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      end += 1
      guard digits() else { throw failure(.malformed, "not a number") }
    }
    if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      end += 1
      if end < bytes.count, bytes[end] == UInt8(ascii: "+") || bytes[end] == UInt8(ascii: "-") { end += 1 }
      guard digits() else { throw failure(.malformed, "not a number") }
    }
    append(.number, length: end - offset)
  }

  private mutating func string() throws(JSONError) {
    var end = offset + 1
    var isEscaped = false
    while true {
      end = bytes.withUnsafeBytes { ByteSearch.endOfPlainText(in: $0, from: end) }
      guard end < bytes.count else { break }
      let byte = bytes[end]
      if byte == UInt8(ascii: "\"") {
        append(.string, length: end + 1 - offset, isEscaped: isEscaped)
        return
      }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        end += try escapeLength(at: end)
      } else if byte < 0x20 {
        offset = end
        throw failure(.malformed, "a control character inside a string")
      } else {
        guard let length = UTF8Check.sequenceLength(bytes, at: end) else {
          offset = end
          throw failure(.notUTF8, "bytes that are not UTF-8")
        }
        end += length
      }
    }
    throw failure(.truncated, "a string has no end")
  }

  private mutating func escapeLength(at start: Int) throws(JSONError) -> Int {
    guard start + 1 < bytes.count else { throw failure(.truncated, "a string has no end") }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      guard start + 6 <= bytes.count else { throw failure(.truncated, "a string has no end") }
      for digit in bytes[start + 2..<start + 6] where JSONValue.hexDigit(digit) == nil {
        offset = start
        throw failure(.malformed, "a \\u escape without four hexadecimal digits")
      }
      return 6
    default:
      offset = start
      throw failure(.malformed, "an unknown escape in a string")
    }
  }
}

/// Checks UTF-8 one sequence at a time (Unicode, table 3-7).
enum UTF8Check {
  static func sequenceLength(_ bytes: [UInt8], at start: Int) -> Int? {
    func follows(_ distance: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      start + distance < bytes.count && range.contains(bytes[start + distance])
    }
    switch bytes[start] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return follows(1) ? 2 : nil
    case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : nil
    case 0xE1...0xEC, 0xEE...0xEF: return follows(1) && follows(2) ? 3 : nil
    case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : nil
    case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : nil
    case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : nil
    case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : nil
    default: return nil
    }
  }
}

/// Writes a key of a JSON path: shortened, and without characters that could disturb a terminal.
enum PathComponent {
  static func text(_ key: ArraySlice<UInt8>) -> String {
    let limit = 60
    let text = JSONValue.unescape(key.prefix(limit))
    let isPlain = text.unicodeScalars.allSatisfy {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0)
        || ("0"..."9").contains($0) || $0 == "_" || $0 == "-"
    }
    if isPlain, key.count <= limit { return text }
    let safe = String(
      text.unicodeScalars.filter {
        $0.value >= 0x20 && $0 != "'" && $0.properties.generalCategory != .format
          && $0.properties.generalCategory != .control
      })
    return "'" + safe + (key.count > limit ? "…'" : "'")
  }
}
