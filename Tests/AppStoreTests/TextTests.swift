import AppStore
import Testing

/// Instants, JSON and secrets: the ground that decoding stands on.
@Suite struct TextTests {
  @Test(arguments: [
    ("2026-03-01", "2026-03-01T00:00:00.000Z"),
    ("2026-03-01T10:20:30Z", "2026-03-01T10:20:30.000Z"),
    ("2026-03-01T10:20:30.5Z", "2026-03-01T10:20:30.500Z"),
    ("2026-03-01T10:20+01:00", "2026-03-01T09:20:00.000Z"),
    ("2026-03-01 10:20:30", "2026-03-01T10:20:30.000Z"),
    ("2024-02-29", "2024-02-29T00:00:00.000Z"),
    ("1772359200000", "2026-03-01T10:00:00.000Z"),
  ])
  func `an instant is read and written`(text: String, written: String) {
    #expect(Instant(text)?.description == written)
  }

  @Test(arguments: [
    "", "yesterday", "2026-13-01", "2025-02-29", "20260301", "2026", "2026-03-01T25:00Z", "99999999999999999999",
    "0001-01-01T00:00+01:00", "9999-12-31T23:59:59.999-01:00",
  ])
  func `what is no instant is refused`(text: String) {
    #expect(Instant(text) == nil)
  }

  @Test(arguments: [Int64.min, -1, .max])
  func `every number of milliseconds can be shown`(milliseconds: Int64) {
    let written = Instant(milliseconds: milliseconds).description
    #expect(written.hasSuffix("Z"))
    #expect(milliseconds != -1 || written == "1969-12-31T23:59:59.999Z")
  }

  @Test(arguments: [
    ("{\"a\":1,}", JSONError.Reason.malformed, "$.a"),
    ("{\"a\":1", .truncated, "$.a"),
    ("{\"a\":{\"b\":[1,\"x", .truncated, "$.a.b[1]"),
    ("{\"a\":1,\"a\":2}", .duplicateKey, "$.a"),
    ("{\"a\":1,\"\\u0061\":2}", .duplicateKey, "$.a"),
    ("", .empty, "$"),
    ("[01]", .malformed, "$[0]"),
    ("[1] 2", .malformed, "$"),
    ("{\"a\":\"\u{1}\"}", .malformed, "$.a"),
    ("[nul]", .malformed, "$[0]"),
    (String(repeating: "[", count: 65), .tooDeep, "$[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]…"),
  ])
  func `JSON that cannot be believed is refused with its path`(text: String, reason: JSONError.Reason, path: String) {
    #expect { try JSONDocument(Array(text.utf8)) } throws: { error in
      let failure = error as? JSONError
      return failure?.reason == reason && failure?.path == path
    }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    for bytes: [UInt8] in [[0x22, 0xE9, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
      #expect { try JSONDocument(bytes) } throws: { ($0 as? JSONError)?.reason == .notUTF8 }
    }
  }

  @Test func `a payload is readable: indented, and with what each signed text signs in its place`() {
    func signed(_ text: String) -> String {
      ["{\"alg\":1}", text, "signature"].map { String(decoding: Base64URL.encode(Array($0.utf8)), as: UTF8.self) }
        .joined(separator: ".")
    }
    let inner = signed(#"{"price":9990,"name":"x\n"}"#)
    let outer = signed(#"{"data":{"signedTransactionInfo":"\#(inner)"},"none":[],"all":{}}"#)
    let readable = """
      {
        "data": {
          "signedTransactionInfo": {
            "price": 9990,
            "name": "x\\n"
          }
        },
        "none": [],
        "all": {}
      }
      """
    #expect(ReadableJSON.text(Array(outer.utf8)) == readable)
    #expect(ReadableJSON.text(Array(#"{"a":[1,"eyJ.x"]}"#.utf8)) == "{\n  \"a\": [\n    1,\n    \"eyJ.x\"\n  ]\n}")
    for text in ["", "no JSON", "eyJ.eyJ.x", "[1,"] { #expect(ReadableJSON.text(Array(text.utf8)) == nil, "\(text)") }
    // A text that signs itself again and again ends.
    let nested = (0..<9).reduce("{}") { text, _ in signed("[\"\(signed(text))\"]") }
    #expect(ReadableJSON.text(Array(nested.utf8)) != nil)
  }

  @Test func `a value knows its exact bytes and its path`() throws {
    let document = try JSONDocument(Array(#"{"a": [ {"b": "x\u00e9\ud83d\ude00"} ]}"#.utf8))
    let value = try #require(document.root["a"]?.elements.first?["b"])
    #expect(value.string == "xé😀")
    #expect(String(decoding: value.source, as: UTF8.self) == #""x\u00e9\ud83d\ude00""#)
    #expect(value.path == "$.a[0].b")
  }

  @Test(arguments: [
    #"{"password":"s3cret","a":1}"#,
    #"{"password" : "s3cret","a":1}"#,
    #"{"x":{"password":"s3cret"#,
    #"{"payload":"{\"password\":\"s3cret\",\"a\":1}"}"#,
    #"{"ppassword":"s3","password":"s3cret"}"#,
    #"{"password":"s3cret\"s3cret","a":1}"#,
    #"{"password":"s3cret\\","a":1}"#,
    #"{"p\u0061ssw\u006Frd":"s3cret","a":1}"#,
    #"{"password":"\u00733cret s3cret","a":1}"#,
    #"{"password":"s3cret\\\"s3cret","a":1}"#,
    #"{"payload":"{\"password\":\"s3cret\\\\\",\"a\":1}"}"#,
    #"{"payload":"{\u0022password\u0022:\u0022s3cret\\\u0022s3cret\u0022,\u0022b\u0022:1}","a":1}"#,
    #"{"payload":"{\u0022password\u0022:\u0022s3cret"#,
    #"{"payload":"{\"payload\":\"{\\u0022password\\u0022:\\u0022s3cret\\u0022,\\u0022b\\u0022:1}\",\"a\":1}"}"#,
  ])
  func `the shared secret is blanked out of any text, torn or nested`(text: String) {
    let clean = String(decoding: SecretRedactor.redacted(Array(text.utf8)), as: UTF8.self)
    #expect(!clean.contains("s3cret"))
    #expect(clean.count == text.count)
    #expect(clean.contains("\"a\":1") == text.contains("\"a\":1"))
    // In pieces, as a text too long to hold comes.
    var redactor = SecretRedactor()
    let pieces = text.utf8.flatMap { redactor.next([$0]) }
    #expect(String(decoding: pieces, as: UTF8.self) == clean)
  }

  @Test func `the shared secret is found in UTF-16 too`() {
    let bytes = Array(#"{"password":"s3cret"}"#.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let clean = SecretRedactor.redacted(bytes).filter { $0 != 0 }
    #expect(String(decoding: clean, as: UTF8.self) == #"{"password":"******"}"#)
  }
}
