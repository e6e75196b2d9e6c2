import TestSupport
import Testing

import AppStore

/// Ids are found in every spelling, and only what is surely the person's may be erased.
@Suite struct IdentifierSearchTests {
  static let token = "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"
  static let search = IdentifierSearch(
    ids: [token, "1", "12345", "user-42", "Ann@x.org", "Jos\u{e9}-de-la-Vega-17"], pseudonym: "gone")

  private static func finds(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { search.finds(in: $0) } }

  private static func erased(_ text: String, _ context: IdentifierSearch.TextKind) -> String? {
    search.erased(Array(text.utf8), in: context).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      (token, true), ("x\(token.uppercased())y", true), ("1", true), ("11", false), ("a 1", false), ("12345", true),
      ("x12345", false), ("a:12345,", true), ("USER-42", true), ("user-421", false), ("super-user-42", true),
      ("\\nuser-42", true), ("\\u000auser-42", true), ("%20user-42", true), ("auser-42", false),
      ("ann%40x.org", true), ("ANN%40X.ORG", true), ("ann\\u0040x.org", true), ("user\\u002d42", true),
      ("us%65r-%34%32", true), ("us%65r-%34%321", false), ("\\\\u0075ser-42", true),
      ("%75ser-42", true), ("%55SER-42", true), ("ann%40x.or\\\\u0067", true), ("%", false), ("\\u00", false),
      ("JOS\u{c9}-DE-LA-VEGA-17", true), ("jos%c3%a9-de-la-vega-17", true), ("jos\\u00E9-de-la-vega-17", true),
      ("", false), ("0b4c7e1a-91d0", false),
    ] as [(String, Bool)])
  func `by how surely it is the person's`(text: String, isFound: Bool) {
    #expect(Self.finds(text) == isFound)
    let short = "\(text)".utf8.count
    #expect(Self.erased(text, .text).map(\.utf8.count) ?? short == short)
  }

  @Test func `in Base 64 of both alphabets, wherever it falls`() {
    for id in [Self.token, Self.token.uppercased(), "user-42", "Ann@x.org"] {
      for before in 0..<7 {
        for after in 0..<4 {
          let bytes = String(repeating: "?", count: before) + id + String(repeating: ">", count: after)
          let url = bytes.base64URL
          let standard = url.replacing("-", with: "+").replacing("_", with: "/")
          for text in [url, standard, "{\"a\":\"\(standard)==\"}"] {
            #expect(Self.finds(text), "\(text)")
            let clean = Self.erased(text, .text)
            #expect(clean?.utf8.count == text.utf8.count && !Self.finds(clean ?? text), "\(text)")
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      ("to \(token.uppercased())!", IdentifierSearch.TextKind.words, "to gone!"),
      ("to \(token)!", .text, "to gonegonegonegonegonegonegonegonegone!"), ("by USER-42.", .words, "by gone."),
      ("by USER-42.", .text, nil), ("12345", .words, nil), ("1", .words, nil), ("user-42user-42", .words, nil),
    ] as [(String, IdentifierSearch.TextKind, String?)])
  func `is erased by where it stands`(text: String, context: IdentifierSearch.TextKind, expected: String?) {
    #expect(Self.erased(text, context) == expected)
  }

  @Test func `in UTF-16 too`() {
    let wide = "to \(Self.token)!".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(wide.withUnsafeBytes(Self.search.finds))
    let clean = Self.search.erased(wide, in: .text)
    #expect(clean?.count == wide.count && clean?.withUnsafeBytes(Self.search.finds) == false)
  }

  @Test func `nobody is found nowhere`() {
    let nobody = IdentifierSearch(ids: [], pseudonym: "gone")
    Array("anything".utf8).withUnsafeBytes { bytes in #expect(!nobody.finds(in: bytes)) }
    #expect(nobody.longest == 0)
  }
}
