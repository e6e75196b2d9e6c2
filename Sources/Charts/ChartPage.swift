/// An HTML file with several charts and their tables. It contains no scripts, and loads nothing.
public struct ChartPage: Sendable, Equatable {
  /// A chart with the table of its figures.
  public struct Section: Sendable, Equatable {
    /// The chart of the section.
    public var chart: Chart
    /// The headings of the table's columns. The first one names the rows: "period", "active".
    public var columns: [String]
    /// The rows of the table, one for each period or cohort, with one text for each column. They may have more than the
    /// chart shows.
    public var rows: [[String]]

    /// Creates a section. The reader can unfold the table below the chart. Without columns, the section has no table.
    public init(chart: Chart, columns: [String] = [], rows: [[String]] = []) {
      self.chart = chart
      self.columns = columns
      self.rows = rows
    }
  }

  /// The page's heading, and the title of its window.
  public var title: String
  /// The line below the heading: which ledger, as of when, and known at when.
  public var subtitle: String
  /// The sections, from top to bottom.
  public var sections: [Section]
  /// The sentences that apply to all charts.
  public var notes: [String]

  /// Creates a page of these charts.
  public init(title: String, subtitle: String = "", sections: [Section], notes: [String] = []) {
    self.title = title
    self.subtitle = subtitle
    self.sections = sections
    self.notes = notes
  }

  /// Returns the whole file, which is also XML. Equal pages give equal bytes.
  ///
  /// The file contains each chart twice: a wide one for computers, and a narrow one for phones. The style sheet
  /// shows one of them.
  public func html() -> String {
    var page = Markup()
    page.add("<!DOCTYPE html>\n")
    page.open("html", ["xmlns": "http://www.w3.org/1999/xhtml", "lang": "en"])
    page.open("head")
    page.leaf("meta", ["charset": "utf-8"])
    page.leaf("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    page.leaf("meta", ["name": "color-scheme", "content": "light dark"])
    // Even if an error of ours lets a script or link through, the browser neither runs nor loads it.
    page.leaf(
      "meta", ["http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"])
    page.text("title", clean(title))
    page.add("<style>\n\(Palette.style)\(StyleSheet.chart)\(StyleSheet.page)</style>\n")
    page.close("head")
    page.open("body", ["class": "subledger"])
    page.open("main")
    page.text("h1", clean(title))
    if !subtitle.isEmpty { page.text("p", clean(subtitle), ["class": "about"]) }
    page.list(notes)
    page.add(sectionsHTML())
    page.close("main")
    page.close("body")
    page.close("html")
    return page.text
  }

  /// Returns only the sections, for a page that has a head of its own. Their drawings need ``drawingStyle``.
  public func sectionsHTML() -> String {
    sections.enumerated().map { $1.html(number: $0 + 1) }.joined()
  }

  /// The style sheet of the drawings: their colours, in light and in dark, and their text.
  public static var drawingStyle: String { Palette.style + StyleSheet.chart }
}

extension ChartPage.Section {
  fileprivate func html(number: Int) -> String {
    let figures = Figures(chart)
    var markup = Markup()
    markup.open("section")
    markup.open("figure")
    markup.open("figcaption")
    markup.text("h2", figures.title)
    if !figures.subtitle.isEmpty { markup.text("p", figures.subtitle) }
    markup.close("figcaption")
    for (width, name) in [(720, "wide"), (344, "narrow")] {
      var drawing = Drawing(figures, width: width, identifier: "\(number)-\(name)", isPartOfPage: true)
      markup.add(drawing.finished())
    }
    markup.list(figures.notes)
    markup.close("figure")
    if !columns.isEmpty { markup.add(table(named: figures.title)) }
    markup.close("section")
    return markup.text
  }

  private func table(named name: String) -> String {
    let isNumber = columns.indices.map { column in column > 0 && rows.allSatisfy { $0.cell(column).isNumeric } }
    var markup = Markup()
    markup.open("details")
    markup.text("summary", rows.count == 1 ? "Table: 1 row" : "Table: \(grouped(Double(rows.count))) rows")
    // Readers without a mouse can scroll the element that has the focus.
    markup.open("div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Table of \(name)"])
    markup.open("table")
    markup.open("thead")
    markup.open("tr")
    for (column, heading) in columns.enumerated() {
      markup.text("th", clean(heading), ["scope": "col", "class": isNumber[column] ? "number" : "word"])
    }
    markup.close("tr")
    markup.close("thead")
    markup.open("tbody")
    for row in rows {
      markup.open("tr")
      for column in columns.indices {
        let text = clean(row.cell(column))
        if column == 0 {
          markup.text("th", text, ["scope": "row"])
        } else {
          markup.text("td", text, isNumber[column] ? ["class": "number"] : [:])
        }
      }
      markup.close("tr")
    }
    for name in ["tbody", "table", "div", "details"] { markup.close(name) }
    return markup.text
  }
}

extension Markup {
  /// Adds a list of sentences, if there are any.
  fileprivate mutating func list(_ sentences: [String]) {
    guard !sentences.isEmpty else { return }
    open("ul")
    for sentence in sentences { text("li", clean(sentence)) }
    close("ul")
  }
}

extension [String] {
  /// Returns the text in a column, or an empty text where the row is too short.
  fileprivate func cell(_ column: Int) -> String { column < count ? self[column] : "" }
}

extension String {
  /// Whether the text is aligned right, so that digits are below digits. Empty text suits both alignments.
  fileprivate var isNumeric: Bool {
    guard let first = unicodeScalars.first else { return true }
    return ("0"..."9").contains(first) || ["-", "+", "−", "<", ">", "–"].contains(first)
  }
}
