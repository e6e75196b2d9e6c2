/// A chart while it becomes SVG. Blocks go one below the other, and ``y`` is the top of the next one.
struct Drawing {
  /// The width below which drawings are for phones, and have a lower plot.
  static let narrow = 480.0

  let figures: Figures
  let width: Double
  let identifier: String
  /// Whether the drawing is part of a page. The page has the title, definition and notes in its own text, and the
  /// colours in its own style sheet.
  let isPartOfPage: Bool
  var markup = Markup()
  var y: Double

  init(_ figures: Figures, width: Int, identifier: String, isPartOfPage: Bool) {
    self.figures = figures
    self.width = Double(min(max(width, 280), 2000))
    let name = identifier.utf8.filter { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 32 || 48...57 ~= $0 || $0 == 45 }
    self.identifier = "c" + String(decoding: name, as: UTF8.self)
    self.isPartOfPage = isPartOfPage
    y = isPartOfPage ? 4 : 20
  }

  var left: Double { isPartOfPage ? 2 : 20 }
  var right: Double { width - left }

  /// Returns the whole drawing. Callers use it once.
  mutating func finished() -> String {
    if !isPartOfPage { heading() }
    if figures.isEmpty {
      emptyPlot()
    } else if figures.kind == .retention {
      retention()
    } else {
      legend()
      plot()
    }
    if !isPartOfPage { footnotes() }
    return wrapped()
  }

  private mutating func heading() {
    block(figures.title, .title, class: "title", lines: 2)
    block(figures.subtitle, .subtitle, class: "quiet subtitle", lines: 4)
    y += 8
  }

  private mutating func footnotes() {
    guard !figures.notes.isEmpty else { return }
    y += 6
    for note in figures.notes { block(note, .axis, class: "quiet", lines: 6) }
  }

  /// Draws lines of text from edge to edge. The tooltip contains the text that did not fit.
  private mutating func block(_ text: String, _ font: Font, class name: String, lines limit: Int) {
    let lines = font.lines(text, in: right - left, atMost: limit)
    for line in lines {
      let isShort = line.hasSuffix("…")
      write(line, font, x: left, baseline: y + font.size, class: name, full: isShort ? text : nil)
      y += font.leading
    }
  }

  private mutating func emptyPlot() {
    let height = 160.0
    markup.leaf(
      "rect",
      [
        "class": "empty", "x": pixels(left), "y": pixels(y), "width": pixels(right - left), "height": pixels(height),
        "rx": "6",
      ])
    let words = Font.subtitle.shortened("No figures in this range", to: right - left)
    write(
      words, .subtitle, x: (left + right) / 2, baseline: y + height / 2 + 5, class: "quiet subtitle", anchor: "middle")
    y += height + 8
  }

  /// Draws one line of text.
  mutating func write(
    _ words: String, _ font: Font, x: Double, baseline: Double, class name: String? = nil, anchor: String = "start",
    full: String? = nil
  ) {
    guard !words.isEmpty else { return }
    let tooltip = full.flatMap { $0 == words ? nil : $0 }
    // The style sheet sets the sizes. Each font has a class.
    markup.text(
      "text", words,
      ["class": name ?? "axis", "x": pixels(x), "y": pixels(baseline), "text-anchor": anchor], tooltip: tooltip)
  }

  /// Draws a text that is shortened to fit. A shortened text has a tooltip with all of it.
  mutating func write(
    _ words: String, _ font: Font, x: Double, baseline: Double, class name: String? = nil, anchor: String = "start",
    room: Double
  ) {
    write(
      font.shortened(words, to: room), font, x: x, baseline: baseline, class: name, anchor: anchor, full: words)
  }

  private func wrapped() -> String {
    let height = y + (isPartOfPage ? 4 : 14)
    var document = Markup()
    let side = isPartOfPage ? (width < Self.narrow ? " narrow" : " wide") : ""
    document.open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "subledger\(side)",
        "viewBox": "0 0 \(pixels(width)) \(pixels(height))", "width": pixels(width), "height": pixels(height),
        "role": "img", "aria-labelledby": "\(identifier)-title \(identifier)-desc",
      ])
    document.text("title", figures.title.isEmpty ? "Chart" : figures.title, ["id": "\(identifier)-title"])
    document.text("desc", description, ["id": "\(identifier)-desc"])
    if !isPartOfPage {
      document.add("<style>\n\(Palette.style)\(StyleSheet.chart)</style>\n")
    }
    if markup.text.contains(hatch) {
      document.add(
        """
        <defs><pattern id="\(identifier)-hatch" width="5" height="5" patternUnits="userSpaceOnUse" \
        patternTransform="rotate(45)"><rect class="hatch" width="2.5" height="5"/></pattern></defs>

        """)
    }
    if !isPartOfPage {
      document.leaf("rect", ["class": "surface", "width": pixels(width), "height": pixels(height)])
    }
    document.add(markup.text)
    document.close("svg")
    return document.text
  }

  /// The stripes of incomplete figures, in the background colour, so that they are visible on any other.
  var hatch: String { "url(#\(identifier)-hatch)" }

  /// The description of the chart for screen readers.
  private var description: String {
    var sentences = figures.subtitle.isEmpty ? [] : [figures.subtitle]
    guard !figures.isEmpty, let first = figures.periods.first?.label, let last = figures.periods.last?.label else {
      return (sentences + ["No figures in this range."]).joined(separator: " ")
    }
    if figures.kind == .retention {
      sentences.append("A table of \(figures.series.count) cohorts by step, from \(first) to \(last).")
    } else {
      sentences.append("\(figures.periods.count) periods, from \(first) to \(last), in \(figures.unit.caption).")
      for series in figures.series {
        guard let index = series.values.lastIndex(where: { $0 != nil }), let value = series.values[index] else {
          continue
        }
        sentences.append("\(series.name) in \(figures.periods[index].label): \(figures.unit.text(value)).")
      }
      if !figures.incompletePeriods.isEmpty { sentences.append(figures.incompleteWords.firstUpper + ".") }
    }
    return sentences.joined(separator: " ")
  }
}

extension Figures {
  /// The text about incomplete periods for legends: "incomplete: 2026-08".
  var incompleteWords: String {
    let labels = incompletePeriods
    return "incomplete: " + (labels.count > 2 ? "\(labels.count) periods" : labels.joined(separator: ", "))
  }
}

extension String {
  fileprivate var firstUpper: String { prefix(1).uppercased() + dropFirst() }
}
