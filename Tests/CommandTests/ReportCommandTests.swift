import AppStore
import Foundation
import Ledger
import LedgerPresentation
import ReportPresentation
import TestSupport
import Testing

@testable import subledger

/// `subledger report` and `subledger rates`, as their user meets them.
@Suite(.takesTurns) struct ReportCommandTests {
  private let folder: TemporaryFolder
  private let program: Program

  init() throws {
    folder = try TemporaryFolder()
    program = Program(folder: folder)
  }

  private func sell(_ customers: Int = 12) throws {
    _ = try program.run([
      "simulate", "--seed", "3", "--customers", "\(customers)", "--payload-format", "v2", "--out", "w",
    ])
    _ = try program.run(["import", "w/payloads", "--trust", "w/authority/root.pem", "--database", "l.sqlite"])
  }

  private func report(_ arguments: String...) throws -> Program.Result {
    try program.run(["report"] + arguments + ["--database", "l.sqlite"])
  }

  @Test func `what makes no sense is refused in words that say what does`() throws {
    try sell(3)
    let table: [(arguments: [String], code: Int32, words: String)] = [
      (["mrrr"], 64, "'mrrr' is not a metric. Nearest: mrr, arr. See subledger report list."),
      (["churn"], 64, "'churn' is not a metric. Nearest: churn_rate, churned. See subledger report list."),
      (["mrr", "--group-by", "shoe"], 64, "shoe"), (["mrr", "--every", "hour"], 64, "hour"),
      (
        ["mrr", "--from", "2025-02-01", "--to", "2025-01-01"], 64,
        "--from 2025-02-01T00:00:00.000Z is after --to 2025-01-01T00:00:00.000Z. Exchange them."
      ),
      (["mrr", "--from", "2009-01-01", "--to", "2090-01-01", "--every", "day"], 64, "more than 10000 days"),
      (["mrr", "--convert-to", "euro"], 64, "'euro' is not a currency. Write three capital letters"),
      (["overview", "--format", "csv"], 64, "Use --format table or --format html"),
      (["mrr", "--from", "2025-02-01", "--to", "2025-02-01"], 64, "No period is between --from"),
      (["mrr", "--out", "mrr.csv", "--format", "csv"], 64, "use --format csv > FILE"),
      (["mrr", "--out", "mrr.csv"], 64, "use --format csv > FILE"),
      (["mrr", "--out", "none/mrr.html"], 73, "none/mrr.html cannot be written"),
      (["churn_rate", "--group-by", "reason"], 64, "These metrics can be split by reason: active_movement, "),
      (["churn_rate", "--group-by", "product,reason"], 64, "cannot be split by reason"),
      (["mrr", "--group-by", "product,shoe"], 64, "'shoe' is not a dimension. Choose from product, duration"),
      (["mrr", "--group-by", "product", "--group-by", "country,product"], 64, "--group-by names product twice."),
      (["revenue", "--format", "svg", "--from", "2024-01-01"], 64, "Name it with --currency"),
    ]
    for row in table {
      let result = try program.run(["report"] + row.arguments + ["--database", "l.sqlite"])
      #expect(result.code == row.code, "\(row.arguments): \(result)")
      #expect(result.complaints.contains(row.words), "\(row.arguments): \(result.complaints)")
      #expect(result.output == "")
    }
  }

  @Test func `the ending of a file names its format, and any other ending is a page`() throws {
    try sell(3)
    for (file, start) in [
      ("a.svg", "<svg "), ("a.SVG", "<svg "), ("a.html", "<!DOCTYPE html>"), ("a", "<!DOCTYPE html>"),
    ] {
      #expect(try report("active_subscriptions", "--from", "2024-06-01", "--out", file).code == 0)
      let text = try String(contentsOfFile: folder.file(file), encoding: .utf8)
      #expect(text.hasPrefix(start), "\(file): \(text.prefix(40))")
    }
  }

