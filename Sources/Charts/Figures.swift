/// The figures that a drawing shows. It has clean texts, one value per period and at most eight series. Notes state
/// what it leaves out.
struct Figures {
  struct Series {
    let name: String
    /// The index of the colour in the palette's series.
    let colour: Int
    let values: [Double?]
    let incomplete: [Bool]
    let size: Int?
  }

  static let mostSeries = 8
  static let mostCohorts = 60
  /// The largest value that is drawn. Integers up to it are exact, and their text is short enough for an axis.
  static let largest = 1e15

  let kind: Chart.Kind
  let unit: Chart.Unit
  let title: String
  let subtitle: String
  let periods: [Chart.Period]
  let axis: String
  private(set) var series: [Series]
  private(set) var notes: [String]

  init(_ chart: Chart) {
    kind = chart.kind
    unit = chart.unit
    title = clean(chart.title)
    subtitle = clean(chart.subtitle)
    periods = chart.periods.map { Chart.Period(clean($0.label), isComplete: $0.isComplete) }
    axis = clean(chart.axis)
    notes = chart.notes.map(clean)
    let count = periods.count
    let isComplete = periods.map(\.isComplete)
    series = chart.series.enumerated().map { index, series in
      let given = series.values.prefix(count).map { $0.flatMap { $0.magnitude <= Self.largest ? $0 : nil } }
      return Series(
        name: clean(series.name), colour: index, values: given + Array(repeating: nil, count: count - given.count),
        incomplete: isComplete.indices.map { !isComplete[$0] || series.incomplete.contains($0) }, size: series.size)
    }
    let impossible = chart.series.joinedValues.count { !($0.magnitude <= Self.largest) }
    if impossible > 0 { notes.append("Left out as not finite or too large: \(grouped(Double(impossible))).") }
    reduce()
  }

  /// Whether there is nothing to draw.
  var isEmpty: Bool {
    (kind == .retention ? shares : series.map(\.values)).allSatisfy { $0.allSatisfy { $0 == nil } }
  }

  /// The remaining share of each cohort. Percentages are shares already, and other values are divided by the cohort's
  /// initial size. A cohort without anyone has no shares.
  var shares: [[Double?]] {
    series.map { series in
      if unit == .percent { return series.values }
      guard let whole = series.size.map(Double.init) ?? series.values.first ?? nil, whole > 0 else {
        return series.values.map { _ in nil }
      }
      return series.values.map { $0.map { $0 / whole } }
    }
  }

  /// The labels of the periods with a drawn value that is incomplete.
  var incompletePeriods: [String] {
    periods.indices.filter { index in
      series.contains { $0.incomplete[index] && $0.values[index] != nil }
    }.map { periods[$0].label }
  }

  private mutating func reduce() {
    let total = series.count
    if kind == .retention {
      guard total > Self.mostCohorts else { return }
      series = series.suffix(Self.mostCohorts)
      notes.append("The latest \(Self.mostCohorts) of \(grouped(Double(total))) cohorts are drawn.")
      return
    }
    guard total > Self.mostSeries else { return }
    let drawnCount = kind == .stacked ? Self.mostSeries - 1 : Self.mostSeries
    let weights = series.map { $0.values.reduce(0) { $0 + ($1?.magnitude ?? 0) } }
    let largest = Set(series.indices.sorted { (weights[$1], $0) < (weights[$0], $1) }.prefix(drawnCount))
    let rest = series.indices.filter { !largest.contains($0) }.map { series[$0] }
    let other = Series(
      name: "Other (\(grouped(Double(rest.count))))", colour: Palette.other, values: Self.sums(rest.map(\.values)),
      incomplete: periods.indices.map { index in rest.contains { $0.incomplete[index] } }, size: nil)
    series = largest.sorted().enumerated().map { colour, index in
      let one = series[index]
      return Series(name: one.name, colour: colour, values: one.values, incomplete: one.incomplete, size: one.size)
    }
    if kind == .stacked {
      series.append(other)
      notes.append("Other is the sum of the \(grouped(Double(rest.count))) smallest series.")
    } else {
      notes.append("The \(drawnCount) largest of \(grouped(Double(total))) series are drawn.")
    }
  }

  /// Returns the sums by index; `nil` where all values are missing.
  private static func sums(_ lists: [[Double?]]) -> [Double?] {
    guard let first = lists.first else { return [] }
    return lists.dropFirst().reduce(first) { sums, values in
      zip(sums, values).map { sum, value in sum.map { $0 + (value ?? 0) } ?? value }
    }
  }
}

extension [Chart.Series] {
  fileprivate var joinedValues: [Double] { flatMap { $0.values.compactMap { $0 } } }
}
