import Testing

@testable import Charts

struct ColumnTests {
  static func chart(_ kind: Chart.Kind, _ series: [Chart.Series], periods: Int = 4) -> Chart {
    Chart(
      title: "Title", kind: kind, unit: .count("lines"), periods: Samples.months(periods, isLastComplete: false),
      series: series)
  }

  /// The rectangles of a colour that are bars and not signs of the legend.
  static func bars(_ root: Element, _ colour: Int) -> [Element] {
    root.all("rect", "fill-\(colour)").filter { $0.attributes["rx"] == nil }
  }

  static func ends(_ bar: Element) -> (top: Double, bottom: Double) {
    let top = bar.number("y") ?? .nan
    return (top, top + (bar.number("height") ?? .nan))
  }

  @Test func `bars go up and down from zero to their values`() throws {
    let values: [Double?] = [30, -12, 7, 25]
    let root = try read(Self.chart(.bar, [Chart.Series("Net", values)]).svg())
    let axis = try ReadAxis(root)
    for (bar, value) in zip(Self.bars(root, 0), values.compactMap { $0 }) {
      let ends = Self.ends(bar)
      #expect(abs(axis.value(at: ends.top) - max(0, value)) < 0.02)
      #expect(abs(axis.value(at: ends.bottom) - min(0, value)) < 0.02)
    }
  }

  @Test func `a zero is a stroke, and no figure is nothing`() throws {
    let root = try read(Self.chart(.bar, [Chart.Series("Net", [0, nil, 3, nil])]).svg())
    #expect(Self.bars(root, 0).compactMap { $0.attributes["height"] }.first == "1")
    #expect(Self.bars(root, 0).count == 2)
  }

  @Test func `bars of several series stand side by side`() throws {
    let root = try read(Self.chart(.bar, [Chart.Series("A", [1, 2, 3, 4]), Chart.Series("B", [4, 3, 2, 1])]).svg())
    let edges = zip(Self.bars(root, 0), Self.bars(root, 1)).flatMap { [$0, $1] }.map { Box(shape: $0) }
    #expect(edges.count == 8)
    for (earlier, later) in zip(edges, edges.dropFirst()) { #expect(earlier.right < later.left) }
  }

  @Test func `what is incomplete is striped`() throws {
    let root = try read(Self.chart(.bar, [Chart.Series("A", [1, 2, 3, 4])]).svg())
    let striped = root.all("rect").filter { $0.attributes["fill"] == "url(#cchart-hatch)" }
    #expect(striped.count == 2)
    #expect(striped.last?.attributes["x"] == Self.bars(root, 0).last?.attributes["x"])
    #expect(root.texts("legend") == ["incomplete: 2025-06"])
    #expect(root.all("pattern").count == 1)
    let complete = Chart(
      title: "", kind: .bar, unit: .days, periods: Samples.months(1), series: [Chart.Series("A", [1])])
    #expect(try read(complete.svg()).all("pattern").isEmpty)
  }

  @Test func `parts of a stack stand on each other, the negative ones below zero`() throws {
    let series = [Chart.Series("A", [10, nil, 5]), Chart.Series("B", [20, 7, nil]), Chart.Series("C", [-8, -4, -2])]
    let root = try read(Self.chart(.stacked, series).svg())
    let axis = try ReadAxis(root)
    let expected = [[(10.0, 0.0), (5, 0)], [(30, 10), (7, 0)], [(0, -8), (0, -4), (0, -2)]]
    for (colour, ends) in expected.enumerated() {
      let bars = Self.bars(root, colour)
      #expect(bars.count == ends.count)
      for (bar, end) in zip(bars, ends) {
        #expect(abs(axis.value(at: Self.ends(bar).top) - end.0) < 0.02)
        #expect(abs(axis.value(at: Self.ends(bar).bottom) - end.1) < 0.02)
      }
    }
  }

  @Test func `of many series in a stack the smallest are summed up`() throws {
    let series = (1...10).map { Chart.Series("S\($0)", [Double($0), nil, Double($0) * 2, 1]) }
    let figures = Figures(Self.chart(.stacked, series))
    #expect(figures.series.map(\.name) == ["S4", "S5", "S6", "S7", "S8", "S9", "S10", "Other (3)"])
    #expect(figures.series.last?.values == [6, nil, 12, 3])
    #expect(figures.series.last?.incomplete == [false, false, false, true])
    #expect(figures.notes == ["Other is the sum of the 3 smallest series."])
    #expect(Set(figures.series.map(\.colour)).count == 8)
    #expect(Figures(Self.chart(.stacked, Array(series.prefix(8)))).series.count == 8)
  }

  @Test func `thin bars are one shape, gaps and all`() throws {
    let values = (0..<1_000).map { $0 == 400 ? nil : Double($0 % 7) + 1 }
    let root = try read(
      Chart(title: "", kind: .bar, unit: .days, periods: Samples.days(1_000), series: [Chart.Series("A", values)]).svg()
    )
    let path = try #require(root.all("path", "fill-0").first?.attributes["d"])
    #expect(path.split(separator: "M").count == 2 && path.split(separator: "Z").count == 2)
    #expect(Self.bars(root, 0).isEmpty)
  }

  @Test func `thin bars of several series are lines`() throws {
    let values = (0..<1_000).map { Double($0 % 7) + 1 }
    let chart = Chart(
      title: "", kind: .bar, unit: .days, periods: Samples.days(1_000),
      series: [Chart.Series("A", values), Chart.Series("B", values)])
    #expect(try read(chart.svg()).all("path", "line").count >= 2)
  }

  @Test func `what is no number is left out and counted`() throws {
    let root = try read(Self.chart(.bar, [Chart.Series("A", [.nan, .infinity, 1e16, 5])]).svg())
    #expect(root.texts("quiet") == ["Left out as not finite or too large: 3."])
    #expect(Self.bars(root, 0).count == 1)
  }
}