  @Test func `a year is a period, and an app without purchases has a note`() throws {
    try sell(3)
    let years = try report(
      "new_paid", "--from", "2024-06-01", "--to", "2025-02-01", "--every", "year", "--format", "csv")
    #expect(
      years.output.split(separator: "\n").dropFirst().allSatisfy {
        $0.hasPrefix("new_paid,2024,") || $0.hasPrefix("new_paid,2025,")
      })
    #expect(years.output.contains("\nnew_paid,2024,"))
    let none = try report("mrr", "--bundle-id", "no.app")
    #expect(none.complaints.contains("The app no.app has no purchases in this environment. These apps have some: com."))
  }

  @Test func `the program's own terms are listed, and an import replaces a row or the whole table`() throws {
    try sell(1)
    func terms(_ arguments: String...) throws -> [String] {
      let result = try program.run(["terms"] + arguments + ["--database", "l.sqlite", "--format", "csv"])
      return result.output.split(separator: "\n").dropFirst().map { line in
        line.split(separator: ",", omittingEmptySubsequences: false).prefix(6).joined(separator: ",")
      }
    }
    #expect(
      try terms("--storefront", "JPN").prefix(2) == ["commission,,,2008-07-10,,30", "commission,JPN,,2025-12-18,,26"])
    let tables: [(text: String, arguments: [String], code: Int32, words: String)] = [
      ("term,storefront,from,value\ntax,GER,2021-01-01,19", [], 65, "GER is not a storefront. Nothing was imported."),
      ("term,from,value\ntax,2021-01-01,0.19", [], 65, "t.csv, line 2: the value is less than one percent"),
      ("term,storefront,from,value\ntax,DEU,2021-01-01,19\nprogram,,2024-01-01,yes", [], 0, "2 rows, 2 new"),
      ("term,storefront,from,value\ntax,DEU,2021-01-01,19", [], 0, "1 row, 0 new"),
    ]
    for table in tables {
      try Data(table.text.utf8).write(to: URL(filePath: folder.file("t.csv")))
      let result = try program.run(["terms", "import", "t.csv", "--database", "l.sqlite"] + table.arguments)
      #expect(result.code == table.code && (result.output + result.complaints).contains(table.words), "\(result)")
    }
    #expect(try terms("list", "--storefront", "DEU").contains("tax,DEU,,2021-01-01,,19"))
    try Data("term,from,value\ncommission,2020-01-01,25".utf8).write(to: URL(filePath: folder.file("t.csv")))
    #expect(try program.run(["terms", "import", "t.csv", "--replace", "--database", "l.sqlite"]).code == 0)
    #expect(try terms() == ["commission,,,2020-01-01,,25"])
    #expect(try terms("list", "--known-at", "2024-01-01").count > 50)
    let estimated = try report("proceeds_estimated", "--from", "2024-01-01", "--to", "2025-01-01")
    #expect(estimated.complaints.contains("Estimated with commission 25 (all, from 2020-01-01). No tax is known for "))
  }

  @Test func `rates are listed with their days, and a table with semicolons is named`() throws {
    try sell(1)
    for (text, code) in [
      ("date,currency,into,rate\n2024-01-01,EUR,USD,1.10\n2024-06-01,EUR,USD,1.08\n2024-01-01,JPY,EUR,0.0065", 0),
      ("date;currency;into;rate\n2024-01-01;EUR;USD;1,1", 65),
    ] as [(String, Int32)] {
      try Data(text.utf8).write(to: URL(filePath: folder.file("r.csv")))
      let result = try program.run(["rates", "import", "r.csv", "--database", "l.sqlite"])
      #expect(result.code == code && (code == 0 || result.complaints.contains("semicolons separate the columns")))
    }
    let rates = ["rates", "list", "--database", "l.sqlite", "--format", "csv"]
    #expect(
      try program.run(rates + ["--currency", "USD"]).output
        == "from,until,currency,into,rate\n2024-06-01,,EUR,USD,1.08\n2024-01-01,2024-06-01,EUR,USD,1.1\n")
    #expect(try program.run(rates).output.hasSuffix("\n2024-01-01,,JPY,EUR,0.0065\n"))
    #expect(try program.run(rates + ["--known-at", "2024-01-01"]).complaints.contains("No rate is known."))
    let converted = try report("revenue", "--from", "2024-01-01", "--known-at", "2026-01-01", "--convert-to", "EUR")
    #expect(converted.complaints.contains("Nothing is converted: the first rates into EUR were imported at 20"))
  }

  @Test func `a retention says where its cohort is not whole yet`() throws {
    _ = try program.run([
      "simulate", "--seed", "7", "--customers", "20", "--from", "2024-01-01", "--to", "2024-07-01", "--payload-format",
      "v2", "--out", "w",
    ])
    _ = try program.run(["import", "w/payloads", "--trust", "w/authority/root.pem", "--database", "l.sqlite"])
    let csv = try report("retention", "--known-at", "2024-07-01", "--format", "csv").output
    let figures = csv.split(whereSeparator: \.isNewline).dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    // period, …, is_complete (4), …, step (7), amount (8), of (9), due (10)
    for (before, figure) in zip(figures, figures.dropFirst()) where figure[7] != "0" {
      let (made, due) = (try #require(Int(before[8])), try #require(Int(figure[10])))
      #expect((figure[4] == "true") == (before[4] == "true" && due >= made), "\(figure)")
    }
    let isComplete = Set(figures.map { $0[4] })
    #expect(isComplete == ["false", "true"], "the sample has no such case")
    let table = try report("retention", "--known-at", "2024-07-01").output.split(separator: "\n").dropFirst()
    #expect(table.map { $0.hasSuffix("(so far)") } == figures.map { $0[4] == "false" })
  }

  @Test func `a report names its two instants as every command does`() throws {
    try sell()
    func text(_ instants: String...) throws -> Program.Result {
      let span = ["--from", "2024-06-01", "--to", "2024-12-01", "--format", "csv", "--database", "l.sqlite"]
      return try program.run(["report", "revenue"] + span + instants)
    }
    let hint = "For what was known then, use --known-at 2024-09-01T00:00:00.000Z."
    let past = try text("--as-of", "2024-09-01")
    #expect(past.code == 0 && past.complaints.contains(hint), "\(past)")
    // What was known at an instant is a report as of it.
    let known = try text("--known-at", "2024-09-01")
    #expect(known.code == 0 && !known.complaints.contains("--known-at"), "\(known)")
    #expect(try text("--known-at", "2024-09-01", "--as-of", "2024-09-01").output == known.output)
  }

  @Test func `a ledger without what is asked says so, and what it has instead`() throws {
    _ = try program.run(["import", "-", "--database", "l.sqlite"], input: "")
    #expect(try report("mrr").complaints.contains("The ledger has no purchases yet. Import something."))
    #expect(try program.run(["report", "mrr", "--database", "none.sqlite"]).code == 66)
    try sell(3)
    #expect(
      try report("mrr", "--environment", "Sandbox").complaints.contains(
        "Nothing was bought in Sandbox. Other environments have purchases"))
  }

  @Test func `every metric is written in every format, and twice the same`() throws {
    try sell()
    let span = ["--from", "2024-06-01", "--to", "2025-06-01"]
    let list = try program.run(["report", "list", "--format", "json"]).output
    let metrics = try JSONDecoder().decode([[String: String]].self, from: Data(list.utf8)).compactMap { $0["metric"] }
    #expect(metrics.count > 35)
    #expect(Set(metrics) == Set(Metric.all.map(\.name)))
    // The rows of every metric come from this process. One process a kind of metric shows that the command writes them.
    let bounds = try ["2024-06-01", "2025-06-01"].map { try #require(Instant($0)) }
    let periods = try #require(ReportPeriods(.month, from: bounds[0], to: bounds[1]))
    let requests = Metric.all.map { ReportRequest($0, periods, QueryParameters(asOf: bounds[1], knownAt: bounds[1])) }
    let ledger = try LedgerReader(path: folder.file("l.sqlite"))
    let (first, second) = try (
      ledger.report(requests).map(ReportRows.init), ledger.report(requests).map(ReportRows.init)
    )
    var written: Set<Metric.Kind> = []
    for (one, other) in zip(first, second) {
      let metric = one.report.request.metric
      #expect(one.allRows == other.allRows && one.rows == other.rows, "\(metric.name)")
      #expect(one.allRows.allSatisfy { $0.count == one.allColumns.count })
      guard !one.allRows.isEmpty, written.insert(metric.kind).inserted else { continue }
      let csv = try program.run(
        ["report", metric.name, "--format", "csv", "--known-at", "2025-06-01", "--database", "l.sqlite"] + span)
      let lines = [one.allColumns.joined(separator: ",")] + one.allRows.map(Self.line)
      #expect(csv.code == 0 && csv.output == lines.map { $0 + "\n" }.joined(), "\(metric.name): \(csv)")
    }
    #expect(written.count == 4)
    for split in [["--group-by", "product,country"], ["--group-by", "product", "--group-by", "country"]] {
      let table = try program.run(["report", "churned"] + split + ["--database", "l.sqlite"] + span)
      #expect(table.output.hasPrefix("period   product"), "\(table)")
      #expect(table.output.split(separator: "\n").first?.contains(/product +country +churned/) == true, "\(table)")
      let csv = try program.run(
        ["report", "revenue", "--format", "csv"] + split + ["--database", "l.sqlite"] + span)
      #expect(
        csv.output.hasPrefix(
          "metric,period,begins_at,ends_at,is_complete,product,country,currency,step,amount_milliunits,of_milliunits"))
      let json = try program.run(
        ["report", "mrr", "--format", "json"] + split + ["--database", "l.sqlite"] + span)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(object["by"] as? [String] == ["product", "country"])
      let svg = try program.run(["report", "churned", "--format", "svg"] + split + ["--database", "l.sqlite"] + span)
      #expect(svg.output.contains(/com\.example\.[a-z.]+, [A-Z]{3}/), "\(svg.output.prefix(400))")
    }
    let json = try program.run(["report", "revenue", "--format", "json", "--database", "l.sqlite"] + span).output
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(object["unit"] as? String == "milliunits")
    #expect((object["figures"] as? [[String: Any]])?.isEmpty == false)
    let svg = try program.run(
      ["report", "active_subscriptions", "--group-by", "product", "--format", "svg", "--database", "l.sqlite"] + span)
    #expect(svg.output.hasPrefix("<svg") && svg.output.contains("Active subscriptions"))
    let page = try program.run(["report", "overview", "--format", "html", "--database", "l.sqlite"] + span)
    #expect(page.code == 0 && page.output.contains("<title>Overview") && page.output.contains("Retention"))
    let file = try program.run(["report", "overview", "--out", "overview.html", "--database", "l.sqlite"] + span)
    #expect(file.output == "Written to overview.html.\n")
    let inFile = try String(contentsOfFile: folder.file("overview.html"), encoding: .utf8)
    #expect(inFile.hasPrefix("<!DOCTYPE html>") && inFile.contains("<title>Overview"))
    #expect(!page.output.contains("<script"))
  }

  @Test func `the overview has a section for each metric, and converts money where rates are known`() throws {
    try sell(40)
    let span = ["--from", "2025-01-01", "--to", "2025-06-01"]
    let before = try program.run(["report", "overview", "--database", "l.sqlite"] + span)
    let lines = before.output.split(separator: "\n")
    #expect(lines[0].contains(/^figure +2025-02 +2025-03 +2025-04 +2025-05$/), "\(before)")
    #expect(lines.count == 11 && lines.count { $0.hasPrefix("Revenue, ") } == 1, "\(before)")
    #expect(before.complaints.contains("currencies are not added up"))
    // Without rates, money is in the currency of the most payments.
    let main = try program.run([
      "query", "--format", "csv", "--database", "l.sqlite",
      """
      SELECT purchased_currency FROM transaction_fact WHERE purchase_price_in_purchased_currency_milliunits > 0
      GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1
      """,
    ]).output.split(separator: "\n")[1]
    #expect(lines.contains { $0.hasPrefix("Revenue, \(main) ") }, "\(main): \(before)")
    try folder.write(
      "date,currency,into,rate\n"
        + ["USD", "JPY"].map {
          "2024-01-01,\($0),EUR,0.5\n"
        }.joined(), to: "rates.csv")
    _ = try program.run(["rates", "import", "rates.csv", "--database", "l.sqlite"])
    let after = try program.run(["report", "overview", "--database", "l.sqlite"] + span)
    #expect(after.output.contains("Revenue, EUR") && after.complaints.contains("Converted into EUR"), "\(after)")
    let page = try program.run(["report", "overview", "--format", "html", "--database", "l.sqlite"] + span).output
    // Each chart is there for a wide screen and for a narrow one.
    #expect(page.split(separator: "<svg").count - 1 == 2 * ReportOverview.metrics.count)
  }

  @Test func `the view of metrics reads what the last report stored, and no report adds to another`() throws {
    try sell()
    // Any tool may read the file.
    let sql = "SELECT SUM(amount) AS n FROM metric_figure WHERE metric = 'transactions_paid'"
    #expect(try TableContents.number(sql, in: folder.file("l.sqlite")) == nil)
    _ = try report("mrr")
    let stored = try #require(try TableContents.number(sql, in: folder.file("l.sqlite")))
    #expect(stored > 0)
    // For another question than the present one, a query derives them.
    for (options, answer) in [([], "\(stored)"), (["--signed-only"], "\(stored)"), (["--known-at", "2020-01-01"], "")] {
      let asked = try program.run(["query", sql, "--format", "csv", "--database", "l.sqlite"] + options)
      #expect(asked.output == "n\n\(answer)\n", "\(options): \(asked)")
    }
  }

  private static func line(_ row: [Value]) -> String {
    row.map { CSVCell.text($0.plainText, isRaw: !$0.isText) }.joined(separator: ",")
  }

  @Test func `rates are taken whole or not at all, and a mistake is reported with its line`() throws {
    let table: [(text: String, code: Int32, words: String)] = [
      ("date,currency,into,rate\n2025-01-01,EUR,USD,1.08\n", 0, "1 rate, 1 new or changed."),
      ("\u{FEFF}date,currency,into,rate\r\n2025-01-02,EUR,USD,1.09\r\n", 0, "1 rate, 1 new or changed."),
      ("date,currency,rate\n2025-01-01,EUR,1.08\n", 65, "line 1: the column into is missing"),
      ("date,currency,into,rate\n2025-01-01,EUR,USD,1\n2025-01-02,EUR,USD,-1\n", 65, "line 3: the rate is not a"),
      ("date,currency,into,rate\n2025-13-01,EUR,USD,1\n", 65, "line 2: the date is not valid"),
      ("date,currency,into,rate\n2025-01-01,eur,USD,1\n", 65, "line 2: a currency is three capital letters"),
      ("date,currency,into,rate\n2025-01-01,USD,USD,1\n", 65, "line 2: a currency needs no rate into itself"),
      ("date,currency,into,rate\n2025-01-01,EUR,USD,1e3\n", 65, "line 2: the rate is not a positive"),
      ("date,currency,into,rate\n2025-01-01,EUR,USD,0.0000000001\n", 65, "line 2: the rate is not a positive"),
      ("date,currency,into,rate\n2025-01-01,EUR,USD\n", 65, "line 2: it has 3 columns, and not 4"),
    ]
    for row in table {
      try Data(row.text.utf8).write(to: URL(fileURLWithPath: folder.file("r.csv")))
      let result = try program.run(["rates", "import", "r.csv", "--database", "l.sqlite"])
      #expect(result.code == row.code, "\(row.text): \(result)")
      #expect((result.output + result.complaints).contains(row.words), "\(row.text): \(result)")
    }
    let count = try program.run([
      "query", "SELECT COUNT(*) FROM exchange_rate_entry", "--format", "csv", "--database", "l.sqlite",
    ])
    #expect(count.output.contains("2"))
    #expect(try program.run(["rates", "import", "none.csv", "--database", "l.sqlite"]).code == 66)
  }
}
