import AppStore
import TestSupport
import Testing

/// Financial reports. The layout is that of real files, with made-up values: `FINANCIAL` closes with totals, and
/// `FINANCE_DETAIL` has the period before its header and the totals of each country behind its rows.
@Suite struct FinancialReportTests {
  static let monthHeader =
    "Start Date\tEnd Date\tUPC\tISRC/ISBN\tVendor Identifier\tQuantity\tPartner Share\tExtended Partner Share\t"
    + "Partner Share Currency\tSales or Return\tApple Identifier\tArtist/Show/Developer/Author\tTitle\t"
    + "Label/Studio/Network/Developer/Publisher\tGrid\tProduct Type Identifier\tISAN/Other Identifier\tCountry Of Sale\t"
    + "Pre-order Flag\tPromo Code\tCustomer Price\tCustomer Currency\n"

  static func monthRow(_ product: String, _ units: Int, _ share: String, _ extended: String, _ price: String) -> String
  {
    "11/30/2025\t12/27/2025\t\t\t\(product)\t\(units)\t\(share)\t\(extended)\tEUR\t\(units < 0 ? "R" : "S")\t77\tA\t"
      + "T\t\t\tIAY\t\tDE\t\t \t\(price)\tEUR\n"
  }

  static let month =
    monthHeader + monthRow("a", 3, "5.88", "17.64", "9.99") + monthRow("a", -1, "5.88", "-5.88", "-9.99")
    + "Total_Rows\t2\nTotal_Amount\t11.76\nTotal_Units\t2\n"

  static let detail = """
    Vendor Name\tExample
    Start Date\t11/30/2025
    End Date\t12/27/2025
    Transaction Date\tSettlement Date\tApple Identifier\tSKU\tTitle\tDeveloper Name\tProduct Type Identifier\t\
    Country of Sale\tQuantity\tPartner Share\tExtended Partner Share\tPartner Share Currency\tCustomer Price\t\
    Customer Currency\tSale or Return\tPromo Code\tOrder Type\tRegion
    11/29/2025\t11/30/2025\t77\ta\tT\tD\tIAY\tDE\t2\t5.88\t11.76\tEUR\t9.99\tEUR\tS\t\t\tEU
    12/02/2025\t12/03/2025\t77\ta\tT\tD\tIAY\tDE\t1\t5.88\t5.88\tEUR\t9.99\tEUR\tS\t\t\tEU
    12/05/2025\t12/05/2025\t77\ta\tT\tD\tIAY\tJP\t-1\t382.00\t-382.00\tJPY\t-600\tJPY\tR\t\t\tJP
    Country Of Sale\tPartner Share Currency\tQuantity\tExtended Partner Share
    DE\tEUR\t3\t17.64
    JP\tJPY\t-1\t-382.00

    """

  static func read(_ text: String, name: String = "80012345_0326_ZZ.txt") throws -> AppleReport {
    try AppleReportReader().read(Array(text.utf8), name: name)
  }

  @Test func `a report of a month has its period, units and amounts`() throws {
    let report = try Self.read(Self.month)
    #expect(report.type == .financial && report.vendorNumber == "80012345" && report.unknownColumns == [])
    #expect(report.firstDay.date == "2025-11-30" && report.lastDay.date == "2025-12-27" && report.rowCount == 2)
    #expect(report.figures.map(\.units) == [3, -1])
    #expect(report.figures.map(\.proceedsAmount) == [17_640, -5_880])
    #expect(report.figures.map(\.customerAmount) == [29_970, -9_990])
    #expect(report.figures.allSatisfy { $0.day == report.firstDay })
    #expect(report.dimensions[0][.productID] == "a" && report.dimensions[0][.productAppleID] == "77")
  }

  @Test func `a detailed report has the days of the purchases, also of the month before`() throws {
    let report = try Self.read(Self.detail, name: "FD_80012345_0326.txt")
    #expect(report.type == .financeDetail && report.vendorNumber == "80012345" && report.unknownColumns == [])
    #expect(report.firstDay.date == "2025-11-30" && report.lastDay.date == "2025-12-27" && report.rowCount == 3)
    #expect(report.figures.map(\.day.date) == ["2025-11-29", "2025-12-02", "2025-12-05"])
    #expect(report.figures.map(\.units) == [2, 1, -1])
    #expect(report.figures.map(\.proceedsAmount) == [11_760, 5_880, -382_000])
    // A stored report is read again without its name.
    let stored = try AppleReportReader().read(Array(Self.detail.utf8), name: "", day: report.firstDay)
    #expect(stored.figures == report.figures)
  }

