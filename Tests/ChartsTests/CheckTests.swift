import TestSupport
import Testing

import Charts

/// All samples pass all checks, and every check has something that fails it.
struct CheckTests {
  static let widths = [280, 340, 720, 2_000]

  @Test(arguments: Samples.all.map(\.name))
  func `every sample is sound at every width`(name: String) throws {
    let chart = try #require(Samples.all.first { $0.name == name }?.chart)
    for width in Self.widths {
      let complaints = try Checks.complaints(about: chart.svg(width: width))
      #expect(complaints.isEmpty, "\(name) at \(width): \(complaints.prefix(3))")
    }
  }

  @Test(arguments: Chart.Kind.allCases)
  func `random charts are sound whatever their kind`(kind: Chart.Kind) throws {
    var random = Xorshift(state: 0x5EED)
    for round in 0..<SampleSize.pick(12, full: 60) {
      let chart = random.chart(kind)
      let width = [280, 344, 720, 792][round % 4]
      let complaints = try Checks.complaints(about: chart.svg(width: width))
      #expect(complaints.isEmpty, "round \(round) at \(width): \(complaints.prefix(3))")
    }
  }

  @Test func `a script, a handler and a link are found`() throws {
    let bad =
      #"<svg onload="x()"><script/><image href="http://example.com/a.png"/><rect fill="url(http://e.com)"/></svg>"#
    #expect(Checks.unsafe(try read(bad)).count == 5)
    #expect(Checks.unsafe(try read("<svg><style>@import 'x'</style></svg>")) == ["style from elsewhere"])
  }

  @Test(arguments: ["nan", "inf", "1e5", "-inf", "", "NaN", "1,5"])
  func `what is no number is found`(value: String) throws {
    #expect(Checks.numbers(try read("<svg><rect x=\"\(value)\"/></svg>")).count == 1)
    #expect(Checks.numbers(try read("<svg><path d=\"M0 0L\(value.isEmpty ? "?" : value) 1\"/></svg>")).count == 1)
  }

  @Test func `a negative height is found`() throws {
    #expect(Checks.numbers(try read(#"<svg><rect height="-2"/></svg>"#)) == ["negative height=-2"])
  }

  @Test func `an id that is there twice or not at all is found`() throws {
    #expect(Checks.references(try read(#"<svg><g id="a"/><g id="a"/></svg>"#)) == ["an id twice"])
    #expect(
      Checks.references(try read(##"<svg aria-labelledby="b"><g fill="url(#c)"/></svg>"##)).sorted() == [
        "no b", "no c",
      ])
  }

  @Test(arguments: [
    #"<text x="95" y="50">wide</text>"#, #"<text x="5" y="50" text-anchor="middle">wide</text>"#,
    #"<text x="5" y="104">low</text>"#, #"<text x="5" y="4">high</text>"#, #"<circle cx="98" cy="50" r="3"/>"#,
    #"<rect x="90" y="2" width="11" height="3"/>"#,
  ])
  func `what is cut at an edge is found`(element: String) throws {
    #expect(Checks.outside(try read(#"<svg viewBox="0 0 100 100">"# + element + "</svg>")).count == 1)
  }

  @Test func `labels that overlap are found`() throws {
    let labels = #"<text x="5" y="50">2026-03</text><text x="40" y="50">2026-04</text><text x="5" y="70">below</text>"#
    #expect(Checks.overlaps(try read("<svg>\(labels)</svg>")) == ["overlap: 2026-03 and 2026-04"])
  }

  @Test(arguments: [
    "<svg>", "<svg><g></svg>", "<svg a=1/>", "<svg>&nbsp;</svg>", "<svg>\u{8}</svg>", "<svg>&</svg>", "",
  ])
  func `what is not well-formed cannot be read`(document: String) {
    #expect(throws: NotWellFormed.self) { try read(document) }
  }
}

/// Random charts from a seed.
struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func chart(_ kind: Chart.Kind) -> Chart {
    let units: [Chart.Unit] = [.count(text()), .number(text()), .percent, .money(currency: text()), .days]
    let count = [0, 1, 2, 12, 40, 400].randomElement(using: &self) ?? 0
    let periods = (0..<count).map {
      Chart.Period($0 % 5 == 0 ? text() : "\($0)", isComplete: Bool.random(using: &self))
    }
    let series = (0..<Int.random(in: 0...12, using: &self)).map { _ in
      let magnitude: Double = [1e-300, 1e-7, 1, 1e4, 1e12, 1e15, 1e308].randomElement(using: &self) ?? 1
      let length = Int.random(in: 0...(count + 2), using: &self)
      let values = (0..<length).map { _ -> Double? in
        switch Int.random(in: 0..<12, using: &self) {
        case 0, 1: nil
        case 2: 0
        case 3: [Double.nan, .infinity, -.infinity].randomElement(using: &self)
        default: Double.random(in: -0.3...1, using: &self) * magnitude
        }
      }
      return Chart.Series(
        text(), values, size: [nil, 0, -4, 12, .max].randomElement(using: &self) ?? nil,
        incomplete: [-1, 0, count - 1, count + 9])
    }
    return Chart(
      title: text(), subtitle: text(), kind: kind, unit: units.randomElement(using: &self) ?? .days, periods: periods,
      series: series, notes: (0..<3).map { _ in text() })
  }

  /// Words of any planes of Unicode, and of what XML and terminals make something of.
  private mutating func text() -> String {
    let pieces = [
      "<", "&", "]]>", "\"", "'", "<!--", "\u{0}", "\u{1B}[0m", "\u{202E}", "\u{2066}", "\u{FFFF}", "\r\n", "Monthly ",
      "日本語",
      "👨‍👩‍👧", "e\u{301}\u{302}\u{303}\u{304}\u{305}", "WWWWWW", "iiii", "\u{FDFD}", "\u{E000}", "2026-03", " ",
    ]
    let length = [0, 1, 3, 8, 60].randomElement(using: &self) ?? 0
    return (0..<length).map { _ in
      if Bool.random(using: &self) { return pieces.randomElement(using: &self) ?? "" }
      return Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &self)).map { String($0) } ?? ""
    }.joined()
  }
}
