extension Drawing {
  /// A line for each series, with a gap where there is no figure and dashes where one is incomplete.
  mutating func lines(in plot: Plot) {
    if figures.series.count == 1, let only = figures.series.first { area(only, in: plot) }
    for series in figures.series {
      strokes(series, in: plot)
      dots(series, in: plot)
    }
  }

  /// The ground between a lone line and zero, lightly coloured.
  private mutating func area(_ series: Figures.Series, in plot: Plot) {
    let path = series.runs.filter { $0.count > 1 }.map { run in
      let zero = pixels(plot.y(0))
      let points = run.map { "L\(pixels(plot.axis.centre($0.place))) \(pixels(plot.y($0.value)))" }.joined()
      let start = pixels(plot.axis.centre(run[0].place))
      return "M\(start) \(zero)\(points)V\(zero)Z"
    }.joined()
    if !path.isEmpty { markup.leaf("path", ["class": "area fill-\(series.colour)", "d": path]) }
  }

  private mutating func strokes(_ series: Figures.Series, in plot: Plot) {
    var (solid, dashed) = ("", "")
    for run in series.runs {
      var wasDashed: Bool?
      for (start, end) in zip(run, run.dropFirst()) {
        let isDashed = series.incomplete[start.place] || series.incomplete[end.place]
        var piece = ""
        if wasDashed != isDashed {
          piece = "M\(pixels(plot.axis.centre(start.place))) \(pixels(plot.y(start.value)))"
        }
        piece += "L\(pixels(plot.axis.centre(end.place))) \(pixels(plot.y(end.value)))"
        if isDashed { dashed += piece } else { solid += piece }
        wasDashed = isDashed
      }
    }
    let name = "line line-\(series.colour)"
    if !solid.isEmpty { markup.leaf("path", ["class": name, "d": solid]) }
    if !dashed.isEmpty { markup.leaf("path", ["class": name + " unfinished", "d": dashed]) }
  }

  /// A dot for each value where there is room; else for what a line would not show: values alone between gaps, and
  /// incomplete ones, whose dots are hollow.
  private mutating func dots(_ series: Figures.Series, in plot: Plot) {
    for run in series.runs {
      for point in run {
        let isIncomplete = series.incomplete[point.place]
        guard plot.axis.band >= 14 || run.count == 1 || isIncomplete else { continue }
        markup.leaf(
          "circle",
          [
            "class": "line-\(series.colour) " + (isIncomplete ? "ring" : "dot fill-\(series.colour)"),
            "cx": pixels(plot.axis.centre(point.place)), "cy": pixels(plot.y(point.value)),
            "r": isIncomplete ? "3.5" : "3",
          ])
      }
    }
  }
}

extension Figures.Series {
  /// The values that follow each other without a gap.
  fileprivate var runs: [[(place: Int, value: Double)]] {
    var runs = [[(place: Int, value: Double)]]()
    var isOpen = false
    for (place, value) in values.enumerated() {
      guard let value else {
        isOpen = false
        continue
      }
      if !isOpen { runs.append([]) }
      runs[runs.count - 1].append((place, value))
      isOpen = true
    }
    return runs
  }
}
