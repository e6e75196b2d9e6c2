import AppStore
import GRDB
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Reports in the file: what is stored of them, which text counts, and what an audit finds.
@Suite struct AppleReportStorageTests {
  static let names = ["kachit_sales_1_0.tsv", "kachit_subscriber_1_2.tsv", "kachit_subscription_1_2.tsv"]
  static let instants = (
    first: Instant(milliseconds: 1_601_942_400_000), second: Instant(milliseconds: 1_602_028_800_000)
  )

  static func importing(_ files: [(name: String, bytes: [UInt8])], into ledger: LedgerRecorder, at now: Instant)
    async throws -> AppleReportImporter.Summary
  {
    var importer = AppleReportImporter(ledger: ledger, now: now)
    importer.day = Instant("2020-10-05")
    return try await importer.run(files.map { file in { .init(name: file.name, bytes: file.bytes) } })
  }

  static func samples() throws -> [(name: String, bytes: [UInt8])] {
    try names.map { ($0, try Checkout.bytes("Tests/AppStoreTests/Data/reports/\($0)")) }
  }

  static func figures(_ path: String) throws -> [Row] {
    try DatabaseQueue(path: path).read {
      try Row.fetchAll(
        $0,
        sql: """
          SELECT f.report_id, f.figure_number, f.day_at, f.units, f.customer_amount_milliunits, f.row_count, t.digest
          FROM apple_figure f JOIN apple_figure_dimensions t USING (dimensions_id) ORDER BY 1, 2
          """)
    }
  }

  @Test func `figures are read again from the sealed texts, and are the same`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let summary = try await Self.importing(Self.samples(), into: ledger, at: Self.instants.first)
    #expect(summary.recorded == 3 && summary.rows == 46 + 48 + 49)
    let before = try Self.figures(ledger.path)
    #expect(before.count > 100)
    #expect(try await ledger.reader.audit() == [])
    try ProjectionMaintainer(path: ledger.path).rebuild()
    #expect(try Self.figures(ledger.path) == before)
    // A figure that somebody changed is found, and the report is named.
    try ProjectionMaintainer(path: ledger.path).connection().maintain {
      try $0.execute("UPDATE main.apple_figure SET units = units + 1 WHERE report_id = 2 AND figure_number = 3")
    }
    let findings = try await ledger.reader.audit()
    #expect(findings.map(\.code) == [.projection])
    #expect(findings.first?.detail.hasSuffix("apple_report 2") == true)
    try ProjectionMaintainer(path: ledger.path).rebuild()
    #expect(try await ledger.reader.audit() == [])
  }

  @Test func `a report without a vendor number counts until a vendor has one of the same days, and never twice`()
    async throws
  {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let text = Array(try Checkout.bytes("Tests/AppStoreTests/Data/reports/kachit_sales_1_0.tsv"))
    let other = Array(String(decoding: text, as: UTF8.self).replacing("209.30", with: "209.31").utf8)
    let parameters = QueryParameters(asOf: Self.instants.second, knownAt: Self.instants.second)
    var refusals: [String] = []
    func importing(_ name: String, _ bytes: [UInt8], _ vendorNumber: String? = nil) async throws -> String {
      var importer = AppleReportImporter(ledger: ledger, now: Self.instants.first)
      importer.vendorNumber = vendorNumber
      importer.onRefusal = { error, _ in refusals.append(error.code.rawValue) }
      let summary = try await importer.run([{ .init(name: name, bytes: bytes) }])
      let vendors = try ledger.reader.appleReportSeries(parameters).map { $0.vendorNumber ?? "-" }
      return "\(summary.recorded) \(summary.duplicates) \(summary.refused) \(vendors.joined(separator: " "))"
    }
    for (name, bytes, vendorNumber, result) in [
      ("a.txt", text, nil, "1 0 0 -"), ("b.txt", text, nil, "0 1 0 -"),
      ("S_D_80012345_20201005.txt", text, nil, "1 0 0 80012345"), ("a.txt", text, nil, "0 1 0 80012345"),
      ("c.txt", other, nil, "0 0 1 80012345"), ("c.txt", other, "80012345", "1 0 0 80012345"),
      ("c.txt", text, "80012346", "1 0 0 80012345 80012346"),
      ("S_D_80012345_20201005.txt", other, "80012347", "0 0 1 80012345 80012346"),
    ] as [(String, [UInt8], String?, String)] {
      #expect(try await importing(name, bytes, vendorNumber) == result, "\(name) \(vendorNumber ?? "-")")
    }
    #expect(refusals == ["unknown_vendor", "contradictory_vendor"])
    #expect(try await ledger.reader.audit() == [])
  }

  @Test func `the text that was recorded last counts, and the earlier one as it was known`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let (name, text) = try Self.samples()[1]
    let end = try #require(text.dropLast().lastIndex(of: 0x0A))
    let short = Array(text[...end])
    let (first, second) = Self.instants
    #expect(try await Self.importing([(name, short)], into: ledger, at: first).recorded == 1)
    let again = try await Self.importing([(name, text), (name, text)], into: ledger, at: second)
    #expect(again.recorded == 1 && again.restated == 1 && again.duplicates == 1)
    for (knownAt, rows) in [(first, 47), (second, 48)] {
      let series = try ledger.reader.appleReportSeries(QueryParameters(asOf: second, knownAt: knownAt))
      #expect(series.map(\.rows) == [Int64(rows)])
      #expect(series.map(\.restated) == [rows == 48 ? 1 : 0])
    }
    // The older text again is news: Apple publishes it now.
    let third = Instant(milliseconds: second.milliseconds + 1000)
    #expect(try await Self.importing([(name, short)], into: ledger, at: third).restated == 1)
    #expect(try await Self.importing([(name, short)], into: ledger, at: third).duplicates == 1)
    let series = try ledger.reader.appleReportSeries(QueryParameters(asOf: third, knownAt: third))
    #expect(series.map(\.rows) == [47])
  }

  @Test func `a file that is refused leaves nothing, and the files beside it are recorded`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    var files = try Self.samples()
    files[1].bytes = Array(files[1].bytes.dropLast(40))
    let summary = try await Self.importing(files, into: ledger, at: Self.instants.first)
    #expect(summary.recorded == 2 && summary.refused == 1)
    let stored = try await DatabaseQueue(path: ledger.path).read {
      try String.fetchAll($0, sql: "SELECT type FROM apple_report ORDER BY 1")
    }
    #expect(stored == ["sales", "subscription"])
  }
}
