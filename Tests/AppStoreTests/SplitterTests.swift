import AppStore
import Testing

/// Files in all their layouts: the same items whatever the size of the pieces that the file is read in.
@Suite struct SplitterTests {
  static let layouts: [(name: String, text: String, items: [String], lines: [Int])] = [
    ("one object", "{\"a\":1}", ["{\"a\":1}"], [1]),
    ("one object, laid out", "{\n  \"a\": [\n    1]\n}\n", ["{\n  \"a\": [\n    1]\n}"], [1]),
    ("two objects, laid out", "{\n\"a\":1\n}\n{\n\"b\":2\n}\n", ["{\n\"a\":1\n}", "{\n\"b\":2\n}"], [1, 4]),
    ("lines", "{\"a\":1}\n\n{\"b\":2}\r\n{\"c\":3}", ["{\"a\":1}", "{\"b\":2}\r", "{\"c\":3}"], [1, 3, 4]),
    (
      "lines, the middle one torn", "{\"a\":1}\n{\"b\":\n{\"c\":3}\n", ["{\"a\":1}", "{\"b\":", "{\"c\":3}"], [1, 2, 3]
    ),
    (
      "lines, the first one torn", "{\"a\":\"x\n{\"c\":3}\n{\"d\":4}\n", ["{\"a\":\"x", "{\"c\":3}", "{\"d\":4}"],
      [1, 2, 3]
    ),
    (
      "lines, all torn", "{\"a\":\"x\n{\"c\":\n\n{\"d\":\"y\n", ["{\"a\":\"x", "{\"c\":", "{\"d\":\"y"], [1, 2, 4]
    ),
    ("lines, though it could be a document", "{\"a\":\n{\"b\":1}\n}\n", ["{\"a\":", "{\"b\":1}", "}"], [1, 2, 3]),
    ("two byte order marks", "\u{FEFF}\u{FEFF}{\"a\":1}", ["\u{FEFF}{\"a\":1}"], [1]),
    ("a document, torn", "{\n \"a\":\"x\n", ["{\n \"a\":\"x\n"], [1]),
    ("an array", " [ {\"a\":\"],[\"} ,\n{\"b\":[2]}]", ["{\"a\":\"],[\"} ", "{\"b\":[2]}"], [1, 2]),
    ("an array, torn", "[{\"a\":1},{\"b\":", ["{\"a\":1}", "{\"b\":"], [1, 1]),
    ("an empty array", "[]", [], []),
    ("signed lines", "eyJhIn0.eyJ9.x\neyJiIn0.eyJ9.y\n", ["eyJhIn0.eyJ9.x", "eyJiIn0.eyJ9.y"], [1, 2]),
    ("a byte order mark", "\u{FEFF}{\"a\":1}", ["{\"a\":1}"], [1]),
    ("another kind of file", "# Title\n\nSome words.\n", ["# Title\n\nSome words.\n"], [1]),
    ("lines below a heading", "# Title\n{\"a\":1}\n", ["# Title", "{\"a\":1}"], [1, 2]),
    ("nothing", "", [], []),
    ("white space", " \n\t\n", [], []),
  ]

  @Test(arguments: layouts.map(\.name), [1, 2, 3, 7, 1000])
  func `a layout gives its items, in pieces of any size`(name: String, size: Int) throws {
    let layout = try #require(Self.layouts.first { $0.name == name })
    var splitter = PayloadSplitter()
    var outputs: [PayloadSplitter.Output] = []
    let bytes = Array(layout.text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      outputs += splitter.append(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    outputs += splitter.finish()
    let expected = zip(layout.items, layout.lines).map { PayloadSplitter.Output.item(Array($0.utf8), line: $1) }
    #expect(outputs == expected)
  }
}