  @Test func `a header that comes again begins a section with its own totals`() throws {
    let twice = try Self.read(Self.month + Self.month)
    #expect(twice.rowCount == 4 && twice.figures.map(\.units) == [6, -2])
  }

  static let changes: [(what: String, text: String, code: AppleReportError.Code, line: Int?)] = [
    (
      "cut behind a row", String(month[..<(month.range(of: "Total_Rows")?.lowerBound ?? month.endIndex)]),
      .missingTotals, nil
    ),
    (
      "a row is missing", month.replacing(monthRow("a", -1, "5.88", "-5.88", "-9.99"), with: ""), .contradictoryTotals,
      3
    ),
    ("another number of units", month.replacing("Total_Units\t2", with: "Total_Units\t3"), .contradictoryTotals, 6),
    ("another amount", month.replacing("Total_Amount\t11.76", with: "Total_Amount\t11.77"), .contradictoryTotals, 5),
    (
      "a sum with a comma", month.replacing("Total_Amount\t11.76", with: "Total_Amount\t11,76"), .contradictoryTotals, 5
    ),
    ("a row that does not multiply", month.replacing("17.64", with: "19.64"), .contradictoryTotals, 2),
    ("a decimal comma", month.replacing("17.64", with: "17,64"), .unreadableValue, 2),
    ("no amount", month.replacing("17.64", with: ""), .unreadableValue, 2),
    ("a row of another month", month.replacing("A\tT\t\t\tIAY\t\tDE\t\t \t-9.99", with: "A"), .columnCount, 3),
    ("two months", month + month.replacing("12/27/2025", with: "12/28/2025"), .contradictoryDay, nil),
    ("cut behind a country", String(detail.dropLast("JP\tJPY\t-1\t-382.00\n".count)), .missingTotals, nil),
    (
      "cut before the countries", String(detail[..<(detail.range(of: "Country Of")?.lowerBound ?? detail.endIndex)]),
      .missingTotals, nil
    ),
    ("another sum of a country", detail.replacing("DE\tEUR\t3", with: "DE\tEUR\t4"), .contradictoryTotals, 9),
    ("a country without rows", detail + "FR\tEUR\t1\t5.88\n", .contradictoryTotals, 11),
    (
      "a date of a spreadsheet", detail.replacing("Start Date\t11/30/2025", with: "Start Date\t30.11.25"),
      .unreadableValue, 2
    ),
    ("no period", detail.replacing("End Date\t12/27/2025\n", with: ""), .unknownDay, nil),
    ("no product", detail.replacing("\tSKU\t", with: "\tArtikel\t"), .unrecognised, 4),
  ]

  @Test(arguments: changes.indices)
  func `a file that is cut or changed is refused with its line`(_ index: Int) throws {
    let (what, text, code, line) = Self.changes[index]
    let error = #expect(throws: AppleReportError.self, "\(what)") { try Self.read(text) }
    #expect(error?.code == code, "\(what): \(String(describing: error))")
    #expect(error?.line == line, "\(what): \(String(describing: error))")
    #expect(error?.advice.isEmpty == false)
  }

  /// Files of several regions about one month would look like new texts of one report.
  @Test func `a file of one region is refused`() throws {
    for (name, isRefused) in [
      ("80012345_0326_US.txt", true), ("80012345_0326_ZZ.txt", false), ("80012345_0326.txt", false),
      ("FD_80012345_0326_Z1.txt.gz", false), ("x/80012345_0326_eu.txt", true),
    ] {
      let result = Result { try Self.read(Self.month, name: name) }
      #expect(((try? result.get()) == nil) == isRefused, "\(name)")
      if case .failure(let error) = result { #expect((error as? AppleReportError)?.code == .oneRegion, "\(name)") }
    }
  }
}
