internal import Synchronization

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
  /// Where the last path went through a long container: problems come in order, and ten thousand of them must not each
  /// count the rows before their own.
  private let lastStep = Mutex<(container: Int, child: Int, place: Int)>((-1, 0, 0))

  /// Nesting deeper than this is refused: Apple's deepest format needs seven levels.
  public static let depthLimit = 64

  /// Parses one JSON text.
  /// - Parameter bytes: UTF-8, at most 2 GiB; surrounding white space is allowed.
  /// - Throws: ``JSONError``, with the offset and the path of what cannot be read.
  public init(_ bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes: bytes)
    nodes = try parser.parse()
    self.bytes = bytes
  }

  /// A value of another document as a document of its own: what was parsed is not parsed again.
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

  /// The outermost value.
  public var root: JSONValue { JSONValue(document: self, index: 0) }

  /// The JSON path of a node, such as `$.data.signedTransactionInfo`: found by walking down from the root, because
  /// only problems need it.
  func path(of target: Int) -> String {
    var path = "$"
    var current = 0
    while current != target, let step = step(in: current, towards: target) {
      if nodes[current].kind == .object {
        path += "." + JSONValue(document: self, index: step.child).pathComponent
        if target == step.child { return path }
      } else {
        path += "[\(step.place)]"
      }
      current = step.value
    }
    return path
  }

  /// The child of a container that is, or holds, a node; of an object the key, with its value beside it.
  private func step(in container: Int, towards target: Int) -> (child: Int, value: Int, place: Int)? {
    let width = nodes[container].kind == .object ? 1 : 0
    var (child, place) = lastStep.withLock { last in
      last.container == container && last.child <= target ? (last.child, last.place) : (container + 1, 0)
    }
    while child < Int(nodes[container].next) {
      let value = child + width
      if target < Int(nodes[value].next) {
        if place > 100 { lastStep.withLock { $0 = (container, child, place) } }
        return (child, value, place)
      }
      child = Int(nodes[value].next)
      place += 1
    }
    return nil
  }
}

/// Why a text is not usable JSON.
public struct JSONError: Error, Sendable, Equatable {
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
