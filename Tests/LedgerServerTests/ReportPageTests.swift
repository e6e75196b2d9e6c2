import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import LedgerServer

/// The reports on the page for staff.
@Suite(.takesTurns) struct ReportPageTests {
  @Test func `a lead sees each metric as a chart, changes time and split by links, and gets the same CSV as a command`()
    async throws
  {
    let program = try TimeMachineTests.simulation(3)
    let bench = try await ServerBench(ledger: program.folder.file("subledger.sqlite")) { .now }
    try bench.makeUsers([.support, .lead])
    #expect(try await bench.browser(.support).send("/reports").status == 403)
    let browser = try await bench.browser(.lead)
    let time = "from=2025-01-01&to=2025-09-01"
    let overview = try await browser.send("/reports?\(time)").body
    #expect(overview.components(separatedBy: "<figure>").count == 13, "one for each metric of the overview")
    #expect(overview.contains("2025-01-01 to 2025-09-01 (UTC), Production, as known at"))
    let links = overview.matches(of: /href="(\/reports[^"]*)"/).map { HTMLText.plain(String($0.1)) }
    #expect(links.count > Metric.all.count)
    let (times, metrics) = (links.filter { $0.hasPrefix("/reports?") }, links.filter { $0.hasPrefix("/reports/") })
    let chosen = times + (SampleSize.isFull ? metrics : Array(metrics.shuffled().prefix(4)))
    for link in chosen { #expect(try await browser.send(link).status == 200, "\(link)") }
    let split = try await browser.send("/reports/revenue?\(time)&group_by=product").body
    let metric = try #require(Metric.named("revenue"))
    for dimension in Metric.Dimension.allCases {
      let isOffered = split.contains(">\(dimension.rawValue.replacing("_", with: " "))</a>")
      #expect(isOffered == metric.canBeSplit(by: dimension), "\(dimension)")
    }
    #expect(split.contains("aria-current=\"true\">product</a>"))
    for (metric, query, arguments) in [
      ("mrr", "", []), ("revenue", "&group_by=product,country", ["--group-by", "product,country"]),
      ("churn_rate", "&every=week", ["--every", "week"]), ("retention", "", []),
      ("revenue", "&environment=sandbox", ["--environment", "sandbox"]),
    ] {
      let file = try await browser.send("/reports/\(metric)/csv?\(time)\(query)")
      #expect(file.headers["content-type"] == "text/csv; charset=utf-8")
      #expect(file.headers["content-disposition"] == "attachment; filename=\"\(metric).csv\"")
      let printed = try program.run(
        ["report", metric, "--from", "2025-01-01", "--to", "2025-09-01", "--format", "csv"] + arguments)
      #expect(file.body == printed.output && printed.code == 0, "\(metric)\(query)")
    }
    for wrong in [
      "?every=hour", "?from=x", "?from=2025-02-01&to=2025-01-01", "?from=2009-01-01&to=2090-01-01&every=day",
      "?environment=moon", "?currency=euro", "/mrr?group_by=shoe", "/mrr?group_by=product,product",
    ] {
      #expect(try await browser.send("/reports\(wrong)").status == 400, "\(wrong)")
    }
    #expect(try await browser.send("/reports/nothing").status == 404)
    #expect(try await browser.send("/reports/%3Cb%3E").status == 404)
    try await bench.stop()
  }
}
