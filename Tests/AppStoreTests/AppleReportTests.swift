import AppStore
import Foundation
import TestSupport
import Testing

/// Files of App Store Connect, by their columns. The samples in `Data/reports` are real reports of 5 October 2020 from
/// Kachit/appstore-sdk-go (MIT), with replaced names, and made-up rows from fivetran/dbt_apple_store (Apache-2.0).
@Suite struct AppleReportTests {
  static let day = Instant("2020-10-05")

  struct Sample: CustomTestStringConvertible {
    var name: String
    var type: AppleReportType
    var version: String
    var day: String
    var rows: Int
    /// The sums of units by measure. They come from awk, not from this library.
    var units: [String: Int64]
    var testDescription: String { name }
  }

  static let samples = [
    Sample(
      name: "kachit_sales_1_0.tsv", type: .sales, version: "1_0", day: "2020-10-05", rows: 46, units: ["sale": 716]),
    Sample(
      name: "kachit_subscriber_1_2.tsv", type: .subscriber, version: "1_2", day: "2020-10-05", rows: 48,
      units: ["payment": 47, "refund": 0]),
    Sample(
      name: "kachit_subscription_event_1_2.tsv", type: .subscriptionEvent, version: "1_2", day: "2020-10-05", rows: 49,
      units: ["event": 120]),
    Sample(
      name: "kachit_subscription_1_2.tsv", type: .subscription, version: "1_2", day: "2020-10-05", rows: 49,
      units: ["active_standard_price": 290, "pay_as_you_go_introductory": 2, "billing_retry": 112]),
    Sample(
      name: "fivetran_subscription_1_3.csv", type: .subscription, version: "1_3", day: "2024-12-07", rows: 10,
      units: [:]),
    Sample(
      name: "fivetran_subscription_event_1_3.csv", type: .subscriptionEvent, version: "1_3", day: "2024-11-06",
      rows: 10,
      units: [:]),
  ]

  static func read(_ text: String, name: String = "Subscriber_80012345_20201005.txt", day: Instant? = nil) throws
    -> AppleReport
  {
    try AppleReportReader().read(Array(text.utf8), name: name, day: day)
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    try Checkout.bytes("Tests/AppStoreTests/Data/reports/" + name)
  }

