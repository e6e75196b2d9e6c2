import Foundation
import Properties
import TestSupport
import Testing
import TextTemplates

/// Texts are split so that what many share is stored once, and nothing of them is lost.
@Suite struct TextTemplateTests {
  private static let marker = "\u{1F}"

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
    // Of an instant that a receipt states three times, the milliseconds are stored.
    (
      #"{"a":"2024-03-10 09:59:59 Etc/GMT","b":"1710064799000","c":"2024-03-10 01:59:59 America/Los_Angeles"}"#,
      #"{"a":"␟G","b":"␟","c":"␟P"}"#, "1710064799000"
    ),
    (
      #"{"x":"y","a":"2024-11-03 08:59:59 Etc/GMT","b":"1730624399999","c":"2024-11-03 01:59:59 America/Los_Angeles"}"#,
      #"{"x":"␟","a":"␟G","b":"␟","c":"␟P"}"#, "y␟1730624399999"
    ),
    // Words that do not follow from the milliseconds beside them are values.
    (
      #"{"a":"2024-03-10 09:59:58 Etc/GMT","b":"1710064799000","c":"2024-03-10 02:59:59 America/Los_Angeles"}"#,
      #"{"a":"␟","b":"␟","c":"␟"}"#,
      "2024-03-10 09:59:58 Etc/GMT␟1710064799000␟2024-03-10 02:59:59 America/Los_Angeles"
    ),
    (
      #"{"a":"2024-03-10 09:59:59 Etc/GMT","c":"2024-03-10 01:59:59 America/Los_Angeles"}"#, #"{"a":"␟","c":"␟"}"#,
      "2024-03-10 09:59:59 Etc/GMT␟2024-03-10 01:59:59 America/Los_Angeles"
    ),
    (
      #"{"a":"2006-03-10 09:59:59 Etc/GMT","b":"1141984799000"}"#, #"{"a":"␟","b":"␟"}"#,
      "2006-03-10 09:59:59 Etc/GMT␟1141984799000"
    ),
    // An escaped key is not the key that it spells.
    (#"{"product\u0049d":"p"}"#, #"{"product\u0049d":"␟"}"#, "p"),
    ("", "", ""),
  ])
  func `what is an app's, a product's or Apple's is in the template, and everything else is a value`(
    text: String, template: String, values: String
  ) throws {
    let parts = try #require(TextTemplate.split(Array(text.utf8), columns: NoColumns()))
    #expect(String(decoding: parts.template.text, as: UTF8.self) == template.replacing("␟", with: Self.marker))
    #expect(String(decoding: parts.values, as: UTF8.self) == values.replacing("␟", with: Self.marker))
    #expect(
      String(
        decoding: TextTemplate.join(template: parts.template.text, values: parts.values) { _ in nil }, as: UTF8.self)
        == text)
  }

  private struct Columns: TemplateValues {
    func value(of column: TemplateColumn) -> TemplateValue? {
      switch column {
      case .transactionID: .text("12")
      case .purchaseAt: .milliseconds(1_710_064_799_000)
      default: nil
      }
    }
  }

  @Test(arguments: [
    (#"{"transaction_id":"12"}"#, #"{"transaction_id":"␟t"}"#, ""),
    (#"{"transactionId":12}"#, #"{"transactionId":␟t}"#, ""),
    (#"{"purchaseDate":1710064799000}"#, #"{"purchaseDate":␟p}"#, ""),
    // Other digits for the same number are other bytes.
    (#"{"purchaseDate":01710064799000}"#, #"{"purchaseDate":␟}"#, "01710064799000"),
    (#"{"transaction_id":"012"}"#, #"{"transaction_id":"␟"}"#, "012"),
    (#"{"transaction_id":""}"#, #"{"transaction_id":"␟"}"#, ""),
    // The key decides, and not the value alone.
    (#"{"other":"12","transaction_id":"12","a":1}"#, #"{"other":"␟","transaction_id":"␟t","a":␟}"#, "12␟1"),
    // A column without a value holds none.
    (#"{"expires_date_ms":"1710064799000"}"#, #"{"expires_date_ms":"␟"}"#, "1710064799000"),
    // Words follow from the column as from a value.
    (
      #"{"purchase_date":"2024-03-10 09:59:59 Etc/GMT","purchase_date_ms":"1710064799000","purchase_date_pst":"2024-03-10 01:59:59 America/Los_Angeles"}"#,
      #"{"purchase_date":"␟G","purchase_date_ms":"␟p","purchase_date_pst":"␟P"}"#, ""
    ),
  ])
  func `a value that a column holds as it is written stands there alone`(text: String, template: String, values: String)
    throws
  {
    let parts = try #require(TextTemplate.split(Array(text.utf8), columns: Columns()))
    #expect(String(decoding: parts.template.text, as: UTF8.self) == template.replacing("␟", with: Self.marker))
    #expect(String(decoding: parts.values, as: UTF8.self) == values.replacing("␟", with: Self.marker))
    let joined = TextTemplate.join(template: parts.template.text, values: parts.values, column: Columns().value)
    #expect(String(decoding: joined, as: UTF8.self) == text)
  }

  @Test func `a long value is never in the template, so that templates stay few`() throws {
    let long = String(repeating: "p", count: 65)
    let parts = try #require(TextTemplate.split(Array("{\"productId\":\"\(long)\"}".utf8), columns: NoColumns()))
    #expect(parts.values == Array(long.utf8))
  }

  @Test(arguments: ["{\"a\":\"\u{1F}\"}", "\u{1F}", "{\"a\":\"no end", "{\"a\":\"line\nbreak\"}", "{\"a\":\"\\"])
  func `what cannot be put together again is not taken apart`(text: String) {
    #expect(TextTemplate.split(Array(text.utf8), columns: NoColumns()) == nil)
  }

  /// The words of an instant as Foundation has them.
  private static func text(_ seconds: Int, _ zone: String, _ name: String) throws -> String {
    let zone = try #require(TimeZone(identifier: zone))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) "
      + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) \(name)"
  }

  @Test func `the words of an instant are those of the calendar, before and after each change of the clocks`() throws {
    var random = SplitMix(seed: 11)
    let years = 2007...2036
    let changes = try years.flatMap { year -> [Int] in
      let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
      let start = try #require(Calendar(identifier: .gregorian).date(from: DateComponents(year: year)))
      let first = try #require(zone.nextDaylightSavingTimeTransition(after: start))
      let second = try #require(zone.nextDaylightSavingTimeTransition(after: first))
      return [first, second].flatMap {
        [-1, 0, 3599, 3600].map { Int(first.timeIntervalSince1970) + $0 } + [
          Int($0.timeIntervalSince1970) - 1, Int($0.timeIntervalSince1970),
        ]
      }
    }
    let others = (0..<2000).map { _ in Int.random(in: 1_167_609_600..<2_114_380_800, using: &random) }
    for seconds in changes + others {
      let (gmt, pacific) = (
        try Self.text(seconds, "GMT", "Etc/GMT"), try Self.text(seconds, "America/Los_Angeles", "America/Los_Angeles")
      )
      let parts = try #require(
        TextTemplate.split(Array(#"["\#(gmt)","\#(seconds)000","\#(pacific)"]"#.utf8), columns: NoColumns()))
      #expect(String(decoding: parts.values, as: UTF8.self) == "\(seconds)000", "\(gmt) \(pacific)")
    }
  }

  @Test func `any bytes come back as they were`() {
    var random = SplitMix(seed: 7)
    let letters = Array("{}[]:,\"\\ \n0-17etfnGP\u{1F}ü".utf8).map { [$0] }
    let longer = [
      "\"productId\":\"price\":", "1710064799000", "2024-03-10 09:59:59 Etc/GMT", "\"1710064799000\"",
      "\"2024-03-10 09:59:59 Etc/GMT\"", "\"2024-03-10 01:59:59 America/Los_Angeles\"",
    ].map { Array($0.utf8) }
    let alphabet = letters + longer
    for _ in 0..<20_000 {
      let pieces = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in alphabet.randomElement(using: &random)
      }
      let text = pieces.flatMap(\.self)
      guard let parts = TextTemplate.split(text, columns: NoColumns()) else { continue }
      #expect(TextTemplate.join(template: parts.template.text, values: parts.values) { _ in nil } == text)
    }
  }
}
