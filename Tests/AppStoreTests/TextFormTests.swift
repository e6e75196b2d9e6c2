import AppStore
import TestSupport
import Testing

/// Texts are taken apart so that what many share stands once; and nothing of them is lost by it.
@Suite struct TextFormTests {
  private static let place = "\u{1F}"

  @Test(arguments: [
    (
      #"{"productId":"pro","price":990,"transactionId":"7"}"#, #"{"productId":"pro","price":990,"transactionId":"␟"}"#,
      "7"
    ),
    (
      #"{ "expiresDate" : 1706800401000 , "isUpgraded" : true }"#, #"{ "expiresDate" : ␟ , "isUpgraded" : true }"#,
      "1706800401000"
    ),
    // A key that is not known to be common is one's own, whatever it says.
    (#"{"appAccountToken":"a","new":null,"flag":false}"#, #"{"appAccountToken":"␟","new":␟,"flag":␟}"#, "a␟null␟false"),
    // Objects inside objects, and values of arrays, go by the key before them.
    (#"{"data":{"status":1,"ids":["x","y"]}}"#, #"{"data":{"status":1,"ids":["␟","␟"]}}"#, "x␟y"),
    // What is left where objects were cut out is no JSON any more.
    (#"{"latest_receipt_info":[,,],"status":0}"#, #"{"latest_receipt_info":[,,],"status":0}"#, ""),
    (#"{"name":"a \"quoted\" ü","currency":"USD"}"#, #"{"name":"␟","currency":"USD"}"#, #"a \"quoted\" ü"#),
    (#"{"a":"","b":""}"#, #"{"a":"␟","b":"␟"}"#, "␟"),
    // An escaped key is not the key that it spells.
    (#"{"product\u0049d":"p"}"#, #"{"product\u0049d":"␟"}"#, "p"),
    ("", "", ""),
  ])
  func `what is an app's, a product's or Apple's is form, and everything else a value`(
    text: String, form: String, values: String
  ) throws {
    let parts = try #require(TextForm.split(Array(text.utf8)))
    #expect(String(decoding: parts.form.text, as: UTF8.self) == form.replacing("␟", with: Self.place))
    #expect(String(decoding: parts.values, as: UTF8.self) == values.replacing("␟", with: Self.place))
    #expect(String(decoding: TextForm.join(form: parts.form.text, values: parts.values), as: UTF8.self) == text)
  }

  @Test func `a long value is never form, so that forms stay few`() throws {
    let long = String(repeating: "p", count: 65)
    let parts = try #require(TextForm.split(Array("{\"productId\":\"\(long)\"}".utf8)))
    #expect(parts.values == Array(long.utf8))
  }

  @Test(arguments: ["{\"a\":\"\u{1F}\"}", "\u{1F}", "{\"a\":\"no end", "{\"a\":\"line\nbreak\"}", "{\"a\":\"\\"])
  func `what cannot be put together again is not taken apart`(text: String) {
    #expect(TextForm.split(Array(text.utf8)) == nil)
  }

  @Test func `any bytes come back as they were`() {
    var random = SplitMix(seed: 7)
    let alphabet = Array("{}[]:,\"\\ \n0-17etfn\u{1F}ü".utf8) + Array("\"productId\":\"price\":".utf8)
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
      guard let parts = TextForm.split(text) else { continue }
      #expect(TextForm.join(form: parts.form.text, values: parts.values) == text)
    }
  }
}
