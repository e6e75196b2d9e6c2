import AppStore
import TestSupport
import Testing

/// What is read many bytes at a time is read as if it were one by one.
@Suite struct ByteTests {
  @Test func `Base 64 gives back what it was made from, at every length`() {
    var random = SplitMix(seed: 64)
    for count in 0..<70 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Base64URL.encode(bytes)
      #expect(Base64URL.decode(text[...]) == bytes)
      #expect(Base64URL.decode(([0x21] + text)[1...]) == bytes)
      for index in text.indices {
        for foreign in [UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "/"), 0, 0x80, 0xFF, UInt8(ascii: " ")] {
          var wrong = text
          wrong[index] = foreign
          #expect(Base64URL.decode(wrong[...]) == nil)
        }
      }
    }
  }

  @Test(arguments: ["A", "AAAAA", "AB", "AAB", "AAAAAB", "AAA=", "AA=="])
  func `a length that nothing has, bits left over and padding are refused`(text: String) {
    #expect(Base64URL.decode(Array(text.utf8)[...]) == nil)
  }

  @Test func `a string ends at its quote and nowhere else, wherever its bytes fall`() throws {
    for count in 0..<40 {
      for offset in 0...count {
        let (before, after) = (String(repeating: "a", count: offset), String(repeating: "b", count: count - offset))
        for (written, read) in [(#"\""#, "\""), (#"\\"#, "\\"), (#"\u00e9"#, "é"), ("é", "é"), ("😀", "😀"), ("", "")] {
          let document = try JSONDocument(Array("[\"\(before)\(written)\(after)\",1]".utf8))
          #expect(document.root.elements.first?.string == before + read + after)
          #expect(document.root.elements.count == 2)
        }
        for control in ["\u{0}", "\u{1F}", "\n"] {
          #expect(throws: JSONError.self) { try JSONDocument(Array("[\"\(before)\(control)\(after)\"]".utf8)) }
        }
      }
    }
  }

  @Test func `a password is found wherever it stands`() {
    for before in 0..<20 {
      let text = String(repeating: "w", count: before) + #"{"password":"secret"}"#
      #expect(!String(decoding: SecretRedactor.redacted(Array(text.utf8)), as: UTF8.self).contains("secret"))
    }
    #expect(SecretRedactor.redacted(Array("passwor".utf8)) == Array("passwor".utf8))
  }
}