  @Test(arguments: samples)
  func `every sample is read with its type version day and counts`(_ sample: Sample) throws {
    let day = try #require(Instant(sample.day))
    let report = try AppleReportReader().read(try Self.bytes(sample.name), name: sample.name, day: day)
    #expect(report.type == sample.type)
    #expect(report.version == sample.version)
    #expect(report.firstDay == day)
    #expect(report.lastDay == day)
    #expect(report.rowCount == sample.rows)
    #expect(report.unknownColumns == [])
    #expect(report.vendorNumber == nil)
    var units: [String: Int64] = [:]
    for figure in report.figures {
      units[report.dimensions[figure.dimensions].measure.rawValue, default: 0] += figure.units
    }
    if !sample.units.isEmpty { #expect(units == sample.units) }
    // Compressed it is the same report.
    let compressed = try AppleReportReader().read(Gzip.compress(try Self.bytes(sample.name)), name: "x", day: day)
    #expect(compressed == report)
  }

  @Test func `a row without units states its amount`() throws {
    let sales = try AppleReportReader().read(try Self.bytes("kachit_sales_1_0.tsv"), name: "x")
    let returned = sales.figures.filter { $0.units == 0 && $0.customerAmount != 0 }
    #expect(returned.map(\.customerAmount) == [-85_430])
    #expect(returned.map(\.proceedsAmount) == [-59_800])
    let renewable = sales.figures.filter { sales.dimensions[$0.dimensions][.productType] == "IAY" }
    #expect(renewable.map(\.units).reduce(0, +) == 142)
    let paid = renewable.compactMap(\.customerAmount?.rawValue).reduce(0, +)
    #expect(paid == 72_055_480 - 85_430)

    let subscribers = try AppleReportReader().read(
      try Self.bytes("kachit_subscriber_1_2.tsv"), name: "x", day: Self.day)
    let refund = try #require(subscribers.figures.first { subscribers.dimensions[$0.dimensions].measure == .refund })
    #expect(refund.customerAmount == -85_430)
    #expect(refund.purchaseDay == Instant("2020-09-30"))
    #expect(refund.rows == 1)
  }

  /// Two unused days of a week: 299.00 × 2 ÷ 7.
  @Test func `the refund of the sample is the share of the unused days`() {
    let share: Int64 = 299_000 * 2 / 7
    #expect(share / 10 * 10 + 10 == 85_430)
  }

  /// Proceeds are the price without tax, less the commission (rates of October 2020: 30 %). One minor unit may differ,
  /// because Apple takes amounts from its price points.
  @Test func `proceeds are the price without tax less the commission`() throws {
    let tax: [String: Int64] = ["MX": 16, "SA": 15, "BY": 20, "RU": 0]
    var checked: [String: Int] = [:]
    for name in ["kachit_sales_1_0.tsv", "kachit_subscriber_1_2.tsv", "kachit_subscription_1_2.tsv"] {
      let report = try AppleReportReader().read(try Self.bytes(name), name: name, day: Self.day)
      for dimensions in report.dimensions {
        guard let country = dimensions[.country], let rate = tax[country],
          let price = dimensions.customerPrice?.rawValue,
          let proceeds = dimensions.proceeds?.rawValue, price != 0, dimensions[.proceedsReason] == nil
        else { continue }
        let expected = abs(price) * 100 * 70 / (100 + rate) / 100
        #expect(abs(proceeds - expected) <= 10, "\(name): \(country) \(price) \(proceeds)")
        checked[country, default: 0] += 1
      }
    }
    #expect(Set(checked.keys) == Set(tax.keys))
  }

  @Test func `the name of the file states the vendor and the day`() throws {
    let text = "Event Date\tSubscription Apple ID\tCountry\tCustomer Price\tRefund\tSubscriber ID\tUnits\n"
    for (name, vendor, day) in [
      ("Subscriber_80012345_20201005.txt", "80012345", "2020-10-05"),
      ("/a/b/Subscriber_80012345_20201005.txt.gz", "80012345", "2020-10-05"),
      ("subscriber-2020-10-05.tsv", nil, "2020-10-05"),
      ("20190101/Subscriber_20201005_1_3.txt", nil, "2020-10-05"),
    ] as [(String, String?, String)] {
      let report = try Self.read(text, name: name)
      #expect(report.vendorNumber == vendor, "\(name)")
      #expect(report.firstDay == Instant(day), "\(name)")
      #expect(report.rowCount == 0)
    }
  }

  @Test func `figures are rows without the subscriber and the state`() throws {
    let text = """
      Event Date\tSubscription Apple ID\tCountry\tCustomer Price\tRefund\tSubscriber ID\tUnits\tState
      2020-10-05\t7\tDE\t9.99\t\t111\t1\tBayern
      2020-10-05\t7\tDE\t9.99\t \t222\t1\tHessen
      2020-10-06\t7\tDE\t9.99\t\t333\t1\t
      2020-10-05\t7\tDE\t-9.99\tYes\t444\t-1\t
      """
    let report = try Self.read(text)
    #expect(report.figures.map(\.units) == [2, 1, -1])
    #expect(report.figures.map(\.rows) == [2, 1, 1])
    #expect(report.figures.map(\.customerAmount) == [19_980, 9_990, -9_990])
    #expect(report.dimensions.map(\.measure) == [.payment, .refund])
  }

  /// Columns in another order, in other spellings, or joined by commas give equal dimensions.
  @Test func `dimensions do not depend on the layout`() throws {
    let one = try Self.read(
      """
      Event Date\tSubscription Apple ID\tCountry\tCustomer Price\tRefund\tSubscriber ID\tUnits
      2020-10-05\t7\tDE\t9.99\t\t111\t1
      """)
    let other = try Self.read(
      """
      units,subscriber_id,REFUND,"customer price",country,subscription apple id,event_date,new column
      1,111,,"9.990",DE , 7,10/05/2020,x
      """)
    #expect(one.dimensions == other.dimensions)
    #expect(one.figures == other.figures)
    #expect(other.unknownColumns == ["new column"])
    #expect(other.version == nil)
  }

  static let header = "Event Date\tSubscription Apple ID\tCountry\tCustomer Price\tRefund\tSubscriber ID\tUnits"
  static let row = "2020-10-05\t7\tDE\t9.99\t\t111\t1"

  static let unusable: [(what: String, text: String, code: AppleReportError.Code, line: Int?, column: String?)] = [
    ("no bytes", "", .empty, nil, nil),
    ("blank lines", "\n \n", .empty, nil, nil),
    ("an error", #"{"errors": [{"status": "404"}]}"#, .apiError, nil, nil),
    ("a ZIP archive", "PK\u{3}\u{4}", .archive, nil, nil),
    ("a payload", "receipt", .unrecognised, 1, nil),
    ("a translated header", header.replacing("Units", with: "Einheiten") + "\n" + row, .unrecognised, 1, nil),
    ("a column twice", header + "\tunits\n" + row + "\t1", .duplicateColumn, 1, "units"),
    ("a cut line", header + "\n" + row + "\n2020-10-05\t7\tDE", .columnCount, 3, nil),
    ("a joined line", header + "\n" + row + "\t" + row, .columnCount, 2, nil),
    ("a decimal comma", header + "\n" + row.replacing("9.99", with: "9,99"), .unreadableValue, 2, "Customer Price"),
    ("four decimals", header + "\n" + row.replacing("9.99", with: "9.9999"), .unreadableValue, 2, "Customer Price"),
    (
      "a date of a spreadsheet", header + "\n" + row.replacing("2020-10-05", with: "5.10.20"), .unreadableValue, 2,
      "Event Date"
    ),
    ("no date", header + "\n" + row.replacing("2020-10-05", with: ""), .unreadableValue, 2, "Event Date"),
    ("half a unit", header + "\n" + row + ".5", .unreadableValue, 2, "Units"),
    (
      "a product's number in exponents", header + "\n" + row.replacing("\t7\t", with: "\t1.11E+09\t"), .unreadableValue,
      2,
      "Subscription Apple ID"
    ),
    (
      "a product's number in groups", header + "\n" + row.replacing("\t7\t", with: "\t1,112,101,201\t"),
      .unreadableValue, 2,
      "Subscription Apple ID"
    ),
    ("a count in exponents", header + "\n" + row.dropLast() + "1E+02", .unreadableValue, 2, "Units"),
    (
      "a day that does not exist", header + "\n" + row.replacing("10-05", with: "02-30"), .unreadableValue, 2,
      "Event Date"
    ),
    (
      "rows of another month", header + "\n" + row.replacing("10-05", with: "11-05"), .contradictoryDay, nil,
      "Event Date"
    ),
    ("a report about win-back offers", "Territory\tChurned Subscription Count\n", .unrecognised, 1, nil),
    (
      "money beyond all limits", header + "\n" + "2020-10-05\t7\tDE\t999999999999.999\t\t1\t999999999999",
      .unreadableValue, 2, "Units"
    ),
    (
      "a sum beyond all limits",
      header + String(repeating: "\n" + "2020-10-05\t7\tDE\t999999999999\t\t1\t1", count: 2),
      .unreadableValue, 3, "Units"
    ),
  ]

  @Test(arguments: unusable.indices)
  func `an unusable file is refused with its line and column`(_ index: Int) throws {
    let (what, text, code, line, column) = Self.unusable[index]
    let error = #expect(throws: AppleReportError.self, "\(what)") { try Self.read(text) }
    #expect(error?.code == code, "\(what): \(String(describing: error))")
    #expect(error?.line == line, "\(what)")
    #expect(error?.column == column, "\(what)")
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `the day is never guessed`() throws {
    let text = Self.header + "\n" + Self.row + "\n" + Self.row.replacing("10-05", with: "10-06")
    let unknown = #expect(throws: AppleReportError.self) { try Self.read(text, name: "report.tsv") }
    #expect(unknown?.code == .unknownDay)
    let other = #expect(throws: AppleReportError.self) { try Self.read(text, day: Instant("2020-10-06")) }
    #expect(other?.code == .contradictoryDay)
    #expect(try Self.read(text, name: "report.tsv", day: Self.day).firstDay == Self.day)
    #expect(try Self.read(Self.header + "\n" + Self.row, name: "report.tsv").firstDay == Self.day)
  }

  @Test func `sales of several periods are refused`() throws {
    let header =
      "SKU\tProduct Type Identifier\tUnits\tDeveloper Proceeds\tBegin Date\tEnd Date\tCountry Code\tCustomer Price"
    let row = "a\tIAY\t1\t7.00\t10/05/2020\t10/11/2020\tDE\t9.99"
    let week = try Self.read(header + "\n" + row, name: "S_W_80012345_20201011.txt")
    #expect(week.lastDay == Instant("2020-10-11"))
    let mixed = #expect(throws: AppleReportError.self) {
      try Self.read(header + "\n" + row + "\n" + row.replacing("10/05", with: "10/06"), name: "x")
    }
    #expect(mixed?.code == .contradictoryDay)
    let named = #expect(throws: AppleReportError.self) { try Self.read(header + "\n" + row, name: "S_W_1_20201012") }
    #expect(named?.code == .contradictoryDay)
  }

  @Test func `compressed data is checked and limited`() throws {
    let text = Array((Self.header + "\n" + Self.row + "\n").utf8)
    let data = Gzip.compress(text)
    #expect(try Gzip.decompress(data + data, limit: 1 << 20) == text + text)
    for cut in [3, data.count / 2, data.count - 1] {
      let error = #expect(throws: AppleReportError.self) {
        try AppleReportReader().read(Array(data[..<cut]), name: "Subscriber_80012345_20201005.txt.gz")
      }
      #expect(error?.code == .damagedGzip)
    }
    #expect(throws: Gzip.TooLong.self) {
      try Gzip.decompress(Gzip.compress([UInt8](repeating: 0x20, count: 2 << 20)), limit: 1 << 20)
    }
  }
}
