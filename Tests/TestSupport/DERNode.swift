/// A tree of DER that tests build, change and write. It knows nothing of the library's reader.
package indirect enum DERNode: Sendable {
  case primitive(UInt8, [UInt8])
  case constructed(UInt8, [DERNode])

  /// Reads one element; its OCTET STRINGs stay as they are.
  /// - Returns: `nil` for bytes that are not exactly one element with definite lengths.
  package init?(_ bytes: [UInt8]) {
    guard let nodes = Self.list(bytes[...]), nodes.count == 1 else { return nil }
    self = nodes[0]
  }

  /// Reads elements one after the other.
  package static func list(_ bytes: ArraySlice<UInt8>) -> [DERNode]? {
    var (nodes, rest) = ([DERNode](), bytes)
    while let tag = rest.popFirst() {
      guard let first = rest.popFirst() else { return nil }
      var length = Int(first)
      if first >= 0x80 {
        let count = Int(first & 0x7F)
        guard count > 0, count <= 4, rest.count >= count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      guard rest.count >= length else { return nil }
      let content = rest.prefix(length)
      rest = rest.dropFirst(length)
      if tag & 0x20 != 0 {
        guard let inside = list(content) else { return nil }
        nodes.append(.constructed(tag, inside))
      } else {
        nodes.append(.primitive(tag, Array(content)))
      }
    }
    return nodes
  }

  package var tag: UInt8 {
    switch self {
    case .primitive(let tag, _), .constructed(let tag, _): tag
    }
  }

  /// The elements inside; none for a primitive element.
  package var children: [DERNode] {
    if case .constructed(_, let children) = self { children } else { [] }
  }

  /// The element as DER.
  package var bytes: [UInt8] {
    let content: [UInt8]
    switch self {
    case .primitive(_, let bytes): content = bytes
    case .constructed(_, let children): content = children.flatMap(\.bytes)
    }
    return [tag] + Self.length(content.count) + content
  }

  package static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    let digits = withUnsafeBytes(of: count.bigEndian) { Array($0.drop { $0 == 0 }) }
    return [0x80 | UInt8(digits.count)] + digits
  }

  // MARK: - Writing

  package static func sequence(_ children: DERNode...) -> DERNode { .constructed(0x30, children) }
  package static func set(_ children: [DERNode]) -> DERNode { .constructed(0x31, children) }
  package static func explicit(_ children: [DERNode]) -> DERNode { .constructed(0xA0, children) }
  package static func octets(_ bytes: [UInt8]) -> DERNode { .primitive(0x04, bytes) }
  package static func text(_ text: String) -> DERNode { .primitive(0x0C, Array(text.utf8)) }
  package static func date(_ text: String) -> DERNode { .primitive(0x16, Array(text.utf8)) }

  package static func integer(_ number: Int64) -> DERNode {
    var bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
    while bytes.count > 1, bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xFF && bytes[1] >= 0x80 {
      bytes.removeFirst()
    }
    return .primitive(0x02, bytes)
  }

  package static func identifier(_ numbers: [Int]) -> DERNode {
    var bytes = [UInt8(numbers[0] * 40 + numbers[1])]
    for number in numbers.dropFirst(2) {
      var digits = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      bytes += digits
    }
    return .primitive(0x06, bytes)
  }
}
