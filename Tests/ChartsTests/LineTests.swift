import Testing

import Charts

/// Where a drawing says that values are, read off its own axis: from the heights and texts of two of its labels.
struct ReadAxis {
  private let points: [(value: Double, y: Double)]

  init(_ root: Element, percent: Bool = false) throws {
    points = root.all("text", "axis").filter { $0.attributes["text-anchor"] == "end" }.compactMap { label in
      let digits = label.text.replacing("−", with: "-").filter { !",%".contains($0) }
      guard let value = Double(digits), let y = label.number("y") else { return nil }
      return (percent ? value / 100 : value, y - 4)
    }
    try #require(points.count > 1)
  }

  func value(at y: Double) -> Double {
    let (low, high) = (points[0], points[points.count - 1])
    return low.value + (y - low.y) / (high.y - low.y) * (high.value - low.value)
  }
}

struct LineTests {
  static let periods = Samples.months(12, isLastComplete: false)

  static func chart(_ series: [Chart.Series], unit: Chart.Unit = .count("lines"), kind: Chart.Kind = .line) -> Chart {
    Chart(title: "Title", subtitle: "Definition.", kind: kind, unit: unit, periods: periods, series: series)
  }

  @Test func `points are where the axis says that their values are`() throws {
    let values: [Double?] = [0, 130, 999, 1_500, 4_870, 4_000, 3, 17, 2_500, 2_501, 1, 1_250]
    let root = try read(Self.chart([Chart.Series("Active", values)]).svg())
    let axis = try ReadAxis(root)
    let heights = root.all("circle").compactMap { $0.number("cy") }
    #expect(heights.count == 12)
    for (height, value) in zip(heights, values) { #expect(abs(axis.value(at: height) - (value ?? 0)) < 0.2) }
  }

  @Test func `shares and negative values are there too`() throws {
    let root = try read(Self.chart([Chart.Series("Growth", [0.1, -0.05, 0.033])], unit: .percent).svg())
    let axis = try ReadAxis(root, percent: true)
    let read = root.all("circle").compactMap { $0.number("cy") }.map(axis.value)
    for (found, value) in zip(read, [0.1, -0.05, 0.033]) { #expect(abs(found - value) < 0.0001) }
    let zero = try #require(root.all("line", "zero").first?.number("y1"))
    #expect(abs(axis.value(at: zero)) < 0.0001)
  }

  @Test func `periods follow each other in equal steps`() throws {
    let root = try read(Self.chart([Chart.Series("Active", Array(repeating: 5, count: 12))]).svg())
    let centers = root.all("circle").compactMap { $0.number("cx") }
    let step = centers[1] - centers[0]
    for (earlier, later) in zip(centers, centers.dropFirst()) { #expect(abs(later - earlier - step) < 0.02) }
  }

  @Test func `no figure is a gap and not a zero`() throws {
    let values: [Double?] = [5, 6, nil, 7, nil, 8, 9, 9, 9, 9, 9, 9]
    let root = try read(Self.chart([Chart.Series("A", values), Chart.Series("B", [1, 2, 3])]).svg())
    let paths = root.all("path", "line-0").compactMap { $0.attributes["d"] }.filter { $0.contains("L") }
    // From the first to the second, the sixth to the eleventh, and dashed to the twelfth.
    #expect(paths.map { $0.filter("ML".contains) } == ["MLMLLLLL", "ML"])
    #expect(root.all("circle", "line-0").count == 10)
    #expect(root.all("rect", "hover")[2].children.first?.text == "2025-05\nA: no figure\nB: 3")
  }

  @Test func `the incomplete period is dashed, hollow and named`() throws {
    let root = try read(Self.chart([Chart.Series("Active", Array(repeating: 5, count: 12))]).svg())
    let dashed = root.all("path", "unfinished").filter { $0.has("line-0") }
    #expect(dashed.count == 1 && dashed.first?.attributes["d"]?.split(separator: "L").count == 2)
    #expect(root.all("circle", "ring").count == 1)
    #expect(root.texts("legend") == ["incomplete: 2026-02"])
    #expect(root.all("rect", "hover").last?.children.first?.text.hasPrefix("2026-02 (incomplete)") == true)
    #expect(root.all("desc").first?.text.hasSuffix("Incomplete: 2026-02.") == true)
  }

  @Test func `what is complete is not called incomplete`() throws {
    var chart = Self.chart([Chart.Series("Active", Array(repeating: 5, count: 11))])
    #expect(!chart.svg().contains("ncomplete"))
    chart.periods = Samples.months(11)
    #expect(!chart.svg().contains("ncomplete"))
    #expect(!chart.svg().contains("\"line line-0 unfinished"))
  }

  @Test func `a lone value is a dot`() throws {
    let root = try read(Samples.all.first { $0.name == "one-point" }?.chart.svg() ?? "")
    #expect(root.all("circle", "dot").count == 1 && root.all("path").isEmpty)
    let days = Chart(
      title: "", kind: .line, unit: .days, periods: Samples.days(1_100),
      series: [Chart.Series("A", (0..<1_100).map { $0 == 500 || $0 > 900 ? 4 : nil })])
    #expect(try read(days.svg()).all("circle").count == 2)
  }

  @Test func `a legend is for several series, and has a long name in a tooltip`() throws {
    #expect(try read(Self.chart([Chart.Series("Active", [1])]).svg()).texts("legend") == [])
    let name = "Family, yearly, introductory price of the spring of 2025"
    let root = try read(Self.chart([Chart.Series(name, [1]), Chart.Series("B", [2])]).svg())
    let entry = try #require(root.all("text", "legend").first)
    #expect(entry.text.hasSuffix("…") && entry.children.map(\.text) == [name])
  }

  @Test func `of many lines the largest are drawn, and a note says so`() throws {
    let root = try read(Samples.all.first { $0.name == "many-lines" }?.chart.svg() ?? "")
    #expect(root.texts("legend") == (4...11).map { "Storefront \($0)" })
    #expect(root.texts("quiet").contains("The 8 largest of 11 series are drawn."))
  }

  @Test func `the unit stands on the axis`() throws {
    let root = try read(Self.chart([Chart.Series("A", [2e10])], unit: .money(currency: "IDR")).svg())
    #expect(root.texts("axis").contains("IDR, billions"))
    #expect(try read(Self.chart([Chart.Series("A", [2])]).svg()).texts("axis").contains("lines"))
  }

  @Test(arguments: Chart.Kind.allCases)
  func `without figures it says so`(kind: Chart.Kind) throws {
    let lists: [[Chart.Series]] = [[], [Chart.Series("A", [])], [Chart.Series("A", [nil, .nan, .infinity], size: 0)]]
    for list in lists {
      let root = try read(Self.chart(list, kind: kind).svg())
      #expect(root.texts("subtitle").contains("No figures in this range"))
      #expect(root.all("desc").first?.text == "Definition. No figures in this range.")
    }
  }
}
