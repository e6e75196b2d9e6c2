extension Drawing {
  /// Draws a line for each series, with gaps for missing figures and dashes for incomplete ones.
  mutating func lines(in plot: Plot) {
    if figures.series.count == 1, let only = figures.series.first { area(only, in: plot) }
    for series in figures.series {
      strokes(series, in: plot)
      dots(series, in: plot)
    }
  }

  /// Draws the area between a single line and zero, in a light colour.
  private mutating func area(_ series: Figures.Series, in plot: Plot) {
    let path = series.runs.filter { $0.count > 1 }.map { run in
      let zero = pixels(plot.y(0))
      let points = run.map { "L\(pixels(plot.axis.centre($0.index))) \(pixels(plot.y($0.value)))" }.joined()
      let start = pixels(plot.axis.centre(run[0].index))
      return "M\(start) \(zero)\(points)V\(zero)Z"
    }.joined()
    if !path.isEmpty { markup.leaf("path", ["class": "area fill-\(series.colour)", "d": path]) }
  }

  private mutating func strokes(_ series: Figures.Series, in plot: Plot) {
    var (solid, dashed) = ("", "")
    for run in series.runs {
      var wasDashed: Bool?
      for (start, end) in zip(run, run.dropFirst()) {
        let isDashed = series.incomplete[start.index] || series.incomplete[end.index]
        var piece = ""
        if wasDashed != isDashed {
          piece = "M\(pixels(plot.axis.centre(start.index))) \(pixels(plot.y(start.value)))"
        }
        piece += "L\(pixels(plot.axis.centre(end.index))) \(pixels(plot.y(end.value)))"
        if isDashed { dashed += piece } else { solid += piece }
        wasDashed = isDashed
      }
    }
    let name = "line line-\(series.colour)"
    if !solid.isEmpty { markup.leaf("path", ["class": name, "d": solid]) }
    if !dashed.isEmpty { markup.leaf("path", ["class": name + " unfinished", "d": dashed]) }
  }

  /// Draws a dot for each value where the bands are wide enough. Otherwise it draws dots for values that a line does
  /// not show: single values between gaps, and incomplete ones. Dots of incomplete values are hollow.
  private mutating func dots(_ series: Figures.Series, in plot: Plot) {
    for run in series.runs {
      for point in run {
        let isIncomplete = series.incomplete[point.index]
        guard plot.axis.band >= 14 || run.count == 1 || isIncomplete else { continue }
        markup.leaf(
          "circle",
          [
            "class": "line-\(series.colour) " + (isIncomplete ? "ring" : "dot fill-\(series.colour)"),
            "cx": pixels(plot.axis.centre(point.index)), "cy": pixels(plot.y(point.value)),
            "r": isIncomplete ? "3.5" : "3",
          ])
      }
    }
  }
}

extension Figures.Series {
  /// The groups of values that follow each other without a gap.
  fileprivate var runs: [[(index: Int, value: Double)]] {
    var runs = [[(index: Int, value: Double)]]()
    var isOpen = false
    for (index, value) in values.enumerated() {
      guard let value else {
        isOpen = false
        continue
      }
      if !isOpen { runs.append([]) }
      runs[runs.count - 1].append((index, value))
      isOpen = true
    }
    return runs
  }
}
