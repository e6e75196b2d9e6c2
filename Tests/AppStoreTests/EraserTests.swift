import TestSupport
import Testing

import AppStore

/// A person's ids give way to a pseudonym where a text names a person, and nowhere else.
@Suite struct EraserTests {
  static let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"
  static let eraser = IdentifierEraser(ids: [token, "1", "o'neil \"é\"", "user-42", "Ann@x.org"], pseudonym: "gone")

  @Test(
    arguments: [
      ("{\"appAccountToken\":\"\(token)\",\"price\":1}", "{\"appAccountToken\":\"gone\",\"price\":1}"),
      ("{\"a\":[{\"app_account_token\": \"\(token.uppercased())\"}]}", "{\"a\":[{\"app_account_token\": \"gone\"}]}"),
      ("{\"customer\":1,\"quantity\":1}", "{\"customer\":\"gone\",\"quantity\":1}"),
      ("{\"quantity\":\"1\"}", nil),
      ("{\"customer\":\"o'neil \\\"\\u00e9\\\"\"}", "{\"customer\":\"gone\"}"),
      ("{\"other\":\"\(token)\"}", "{\"other\":\"gone\"}"),
      ("{\"other\":\"x 1 y\"}", nil),
      (
        "{\"event\":\"removed\",\"product_id\":\"user-42\",\"note\":\"of user-42, for 1 day; ann\\u0040X.ORG\"}",
        "{\"event\":\"removed\",\"product_id\":\"user-42\",\"note\":\"of gone, for 1 day; gone\"}"
      ),
      ("{\"p\":\"{\\\"customer\\\":\\\"1\\\"}\"}", "{\"p\":\"{\\\"customer\\\":\\\"gone\\\"}\"}"),
      ("{\"torn\":[\"\(token)", "{\"torn\":[\"gone"),
      ("{\"quantity\":\"1\",\"customer\": \"1\",", "{\"quantity\":\"1\",\"customer\": \"gone\","),
      ("nothing", nil), ("{\"of\":{\"\(token)\":1}}", "{\"of\":{\"gone\":1}}"),
      ("eyJh.eyJi {\"customer\":\"1\"}", "eyJh.eyJi {\"customer\":\"gone\"}"),
      ("eyJh.e30.x {\"customer\":\"1\"}", "eyJh.e30.x {\"customer\":\"gone\"}"),
      // An id that begins inside another.
      ("torn \(token)\(token.dropFirst()) text", "torn gone text"),
    ] as [(String, String?)])
  func `by where it stands`(text: String, expected: String?) {
    #expect(Self.eraser.erased(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test func `inside signed texts too, alone, in JSON, and in torn text`() {
    let payload = "{\"appAccountToken\":\"\(Self.token)\"}"
    let jws = "{\"alg\":\"ES256\"}".base64URL + "." + payload.base64URL + ".c2ln"
    let erased = "{\"alg\":\"ES256\"}".base64URL + "." + "{\"appAccountToken\":\"gone\"}".base64URL + ".c2ln"
    // A notification holds its transaction as a signed text of its own.
    let outer = "e30.\("{\"data\":\"\(jws)\"}".base64URL).c2ln".replacing("e30", with: "{\"alg\":1}".base64URL)
    let nested = Self.eraser.erased(Array(outer.utf8)).map { String(decoding: $0, as: UTF8.self) }
    #expect(nested?.contains("{\"data\":\"\(erased)\"}".base64URL) == true)
    for (before, after) in [("", ""), ("{\"signedPayload\":\"", "\"}"), ("{\"torn\":[\"", "\",")] {
      let text = Self.eraser.erased(Array((before + jws + after).utf8))
      #expect(text.map { String(decoding: $0, as: UTF8.self) } == before + erased + after)
    }
  }

  @Test(
    arguments: [
      ("archive/user-42/2026-01-10.json", "archive/gone/2026-01-10.json"), ("user-421", nil), ("1 day", nil),
      ("to ANN@X.ORG", "to gone"),
      ("mail of \(token.uppercased()).", "mail of gone."),
    ] as [(String, String?)])
  func `in words an id is one where no letter or digit adjoins it`(text: String, expected: String?) {
    #expect(Self.eraser.erasedWords(text) == expected)
  }
}
