/// One JSON text, parsed once into a flat list of nodes that keep their place in the bytes.
///
/// The ledger keeps the exact source object beside every typed column, so a parser that forgets where a value
/// stood (every general one does) would have to be run twice. Nothing is decoded until it is asked for.
public final class JSONDocument: Sendable {
  /// What a node is.
  enum Kind: UInt8, Sendable {
    case object, array, string, number, yes, no, null
  }

  /// One value or key: its bytes are `start..<end`, quotes and brackets included; `next` is the node after its subtree.
  struct Node: Sendable {
    var start: Int32
    var end: Int32
    var next: Int32
    var kind: Kind
    var isEscaped = false
  }

  /// The text as it was given, less a byte order mark.
  public let bytes: [UInt8]
  let nodes: [Node]

  /// Nesting deeper than this is refused: Apple's deepest format needs seven levels.
  public static let depthLimit = 64

  /// Parses one JSON text.
  /// - Parameter bytes: UTF-8, at most 2 GiB; surrounding white space is allowed.
  /// - Throws: ``JSONFailure``, with the offset and the path of what cannot be read.
  public init(_ bytes: [UInt8]) throws(JSONFailure) {
    var parser = JSONParser(bytes: bytes)
    nodes = try parser.parse()
    self.bytes = bytes
  }

  /// The outermost value.
  public var root: JSONValue { JSONValue(document: self, index: 0) }

  /// The JSON path of a node, such as `$.data.signedTransactionInfo`: found by walking down from the root, because
  /// only problems need it.
  func path(of target: Int) -> String {
    var path = "$"
    var current = 0
    while current != target {
      let node = nodes[current]
      var child = current + 1
      var place = 0
      var found = false
      while child < Int(node.next) {
        var value = child
        if node.kind == .object { value = child + 1 }
        if target >= child, target < Int(nodes[value].next) {
          if node.kind == .object {
            path += "." + JSONValue(document: self, index: child).pathComponent
            if target == child { return path }
          } else {
            path += "[\(place)]"
          }
          current = value
          found = true
          break
        }
        child = Int(nodes[value].next)
        place += 1
      }
      if !found { break }
    }
    return path
  }
}

/// Why a text is not usable JSON.
public struct JSONFailure: Error, Sendable, Equatable {
  /// The kinds of failure.
  public enum Reason: String, Sendable {
    case empty, malformed, truncated, notUTF8, tooDeep, duplicateKey
  }

  /// What is wrong.
  public var reason: Reason
  /// Where, in bytes from the beginning of the text.
  public var offset: Int
  /// The JSON path of the value that was being read, as far as it was understood.
  public var path: String
  /// What was expected there, in words; empty where the reason says it all.
  public var detail: String
}
