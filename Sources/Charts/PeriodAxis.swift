/// The horizontal axis: a band for each period, and labels for as many as fit.
struct PeriodAxis {
  struct Label: Equatable {
    let index: Int
    let text: String
    /// The middle of the text. Texts at the edges are moved inwards, so that nothing is cut.
    let x: Double
    let width: Double
  }

  /// The space between labels, in pixels.
  static let gap = 12.0

  let left: Double
  let width: Double
  let count: Int

  var band: Double { width / Double(max(1, count)) }

  /// Returns the middle of a period's band.
  func centre(_ index: Int) -> Double { left + (Double(index) + 0.5) * band }

  /// Returns labels for all periods, or for as many as fit side by side. Dates have labels for every month, quarter or
  /// year, rather than for a fixed number of days. No label goes beyond the bounds.
  func labels(_ periods: [String], font: Font, within bounds: ClosedRange<Double>) -> [Label] {
    let room = (bounds.upperBound - bounds.lowerBound) * 0.4
    for choice in Self.choices(periods) {
      let labels = choice.map { index in
        let text = font.shortened(periods[index], to: room)
        let half = font.width(text) / 2
        let x = min(max(centre(index), bounds.lowerBound + half), bounds.upperBound - half)
        return Label(index: index, text: text, x: x, width: 2 * half)
      }
      let isClear = zip(labels, labels.dropFirst()).allSatisfy { earlier, later in
        earlier.x + earlier.width / 2 + Self.gap <= later.x - later.width / 2
      }
      if isClear { return labels }
    }
    return []
  }

  /// Returns the possible choices of labelled periods, from all of them to the first alone.
  private static func choices(_ periods: [String]) -> [[Int]] {
    let all = Array(periods.indices)
    let dates = periods.compactMap(CalendarLabel.init)
    guard dates.count == periods.count else { return everySo([1, 2, 5], all) + [Array(all.prefix(1))] }
    let isDaily = dates.contains { $0.day != nil }
    let starts = all.filter { index in
      index == 0 ? dates[0].day ?? 1 == 1 : dates[index].month != dates[index - 1].month
    }
    let byMonth = [1, 2, 3, 6, 12, 24, 60, 120].map { step in starts.filter { dates[$0].month % step == 0 } }
    // A single label informs less than any two.
    let sensible = ((isDaily ? [all, every(2, all), every(7, all)] : []) + byMonth).filter { $0.count > 1 }
    return sensible + everySo([1, 2, 5], all) + [Array(all.prefix(1))]
  }

  private static func everySo(_ factors: [Int], _ all: [Int]) -> [[Int]] {
    [1, 10, 100, 1000].flatMap { power in factors.map { every($0 * power, all) } }
  }

  private static func every(_ step: Int, _ all: [Int]) -> [Int] { all.filter { $0 % step == 0 } }
}

/// The parts of a label that is a month or a day: "2026-03", "2026-03-02".
private struct CalendarLabel {
  /// The number of months since the year 0.
  let month: Int
  let day: Int?

  init?(_ label: String) {
    let parts = label.split(separator: "-", omittingEmptySubsequences: false)
    let lengths = parts.map(\.utf8.count)
    guard lengths == [4, 2] || lengths == [4, 2, 2] else { return nil }
    let numbers = parts.compactMap { UInt16($0) }.map(Int.init)
    guard numbers.count == parts.count, (1...12).contains(numbers[1]) else { return nil }
    month = numbers[0] * 12 + numbers[1] - 1
    day = numbers.count == 3 ? numbers[2] : nil
  }
}
