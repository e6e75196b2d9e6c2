/// The layout of a table of cohorts by step: the widths of its columns, and the steps that have one.
private struct RetentionGrid {
  static let row = 26.0

  let names: Double
  let sizes: Double
  let cell: Double
  let steps: [Int]
  /// Whether the numbers have no "%", which the heading then states.
  let isBrief: Bool

  /// Creates a layout that is as wide as its texts need. If not all steps fit, every second or third step has a column,
  /// and so on.
  init(_ figures: Figures, texts: [[String?]], room: Double) {
    let longest = figures.series.map { Font.cell.width($0.name) }.reduce(Font.axis.width("cohort"), max)
    names = min(longest, room * 0.3) + 10
    let numbers = figures.series.compactMap(\.size).map { Font.cell.width(grouped(Double($0))) }
    sizes = numbers.isEmpty ? 0 : min(numbers.reduce(Font.axis.width("size"), max), room * 0.2) + 12
    let available = room - names - sizes
    let last = texts.compactMap { $0.lastIndex { $0 != nil } }.max() ?? 0
    let count = Double(last + 1)
    let widest = texts.joined().compactMap { $0 }.map { Font.cell.width($0) }.reduce(0, max)
    let full = widest + 8
    let brief = widest - Font.cell.width("%") + 5
    isBrief = full * count > available
    let least = isBrief ? brief : full
    let stride = max(1, Int((least * count / available).rounded(.up)))
    steps = Array(Swift.stride(from: 0, through: last, by: stride))
    cell = min(available / Double(steps.count), 56)
  }
}

extension Drawing {
  /// Draws a row for each cohort, darker where more remained. Incomplete cells have a dashed edge.
  mutating func retention() {
    let shares = figures.shares
    let grid = RetentionGrid(figures, texts: shares.map { $0.map { $0.map(percentage) } }, room: right - left)
    let start = left + grid.names + grid.sizes
    let end = start + grid.cell * Double(grid.steps.count)
    retentionLegend(isBrief: grid.isBrief)
    let axis = PeriodAxis(left: start, width: end - start, count: grid.steps.count)
    if !figures.axis.isEmpty {
      write(figures.axis, .axis, x: start + 1, baseline: y + 8, room: right - start)
      y += 20
    }
    write("cohort", .axis, x: left, baseline: y + 12)
    if grid.sizes > 0 { write("size", .axis, x: start - 12, baseline: y + 12, anchor: "end") }
    let labels = grid.steps.map { figures.periods[$0].label }
    for label in axis.labels(labels, font: .axis, within: (start - 6)...right) {
      write(
        label.text, .axis, x: label.x, baseline: y + 12, class: "axis period", anchor: "middle",
        full: labels[label.index])
    }
    y += 20
    for (row, series) in figures.series.enumerated() {
      let baseline = y + RetentionGrid.row / 2 + 4
      write(series.name, .cell, x: left, baseline: baseline, class: "cell", room: grid.names - 10)
      if let size = series.size {
        write(
          grouped(Double(size)), .cell, x: start - 12, baseline: baseline, class: "cell quiet", anchor: "end",
          room: grid.sizes - 12)
      }
      for (column, step) in grid.steps.enumerated() {
        guard let share = shares[row][step] else { continue }
        cell(series, step, share: share, x: start + Double(column) * grid.cell, width: grid.cell, isBrief: grid.isBrief)
      }
      y += RetentionGrid.row
    }
    y += 10
    if grid.steps.count > 1 && grid.steps[1] > 1 {
      write("One step in \(grid.steps[1]) is drawn.", .axis, x: left, baseline: y + 11)
      y += 18
    }
  }

  private mutating func cell(
    _ series: Figures.Series, _ step: Int, share: Double, x: Double, width: Double, isBrief: Bool
  ) {
    let level = Palette.heatLevel(share)
    let isIncomplete = series.incomplete[step]
    markup.open("g")
    let value = series.values[step].map(figures.unit.text) ?? ""
    let words = figures.unit == .percent ? value : "\(value), \(percentage(share))"
    let step = figures.periods[step].label
    markup.text("title", "\(series.name), \(step): \(words)" + (isIncomplete ? " (incomplete)" : ""))
    markup.leaf(
      "rect",
      [
        "class": "heat-\(level)", "x": pixels(x + 1), "y": pixels(y + 1), "width": pixels(width - 2),
        "height": pixels(RetentionGrid.row - 2), "rx": "2",
      ])
    if isIncomplete {
      markup.leaf(
        "rect",
        [
          "class": "edge on-line-\(level)", "x": pixels(x + 2.5), "y": pixels(y + 2.5), "width": pixels(width - 5),
          "height": pixels(RetentionGrid.row - 5), "rx": "2",
        ])
    }
    let text = percentage(share)
    write(
      isBrief ? String(text.dropLast()) : text, .cell, x: x + width / 2, baseline: y + RetentionGrid.row / 2 + 4,
      class: "cell on-\(level)", anchor: "middle")
    markup.close("g")
  }

  /// Draws the meaning of the shades and dashes.
  private mutating func retentionLegend(isBrief: Bool) {
    var x = left
    let words = isBrief ? "percent of the cohort: 0" : "of the cohort: 0%"
    write(words, .legend, x: x, baseline: y + 12, class: "legend")
    x += Font.legend.width(words) + 6
    let shade = width < Self.narrow ? 6.0 : 10
    for level in 0..<Palette.heatLevels {
      markup.leaf(
        "rect",
        [
          "class": "heat-\(level)", "x": pixels(x), "y": pixels(y + 2), "width": pixels(shade), "height": "13",
        ])
      x += shade
    }
    write(isBrief ? "100" : "100%", .legend, x: x + 6, baseline: y + 12, class: "legend")
    x += Font.legend.width("100%") + 24
    if figures.series.contains(where: { zip($0.values, $0.incomplete).contains { $0 != nil && $1 } }) {
      if x + 24 + Font.legend.width("incomplete") > right {
        x = left
        y += 20
      }
      markup.leaf(
        "rect",
        [
          "class": "edge quiet-line", "x": pixels(x + 0.5), "y": pixels(y + 2.5), "width": "18", "height": "12",
          "rx": "2",
        ])
      write("incomplete", .legend, x: x + 25, baseline: y + 12, class: "legend")
    }
    y += 32
  }

  /// Returns whole percents, but neither "0%" for some nor "100%" for almost all.
  private func percentage(_ share: Double) -> String {
    switch share {
    case _ where share > 0 && share < 0.005: "<1%"
    case _ where share < 1 && share >= 0.995: ">99%"
    case ..<(-9.995): "<−999%"
    case 9.995...: ">999%"
    default: grouped(share * 100) + "%"
    }
  }
}
