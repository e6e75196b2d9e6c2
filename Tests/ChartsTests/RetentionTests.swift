import Testing

@testable import Charts

struct RetentionTests {
  static func chart(_ unit: Chart.Unit, _ series: [Chart.Series], steps: Int = 4) -> Chart {
    Chart(
      title: "Retention", kind: .retention, unit: unit, periods: (0..<steps).map { Chart.Period("\($0)") },
      series: series)
  }

  static func cells(_ chart: Chart, width: Int = 720) throws -> [String] {
    try read(chart.svg(width: width)).all("text", "cell").filter { $0.attributes["text-anchor"] == "middle" }.map(
      \.text)
  }

  @Test func `shares are shown in percent, and counts by the size`() throws {
    let shares = Self.chart(.percent, [Chart.Series("2026-01", [1, 0.8, 0.505, nil], size: 200)])
    #expect(try Self.cells(shares) == ["100%", "80%", "51%"])
    let counts = Self.chart(.count("lines"), [Chart.Series("2026-01", [200, 160, 101, nil], size: 200)])
    #expect(try Self.cells(counts) == ["100%", "80%", "51%"])
    let unsized = Self.chart(
      .count("lines"), [Chart.Series("2026-01", [200, 160]), Chart.Series("2026-02", [nil, 9])])
    #expect(try Self.cells(unsized) == ["100%", "80%"])
  }

  @Test func `some is never none, and almost all is never all`() throws {
    let chart = Self.chart(
      .percent, [Chart.Series("A", [0.999, 0.001, 0, 25]), Chart.Series("B", [1, -99, 1.2, 0.995])])
    #expect(try Self.cells(chart) == [">99%", "<1%", "0%", ">999%", "100%", "<−999%", "120%", ">99%"])
  }

  @Test func `cohorts have their names and sizes`() throws {
    let root = try read(Self.chart(.percent, [Chart.Series("2026-01", [1, 0.5], size: 12_345)]).svg())
    #expect(root.texts("cell").prefix(2) == ["2026-01", "12,345"])
    #expect(Set(root.texts("axis")).isSuperset(of: ["cohort", "size", "0", "1"]))
    let unsized = try read(Self.chart(.percent, [Chart.Series("2026-01", [1, 0.5])]).svg())
    #expect(!unsized.texts("axis").contains("size"))
  }

  @Test func `incomplete steps have a dashed edge, a word and a tooltip`() throws {
    let series = [
      Chart.Series("A", [1, 0.7, 0.6], incomplete: [2]), Chart.Series("B", [1, 0.5], incomplete: [1, 2]),
    ]
    let root = try read(Self.chart(.percent, series).svg())
    #expect(root.all("rect", "edge").count == 3)
    #expect(root.texts("legend").last == "incomplete")
    #expect(
      root.all("title").map(\.text).filter { $0.hasSuffix("(incomplete)") } == [
        "A, 2: 60% (incomplete)", "B, 1: 50% (incomplete)",
      ])
    #expect(!Self.chart(.percent, [Chart.Series("A", [1])]).svg().contains("ncomplete"))
  }

  @Test func `steps that do not fit are left out evenly, and a note says so`() throws {
    let chart = Samples.cohorts(36, unit: .percent)
    let root = try read(chart.svg())
    #expect(root.texts("period").prefix(3) == ["0", "2", "4"])
    #expect(root.texts("axis").contains("One step in 2 is drawn."))
    #expect(!root.texts("cell").contains { $0.hasSuffix("%") })
    #expect(root.texts("legend").contains("percent of the cohort: 0"))
  }

  @Test func `of very many cohorts the latest are drawn, and a note says so`() throws {
    let series = (1...90).map { Chart.Series("cohort \($0)", [1, 0.5]) }
    let figures = Figures(Self.chart(.percent, series, steps: 2))
    #expect(figures.series.count == 60 && figures.series.last?.name == "cohort 90")
    #expect(figures.notes == ["The latest 60 of 90 cohorts are drawn."])
  }

  @Test func `what the steps count stands above them, and below the periods of other kinds`() throws {
    var chart = Samples.cohorts(6, unit: .percent)
    let table = try read(chart.svg())
    let name = try #require(table.all("text", "axis").first { $0.text == "months after the first purchase" })
    let steps = try #require(table.all("text", "period").first?.number("y"))
    #expect((name.number("y") ?? .infinity) < steps)
    chart.kind = .line
    let lines = try read(chart.svg())
    #expect(lines.texts("axis").last == "months after the first purchase")
  }
}
