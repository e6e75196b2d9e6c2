import TestSupport
import Testing

@testable import AppStore

/// A shared secret is blanked out however a log, a form or another language writes it, and JSON stays JSON.
@Suite struct SecretTests {
  static func clean(_ text: String) -> String {
    String(decoding: SecretRedactor.redacted(Array(text.utf8)), as: UTF8.self)
  }

  @Test(arguments: [
    (
      "-----BEGIN EC PRIVATE KEY-----\nMHc+/=\n-----END EC PRIVATE KEY-----\n",
      "-----BEGIN EC PRIVATE KEY-----\n***+/=\n-----*** ** ******* ***-----\n"
    ),
    (#"{"key":"-----BEGIN PRIVATE KEY-----\nMIG"}"#, #"{"key":"-----BEGIN PRIVATE KEY-----\n***"}"#),
    ("-----BEGIN PUBLIC KEY-----\nMIG", "-----BEGIN PUBLIC KEY-----\nMIG"),
  ]) func `a private key is blanked out, and what follows it`(text: String, expected: String) {
    #expect(Self.clean(text) == expected)
    #expect(Self.clean(expected) == expected)
    // A text that arrives in pieces is blanked out as the whole is.
    var redactor = SecretRedactor()
    #expect(String(decoding: text.utf8.flatMap { redactor.next([$0]) }, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    (#"{"Password":"s3cret","a":1}"#, #"{"Password":"******","a":1}"#),
    (#"{"PASSWORD":"s3cret","a":1}"#, #"{"PASSWORD":"******","a":1}"#),
    (#"{"\u0050assWORD":"s3cret"}"#, #"{"\u0050assWORD":"******"}"#),
    (#"{'password': 's3cret', 'a': 1}"#, #"{'password': '******', 'a': 1}"#),
    (#"{'password': "s3'cret", 'a': 1}"#, #"{'password': "*******", 'a': 1}"#),
    (#"{"log":"{'password': 's3cret'}","a":1}"#, #"{"log":"{'password': '******'}","a":1}"#),
    (
      #"{"log":"{\u0027password\u0027: \u0027s3cret\u0027}","a":1}"#,
      #"{"log":"{\u0027password\u0027: \u0027******\u0027}","a":1}"#
    ),
    (#"{"password"=>"s3cret", "a"=>1}"#, #"{"password"=>"******", "a"=>1}"#),
    ("password=s3cret&a=1", "password=******&a=1"), ("a=1&Password=s3cret", "a=1&Password=******"),
    (#"{"body":"a=1&password=s3cret","b":1}"#, #"{"body":"a=1&password=******","b":1}"#),
    (#"{"body":"password=s3cret\u0026a=1"}"#, #"{"body":"password=******\u0026a=1"}"#),
    ("body=password%3Ds3cret%26a", "body=password%3D**********"), ("password = s3cret\na", "password = ******\na"),
    (#"<form password='s3cret'/>"#, #"<form password='******'/>"#),
    (#"x password="s3cret" y"#, #"x password="******" y"#),
    (#"{password: 's3cret'}"#, #"{password: '******'}"#),
    (#"{"password":123,"a":1}"#, #"{"password":111,"a":1}"#),
    (#"{"password": -10.25e+7}"#, #"{"password": -11.11e+1}"#),
    (#"{"password":["s3cret", 45, {"x":"s3cret"}],"a":"b"}"#, #"{"password":["******", 11, {"*":"******"}],"a":"b"}"#),
    (
      #"{"payload":"{\"password\":[\"s3cret\"],\"a\":1}","b":1}"#,
      #"{"payload":"{\"password\":[\"******\"],\"a\":1}","b":1}"#
    ),
    (#"{"password":s3cret,"a":1}"#, #"{"password":******,"a":1}"#),
    (#"{"password":["s3cret"#, #"{"password":["******"#),
    (#"{'password': ['', 's3cret'], 'a': 1}"#, #"{'password': ['', '******'], 'a': 1}"#),
    (#""password" password":"s3cret""#, #""password" password":"******""#),
  ])
  func `a secret is blanked out, and nothing else`(text: String, expected: String) {
    #expect(Self.clean(text) == expected)
    #expect(Self.clean(expected) == expected)
    var redactor = SecretRedactor()
    #expect(String(decoding: text.utf8.flatMap { redactor.next([$0]) }, as: UTF8.self) == expected)
    if let document = try? JSONDocument(Array(text.utf8)) {
      #expect((try? JSONDocument(Array(expected.utf8)))?.root.keys == document.root.keys)
    }
  }

  @Test(arguments: [
    #"{"password":null,"a":1}"#, #"{"password":true}"#, #"{"password": [], "a":1}"#, #"{"password":"","a":1}"#,
    #"{"error":{"message":"Enter your password:","code":1}}"#, #"{"m":"your password=","a":"b"}"#,
    #"{"m":"set the 'password':","a":"b"}"#, #"{"m":"'password': [","a":"b"}"#, #"{"m":"password: three tries left"}"#,
    #"{"passwords":"x"}"#,
    #"{"payload":"{\"m\":\"password=\",\"a\":\"b\"}"}"#, "a passing word=x", "PASSWOR",
  ])
  func `what holds no secret stays as it is`(text: String) { #expect(Self.clean(text) == text) }

  /// What names, values and their ends are made of.
  private static let pieces = [
    "password", "PassWord", "\"", "'", "\\", "\\u0022", "\\u0027", ":", "=", "[", "]", "{", "}", ",", "&", " ", "\n",
    "12", "-1e5",
    "null", "s3", "%3D", "p", "\u{0}", ">", "é", "\"password\":", "'password':", "password=",
  ]

  @Test(arguments: 0..<SampleSize.pick(4, full: 5 * SampleSize.factor))
  func `any text is blanked out once and for all, in pieces too`(seed: Int) async throws {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<SampleSize.pick(300, full: 600) {
      let count = Int.random(in: 1...24, using: &random)
      let text = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
      try await FoundTests.check(Array(text.utf8), text, targets: [.redactor])
    }
  }

  /// A text of JSON whose strings hold what a redactor might take for the name of a secret.
  private static func json(_ random: inout SplitMix, _ depth: Int) -> String {
    let words = pieces.filter { !$0.contains("\\") && $0 != "\n" && $0 != "\u{0}" }
    func string(_ random: inout SplitMix) -> String {
      let text = (0..<Int.random(in: 0...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
      return "\"" + text.joined().replacing("\"", with: "\\\"") + "\""
    }
    switch Int.random(in: 0..<(depth > 3 ? 3 : 6), using: &random) {
    case 0: return ["null", "true", "0", "-12.5e3", "7"].randomElement(using: &random) ?? "0"
    case 1, 2: return string(&random)
    case 3: return "[" + (0..<2).map { _ in json(&random, depth + 1) }.joined(separator: ",") + "]"
    case 4:
      let inner = json(&random, depth + 1)
      return "\"" + inner.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    default:
      let names = [string(&random), "\"password\"", "\"a\""]
      return "{" + names.map { "\($0) : \(json(&random, depth + 1))" }.joined(separator: ", ") + "}"
    }
  }

  @Test(arguments: 0..<SampleSize.pick(4, full: 5 * SampleSize.factor))
  func `JSON stays JSON, whatever its texts say`(seed: Int) {
    var random = SplitMix(seed: UInt64(seed) ^ 99)
    for _ in 0..<SampleSize.pick(150, full: 500) {
      let text = Self.json(&random, 0)
      guard let before = try? JSONDocument(Array(text.utf8)) else { continue }
      do throws(JSONError) {
        // A letter of a secret that was escaped is escaped still: a star cannot be, a slash can.
        let after = try JSONDocument(Array(Self.clean(text).replacing("*", with: "/").utf8))
        #expect(after.root.keys.count == before.root.keys.count)
      } catch {
        // Two names of a secret object are alike when they are blanked out.
        #expect(error.reason == .duplicateKey, "\(text)\n\(Self.clean(text))")
      }
    }
  }

  @Test func `the quick search finds the name at every offset and in any case`() {
    for before in 0..<40 {
      for name in ["password", "PASSWORD", "pAsSwOrD"] {
        for after in [0, 3, 30] {
          let text = String(repeating: "p", count: before) + name + String(repeating: "w", count: after)
          #expect(SecretRedactor.mayContainSecret(Array(text.utf8)), "\(text)")
        }
      }
      #expect(!SecretRedactor.mayContainSecret([UInt8](repeating: UInt8(ascii: "p"), count: before)))
      #expect(
        !SecretRedactor.mayContainSecret(Array((String(repeating: "x", count: before) + "pass\u{7F}ord passwor").utf8)))
    }
  }
}
