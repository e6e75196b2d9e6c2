internal import Synchronization

/// One JSON text, parsed once into a flat list of nodes with their byte positions.
///
/// The ledger stores the exact source of each object beside its typed columns. A general parser does not keep these
/// positions, so the text would be parsed twice. Values are decoded only when they are read.
public final class JSONDocument: Sendable {
  /// The kind of a node.
  enum Kind: UInt8, Sendable {
    case object, array, string, number, yes, no, null
  }

  /// One value or key. Its bytes are `start..<end`, with quotes and brackets; `next` is the index of the node after its
  /// subtree.
  struct Node: Sendable {
    var start: Int32
    var end: Int32
    var next: Int32
    var kind: Kind
    var isEscaped = false
  }

  /// The text as it was given.
  public let bytes: [UInt8]
  let nodes: [Node]
  /// The step of the latest path through a long container. Problems come in order, so the next search starts here and
  /// does not count ten thousand rows again.
  private let lastPathChild = Mutex<(container: Int, child: Int, childIndex: Int)>((-1, 0, 0))

  /// The maximum depth of nested values; deeper JSON is refused. Apple's deepest format needs seven levels.
  public static let depthLimit = 64

  /// Parses one JSON text.
  /// - Parameter bytes: UTF-8, at most 2 GiB. White space around the value is allowed.
  /// - Throws: ``JSONError`` with the byte offset and the JSON path of the error.
  public init(_ bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes: bytes)
    nodes = try parser.parse()
    self.bytes = bytes
  }

  /// Creates a document from a value of another document, without parsing it again.
  init(part: JSONValue) {
    let (range, first) = (part.range, part.index)
    bytes = Array(part.document.bytes[range])
    nodes = part.document.nodes[first..<Int(part.document.nodes[first].next)].map { node in
      var node = node
      node.start -= Int32(range.lowerBound)
      node.end -= Int32(range.lowerBound)
      node.next -= Int32(first)
      return node
    }
  }

  /// The outermost value of the text.
  public var root: JSONValue { JSONValue(document: self, index: 0) }

  /// Returns the JSON path of a node, such as `$.data.signedTransactionInfo`. It searches from the root, because only
  /// problems need paths.
  func path(of target: Int) -> String {
    var path = "$"
    var current = 0
    while current != target, let step = step(in: current, towards: target) {
      if nodes[current].kind == .object {
        path += "." + JSONValue(document: self, index: step.child).pathComponent
        if target == step.child { return path }
      } else {
        path += "[\(step.childIndex)]"
      }
      current = step.value
    }
    return path
  }

  /// Returns the child of a container that is the target or contains it. For an object, the child is the key, with its
  /// value.
  private func step(in container: Int, towards target: Int) -> (child: Int, value: Int, childIndex: Int)? {
    let width = nodes[container].kind == .object ? 1 : 0
    var (child, childIndex) = lastPathChild.withLock { last in
      last.container == container && last.child <= target ? (last.child, last.childIndex) : (container + 1, 0)
    }
    while child < Int(nodes[container].next) {
      let value = child + width
      if target < Int(nodes[value].next) {
        if childIndex > 100 { lastPathChild.withLock { $0 = (container, child, childIndex) } }
        return (child, value, childIndex)
      }
      child = Int(nodes[value].next)
      childIndex += 1
    }
    return nil
  }
}

/// Why a text is not usable JSON.
public struct JSONError: Error, Sendable, Equatable {
  /// The kinds of error.
  public enum Reason: String, Sendable {
    case empty, malformed, truncated, notUTF8, tooDeep, duplicateKey
  }

  /// The kind of this error.
  public var reason: Reason
  /// The byte offset of the error from the start of the text.
  public var offset: Int
  /// The JSON path of the value that was being read, as far as it is known.
  public var path: String
  /// A description in plain words; empty if the reason is enough.
  public var detail: String
}
