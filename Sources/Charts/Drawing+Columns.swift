/// A bar, or a part of one, in pixels.
struct Column {
  let x: Double
  let width: Double
  let top: Double
  let bottom: Double
  let isIncomplete: Bool
}

/// The widths of bars in a period.
enum Bars {
  /// Returns how much of a period's band the bars take. They take all of a band that is too narrow for visible gaps.
  static func share(_ band: Double) -> Double { band < 3 ? band : min(band * 0.74, 64) }

  /// Returns whether a reader can distinguish bars side by side. A single bar in each period is always wide enough.
  static func areWide(in plot: Plot, of figures: Figures) -> Bool {
    figures.series.count == 1 || share(plot.axis.band) / Double(figures.series.count) >= 2
  }
}

/// A series in a stack, with the start and end of its part in each period.
struct Stack {
  let colour: Int
  let parts: [(start: Double, end: Double, isIncomplete: Bool)?]

  /// Returns the stack of all series. Positive values go up from zero, negative ones down, with the first series
  /// nearest to zero.
  static func all(of figures: Figures) -> [Stack] {
    var highs = [Double](repeating: 0, count: figures.periods.count)
    var lows = highs
    return figures.series.map { series in
      let parts = series.values.enumerated().map { index, value -> (start: Double, end: Double, isIncomplete: Bool)? in
        guard let value, value != 0 else { return nil }
        let start = value > 0 ? highs[index] : lows[index]
        if value > 0 { highs[index] += value } else { lows[index] += value }
        return (start, start + value, series.incomplete[index])
      }
      return Stack(colour: series.colour, parts: parts)
    }
  }

  static func bounds(of stacks: [Stack]) -> ClosedRange<Double> {
    let ends = stacks.flatMap { $0.parts.compactMap { $0?.end } }
    return min(0, ends.min() ?? 0)...max(0, ends.max() ?? 0)
  }

  func columns(in plot: Plot) -> [Column] {
    let width = Bars.share(plot.axis.band)
    return parts.enumerated().compactMap { index, part in
      guard let part else { return nil }
      let (start, end) = (plot.y(part.start), plot.y(part.end))
      return Column(
        x: plot.axis.centre(index) - width / 2, width: width, top: min(start, end), bottom: max(start, end),
        isIncomplete: part.isIncomplete)
    }
  }
}

extension Drawing {
  /// Draws the series side by side in each period. A zero is a thin stroke, and a missing figure is nothing.
  mutating func bars(in plot: Plot) {
    let slot = Bars.share(plot.axis.band) / Double(figures.series.count)
    let gap = slot > 6 && figures.series.count > 1 ? 1.5 : 0
    for (rank, series) in figures.series.enumerated() {
      let list = series.values.enumerated().compactMap { index, value -> Column? in
        guard let value else { return nil }
        let start = plot.axis.centre(index) + (Double(rank) - Double(figures.series.count) / 2) * slot
        let (zero, end) = (plot.y(0), plot.y(value))
        return Column(
          x: start + gap / 2, width: slot - gap, top: value == 0 ? zero - 1 : min(zero, end),
          bottom: max(zero, end), isIncomplete: series.incomplete[index])
      }
      columns(list, colour: series.colour)
    }
  }

  /// Draws bars of one colour, with stripes where they are incomplete. Thin bars that touch become one shape, because
  /// many thin shapes would flicker.
  mutating func columns(_ columns: [Column], colour: Int) {
    if let first = columns.first, first.width < 3 {
      markup.leaf("path", ["class": "fill-\(colour)", "d": Self.outline(columns)])
    } else {
      for column in columns { rectangle(column, "class", "fill-\(colour)") }
    }
    for column in columns where column.isIncomplete {
      rectangle(column, "fill", hatch)
      guard column.width >= 4 && column.bottom - column.top >= 2 else { continue }
      // Stripes alone do not close the corners of the bar.
      markup.leaf(
        "path",
        [
          "class": "outline line-\(colour)",
          "d": "M\(pixels(column.x + 0.5)) \(pixels(column.top + 0.5))h\(pixels(column.width - 1))"
            + "V\(pixels(column.bottom - 0.5))H\(pixels(column.x + 0.5))Z",
        ])
    }
  }

  /// Draws lines in the background colour between the parts of a stack. With them, a reader can distinguish the parts
  /// without colours.
  mutating func seams(_ stacks: [Stack], in plot: Plot) {
    let width = Bars.share(plot.axis.band)
    guard width >= 6 else { return }
    let path = stacks.map { stack in
      stack.parts.enumerated().map { index, part in
        guard let part, part.start != 0 else { return "" }
        return "M\(pixels(plot.axis.centre(index) - width / 2)) \(pixels(plot.y(part.start)))h\(pixels(width))"
      }.joined()
    }.joined()
    if !path.isEmpty { markup.leaf("path", ["class": "seam", "d": path]) }
  }

  private mutating func rectangle(_ column: Column, _ attribute: String, _ value: String) {
    markup.leaf(
      "rect",
      [
        attribute: value, "x": pixels(column.x), "y": pixels(column.top), "width": pixels(column.width),
        "height": pixels(column.bottom - column.top),
      ])
  }

  /// Returns the outline of bars. Bars that touch have one outline.
  private static func outline(_ columns: [Column]) -> String {
    var (path, back) = ("", "")
    for (index, column) in columns.enumerated() {
      let touches = index > 0 && abs(columns[index - 1].x + column.width - column.x) < 0.01
      if !touches { path += (path.isEmpty ? "" : back + "Z") + "M\(pixels(column.x)) \(pixels(column.bottom))" }
      if !touches { back = "" }
      path += "V\(pixels(column.top))H\(pixels(column.x + column.width))"
      back = "V\(pixels(column.bottom))H\(pixels(column.x))" + back
    }
    return path.isEmpty ? path : path + back + "Z"
  }
}
