extension Drawing {
  /// The kinds of signs in a legend.
  private enum Sign {
    case line(colour: Int)
    case square(colour: Int)
    case dashes
    case stripes

    /// The width of the sign with the space before the name, in pixels.
    var width: Double {
      switch self {
      case .line, .dashes: 26
      case .square, .stripes: 19
      }
    }
  }

  /// Draws the names of the series, if there are several, and the sign of incomplete periods. The legend takes as many
  /// rows as it needs.
  mutating func legend() {
    let isLine = figures.kind == .line
    var entries = figures.series.map { series in
      (sign: isLine ? Sign.line(colour: series.colour) : .square(colour: series.colour), name: series.name)
    }
    if entries.count == 1 { entries = [] }
    if !figures.incompletePeriods.isEmpty {
      entries.append((isLine ? .dashes : .stripes, figures.incompleteWords))
    }
    guard !entries.isEmpty else { return }
    var x = left
    for entry in entries {
      let words = Font.legend.shortened(entry.name, to: min(240, right - left - entry.sign.width))
      let taken = entry.sign.width + Font.legend.width(words)
      if x > left && x + taken > right {
        x = left
        y += 20
      }
      draw(entry.sign, x: x, y: y + 8)
      write(words, .legend, x: x + entry.sign.width, baseline: y + 12, class: "legend", full: entry.name)
      x += taken + 18
    }
    y += 28
  }

  private mutating func draw(_ sign: Sign, x: Double, y: Double) {
    switch sign {
    case .line(let colour):
      markup.leaf("path", ["class": "line line-\(colour)", "d": "M\(pixels(x)) \(pixels(y))h19"])
    case .dashes:
      markup.leaf("path", ["class": "line unfinished quiet-line", "d": "M\(pixels(x)) \(pixels(y))h19"])
    case .square(let colour):
      square(x, y, class: "fill-\(colour)")
    case .stripes:
      square(x, y, class: "quiet-fill")
      square(x, y, fill: hatch)
    }
  }

  private mutating func square(_ x: Double, _ y: Double, class name: String = "", fill: String? = nil) {
    let paint = fill.map { ("fill", $0) } ?? ("class", name)
    markup.leaf(
      "rect",
      [
        paint.0: paint.1, "x": pixels(x), "y": pixels(y - 6), "width": "13", "height": "13", "rx": "2",
      ])
  }
}
