/// The positions of values and periods in the drawing.
struct Plot {
  let scale: Scale
  let axis: PeriodAxis
  let top: Double
  let bottom: Double

  var right: Double { axis.left + axis.width }

  func y(_ value: Double) -> Double { scale.y(value, top: top, bottom: bottom) }
}

extension Drawing {
  /// Draws the two axes, and the figures between them.
  mutating func plot() {
    let height = width < Self.narrow ? 220.0 : 280
    let stacks = figures.kind == .stacked ? Stack.all(of: figures) : []
    let bounds = figures.kind == .stacked ? Stack.bounds(of: stacks) : figures.bounds
    let scale = Scale(from: bounds.lowerBound, to: bounds.upperBound, unit: figures.unit, steps: Int(height / 44))
    let caption = scale.magnitude.map { "\(figures.unit.caption), \($0)" } ?? figures.unit.caption
    write(caption, .axis, x: left, baseline: y + Font.axis.size, room: right - left)
    let top = y + 26
    let labels = scale.ticks.map { Font.axis.width($0.text) }.reduce(0, max)
    let start = left + labels + 8
    // In the narrowest band, a dot extends a little beyond its period.
    let axis = PeriodAxis(left: start, width: right - 4 - start, count: figures.periods.count)
    let plot = Plot(scale: scale, axis: axis, top: top, bottom: top + height)
    grid(plot)
    switch figures.kind {
    case .stacked: stacks.forEach { columns($0.columns(in: plot), colour: $0.colour) }
    case .bar where Bars.areWide(in: plot, of: figures): bars(in: plot)
    case .bar, .line, .retention: lines(in: plot)
    }
    if figures.kind == .stacked { seams(stacks, in: plot) }
    zeroLine(plot)
    periodLabels(plot)
    hoverColumns(plot)
    y = plot.bottom + 30
    guard !figures.axis.isEmpty else { return }
    write(figures.axis, .axis, x: (start + right) / 2, baseline: y + 8, anchor: "middle", room: right - start)
    y += 20
  }

  private mutating func grid(_ plot: Plot) {
    for tick in plot.scale.ticks {
      let height = plot.y(tick.value)
      rule("grid", from: plot.axis.left, to: plot.right, y: height)
      write(tick.text, .axis, x: plot.axis.left - 8, baseline: height + 4, anchor: "end")
    }
  }

  /// Draws the zero line above the bars, so that it is visible where bars go both up and down.
  private mutating func zeroLine(_ plot: Plot) {
    rule("zero", from: plot.axis.left, to: plot.right, y: plot.y(0))
  }

  private mutating func rule(_ name: String, from start: Double, to end: Double, y: Double) {
    markup.leaf(
      "line", ["class": name, "x1": pixels(start), "x2": pixels(end), "y1": pixels(y), "y2": pixels(y)])
  }

  private mutating func periodLabels(_ plot: Plot) {
    for label in plot.axis.labels(figures.periods.map(\.label), font: .axis, within: left...right) {
      let x = pixels(plot.axis.centre(label.index))
      markup.leaf(
        "line", ["class": "tick", "x1": x, "x2": x, "y1": pixels(plot.bottom), "y2": pixels(plot.bottom + 4)])
      write(
        label.text, .axis, x: label.x, baseline: plot.bottom + 18, class: "axis period", anchor: "middle",
        full: figures.periods[label.index].label)
    }
  }

  /// Adds a tooltip for each period, where the bands are wide enough for a pointer.
  private mutating func hoverColumns(_ plot: Plot) {
    guard plot.axis.band >= 3 else { return }
    for (index, period) in figures.periods.enumerated() {
      let isComplete = !figures.series.contains { $0.incomplete[index] && $0.values[index] != nil }
      let values = figures.series.map { series in
        series.name + ": " + (series.values[index].map(figures.unit.text) ?? "no figure")
      }
      markup.open(
        "rect",
        [
          "class": "hover", "x": pixels(plot.axis.centre(index) - plot.axis.band / 2), "y": pixels(plot.top),
          "width": pixels(plot.axis.band), "height": pixels(plot.bottom - plot.top),
        ])
      let lines = [period.label + (isComplete ? "" : " (incomplete)")] + values
      markup.text("title", lines.joined(separator: "\n"))
      markup.close("rect")
    }
  }
}

extension Figures {
  /// The range from the smallest to the largest value.
  fileprivate var bounds: ClosedRange<Double> {
    let values = series.flatMap { $0.values.compactMap { $0 } }
    return (values.min() ?? 0)...(values.max() ?? 0)
  }
}
