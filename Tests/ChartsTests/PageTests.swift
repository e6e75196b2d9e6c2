import Testing

@testable import Charts

struct PageTests {
  static let html = Samples.page.html()
  /// The parser is one of XML, to which the first line says nothing.
  static let body = html.replacing("<!DOCTYPE html>\n", with: "")

  static let root = Result { try read(body) }

  @Test func `the page is well-formed, safe, and no id is there twice`() throws {
    let root = try Self.root.get()
    #expect(Checks.unsafe(root) == [] && Checks.numbers(root.all("main")[0]) == [])
    #expect(root.all("svg").count == 2 * Samples.all.count)
    for svg in root.all("svg") { #expect(Checks.outside(svg) + Checks.overlaps(svg) == []) }
    #expect(Checks.references(root) == [])
  }

  @Test func `nothing may run and nothing may be fetched`() throws {
    let html = Self.html
    #expect(html.contains(#"http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;"#))
    #expect(!html.contains("<script") && !html.contains("@import"))
    let addresses = html.split(separator: "http").dropFirst().filter { !$0.hasPrefix("-equiv") }
    #expect(Set(addresses.map { $0.prefix { $0 != "\"" } }) == ["://www.w3.org/1999/xhtml", "://www.w3.org/2000/svg"])
  }

  @Test func `each chart has its title, definition, notes and whole table`() throws {
    let root = try Self.root.get()
    let section = try #require(root.all("section").first)
    #expect(section.all("h2").map(\.text) == ["Active subscriptions"])
    #expect(section.all("figcaption")[0].all("p").count == 1 && section.all("li").count == 2)
    #expect(section.all("summary").map(\.text) == ["Table: 18 rows"])
    #expect(section.all("tr").count == 19)
    #expect(section.all("tr")[1].children.map(\.text) == ["2025-03", "1,128.7"])
    #expect(section.all("th").filter { $0.attributes["scope"] == "row" }.count == 18)
    #expect(root.all("h1").map(\.text) == [Samples.page.title] && root.all("title").first?.text == Samples.page.title)
  }

  @Test func `short rows are filled up, and without columns there is no table`() throws {
    let chart = Chart(title: "A", kind: .line, unit: .days, periods: [], series: [])
    let page = ChartPage(
      title: Samples.nasty,
      sections: [
        ChartPage.Section(chart: chart, columns: ["period", "days", "<b>"], rows: [["a"], ["b", "1", "x"]]),
        ChartPage.Section(chart: chart),
      ])
    let root = try read(page.html().replacing("<!DOCTYPE html>\n", with: ""))
    #expect(root.all("details").count == 1)
    #expect(root.all("tr").map(\.children.count) == [3, 3, 3])
    #expect(root.all("td", "number").map(\.text) == ["", "1"])
    #expect(root.all("h1").map(\.text) == [clean(Samples.nasty)])
  }

  @Test func `the same chart and page are the same bytes`() {
    for (_, chart) in Samples.all { #expect(chart.svg() == chart.svg()) }
    #expect(Samples.page.html() == Self.html)
  }

  @Test func `an svg stands alone, scales, and says what it is`() throws {
    let chart = Samples.usual[0].chart
    let root = try read(chart.svg())
    #expect(root.attributes["xmlns"] == "http://www.w3.org/2000/svg" && root.attributes["role"] == "img")
    #expect(root.attributes["viewBox"]?.hasPrefix("0 0 720 ") == true)
    #expect(root.children.prefix(2).map(\.name) == ["title", "desc"])
    #expect(root.children[0].text == chart.title && root.children[1].text.hasPrefix(chart.subtitle))
    #expect(root.texts("title") == [chart.title] && root.texts("quiet").suffix(2) == chart.notes[...])
    let style = try #require(root.all("style").first?.text)
    #expect(style.contains("@media screen and (prefers-color-scheme:dark)") && style.contains("system-ui"))
  }

  @Test func `widths have bounds, and identifiers are made safe`() throws {
    let chart = Samples.usual[0].chart
    #expect(try read(chart.svg(width: -5)).attributes["width"] == "280")
    #expect(try read(chart.svg(width: .max)).attributes["width"] == "2000")
    #expect(chart.svg(identifier: "a\" onload=\"b").contains("id=\"caonloadb-title\""))
  }

  @Test func `every class that is used is styled`() throws {
    let style = StyleSheet.chart + StyleSheet.page
    for (name, chart) in Samples.all {
      let used = try read(chart.svg()).all.flatMap { ($0.attributes["class"] ?? "").split(separator: " ") }
      // These are the default of a text, and names that the tests read.
      for one in Set(used).subtracting(["axis", "period", "subledger", "dot"]) {
        #expect(style.contains(".\(one)"), "\(one) in \(name)")
      }
    }
  }
}
