import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element of XML, as a parser of its own read it.
struct Element {
  let name: String
  let attributes: [String: String]
  var children: [Element] = []
  /// What is directly inside, without what its children say.
  var text = ""

  func number(_ attribute: String) -> Double? { attributes[attribute].flatMap(Double.init) }

  func has(_ className: String) -> Bool {
    (attributes["class"] ?? "").split(separator: " ").contains(Substring(className))
  }

  /// It and all below, in the order of the document.
  var all: [Element] { [self] + children.flatMap(\.all) }

  func all(_ name: String, _ className: String? = nil) -> [Element] {
    all.filter { $0.name == name && (className.map($0.has) ?? true) }
  }

  /// The texts of the elements of a class.
  func texts(_ className: String? = nil) -> [String] { all("text", className).map(\.text) }
}

struct NotWellFormed: Error { let line: Int }

/// Reads a document whole, or fails where it is not well-formed.
func read(_ document: String) throws -> Element {
  let reader = TreeReader()
  let parser = XMLParser(data: Data(document.utf8))
  parser.shouldProcessNamespaces = false
  parser.delegate = reader
  guard parser.parse(), let root = reader.root else { throw NotWellFormed(line: parser.lineNumber) }
  return root
}

private final class TreeReader: NSObject, XMLParserDelegate {
  var root: Element?
  private var open: [Element] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    open.append(Element(name: name, attributes: attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    if !open.isEmpty { open[open.count - 1].text += characters }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard let last = open.popLast() else { return }
    if open.isEmpty { root = last } else { open[open.count - 1].children.append(last) }
  }
}
