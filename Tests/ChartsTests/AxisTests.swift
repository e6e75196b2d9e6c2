import Testing

@testable import Charts

struct AxisTests {
  static func labels(_ periods: [Chart.Period], width: Double = 640) -> [String] {
    PeriodAxis(left: 60, width: width, count: periods.count)
      .labels(periods.map(\.label), font: .axis, within: 0...(70 + width)).map(\.text)
  }

  @Test func `every period is labelled where there is room`() {
    #expect(Self.labels(Samples.months(9)).count == 9)
    #expect(Self.labels(Samples.days(5)).count == 5)
    #expect(Self.labels([Chart.Period("2026-03")]) == ["2026-03"])
    #expect(Self.labels([]) == [])
  }

  @Test func `months are thinned to quarters, halves and years, each with January`() {
    let quarters = Self.labels(Samples.months(30))
    #expect(quarters.first == "2025-04" && quarters.allSatisfy { ["01", "04", "07", "10"].contains($0.suffix(2)) })
    let years = Self.labels(Samples.months(120))
    #expect(years.count > 4 && years.allSatisfy { $0.hasSuffix("-01") })
  }

  @Test func `days are thinned to weeks, then to the beginnings of months`() {
    #expect(Self.labels(Samples.days(45)).prefix(2) == ["2023-01-15", "2023-01-22"])
    let long = Self.labels(Samples.days(1_100))
    #expect(long.count >= 4 && long.allSatisfy { $0.hasSuffix("-01-01") || $0.hasSuffix("-07-01") })
  }

  @Test func `weeks named by their first day are labelled too`() {
    let weeks = Samples.days(700).enumerated().filter { $0.offset % 7 == 0 }.map(\.element)
    #expect(Self.labels(weeks).count >= 4)
  }

  @Test func `steps are labelled by ones, twos, fives or tens`() {
    let steps = (0..<36).map { Chart.Period("\($0)") }
    #expect(Self.labels(steps, width: 300).prefix(4) == ["0", "5", "10", "15"])
    #expect(Self.labels((1...9).map { Chart.Period("month \($0)") }, width: 300).prefix(2) == ["month 1", "month 3"])
  }

  @Test(arguments: [1, 2, 3, 7, 31, 100, 365, 1_100], [120.0, 250, 640, 1_900])
  func `labels keep their distance and stay inside`(count: Int, width: Double) throws {
    for periods in [
      Samples.days(count), Samples.months(count), (0..<count).map { Chart.Period("week no. \($0) of many") },
    ] {
      let axis = PeriodAxis(left: 60, width: width, count: count)
      let labels = axis.labels(periods.map(\.label), font: .axis, within: 50...(width + 60))
      #expect(!labels.isEmpty)
      for (earlier, later) in zip(labels, labels.dropFirst()) {
        #expect(earlier.x + earlier.width / 2 + PeriodAxis.gap < 0.01 + later.x - later.width / 2)
      }
      for label in labels {
        #expect(label.x - label.width / 2 > 49.99 && label.x + label.width / 2 < width + 60.01)
        #expect(label.width >= Font.axis.width(label.text) - 0.001)
      }
    }
  }
}

struct FontTests {
  @Test func `a shortened text fits, and keeps whole signs`() {
    for text in [Samples.nasty, String(repeating: "👩‍👩‍👧‍👦", count: 20), "Subscriptions", "日本語のサブスクリプション"] {
      for room in stride(from: 12.0, through: 200, by: 7) {
        let short = Font.legend.shortened(text, to: room)
        #expect(Font.legend.width(short) <= room)
        #expect(short == text || short.hasSuffix("…") && text.hasPrefix(short.dropLast()))
      }
    }
    #expect(Font.axis.shortened("2026-03", to: 80) == "2026-03")
    #expect(Font.axis.shortened("one two three", to: Font.axis.width("one …") + 1) == "one…")
  }

  @Test func `lines hold all words, or end in an ellipsis`() {
    let text = "Lines shared by a family count once, for whoever bought them, and for nobody else."
    let lines = Font.axis.lines(text, in: 180, atMost: 9)
    #expect(lines.count > 2 && lines.joined(separator: " ") == text)
    #expect(Font.axis.lines(text, in: 180, atMost: 2).last?.hasSuffix("…") == true)
    #expect(Font.axis.lines("", in: 180, atMost: 2) == [])
    #expect(Font.axis.lines("short", in: 180, atMost: 1) == ["short"])
  }

  @Test func `what is drawn has no controls, turns no direction and piles no marks`() {
    #expect(clean("a\u{0}b\u{1B}c\td\r\ne\u{2028}f") == "a b c d e f")
    #expect(clean("\u{202E}abc\u{202C}\u{2066}\u{200F}\u{FEFF}\u{FFFE}\u{1FFFF}") == "abc")
    #expect(clean("e" + String(repeating: "\u{301}", count: 90)).unicodeScalars.count == 4)
    #expect(clean("👩‍👩‍👧‍👦 ok ") == "👩‍👩‍👧‍👦 ok")
    #expect(escapedMarkup(#"<a b="c" d='e'>&"#) == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;")
  }
}
