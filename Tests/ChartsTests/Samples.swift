import Charts

/// Charts as the ledger makes them, and as nobody should; the same on every machine. Tests and `browser` look at them all.
enum Samples {
  static let all: [(name: String, chart: Chart)] = usual + retention + edges + [("hostile", hostile)]

  static let usual: [(name: String, chart: Chart)] = [
    (
      "active",
      Chart(
        title: "Active subscriptions",
        subtitle: "Subscription lines that have access at the end of the period, trials and grace periods included.",
        kind: .line, unit: .count("subscriptions"), periods: months(18, isLastComplete: false),
        series: [Chart.Series("Active", wave(18, from: 1_180, to: 4_870, swing: 260))],
        notes: [
          "Lines shared by a family count once, for whoever bought them.",
          "Purchases before 2025-03 that Apple has not told of are not in the ledger.",
        ])
    ),
    (
      "active-by-product",
      Chart(
        title: "Active subscriptions by product", subtitle: "At the end of each month, by what was last paid for.",
        kind: .line, unit: .count("subscriptions"), periods: months(18, isLastComplete: false),
        series: [
          Chart.Series("Monthly", wave(18, from: 700, to: 2_100, swing: 200)),
          Chart.Series("Yearly", wave(18, from: 300, to: 1_900, swing: 40)),
          Chart.Series(
            "Family, yearly, introductory price of spring 2025", gap(wave(18, from: 80, to: 640, swing: 70))),
          Chart.Series("Weekly", wave(18, from: 410, to: 120, swing: 60)),
        ])
    ),
    (
      "movements",
      Chart(
        title: "Subscriptions won and lost", subtitle: "Lines that gained or lost access in the period.",
        kind: .stacked, unit: .count("subscriptions"), periods: months(12, isLastComplete: false),
        series: [
          Chart.Series("New", whole(wave(12, from: 320, to: 520, swing: 90))),
          Chart.Series("Returned", whole(wave(12, from: 40, to: 90, swing: 30))),
          Chart.Series("Ended", whole(wave(12, from: -180, to: -320, swing: 60))),
          Chart.Series("Refunded", whole(wave(12, from: -12, to: -30, swing: 10))),
        ])
    ),
    (
      "trials",
      Chart(
        title: "Trials begun and converted", kind: .bar, unit: .count("trials"),
        periods: months(9, isLastComplete: false),
        series: [
          Chart.Series("Begun", whole(wave(9, from: 410, to: 620, swing: 120))),
          Chart.Series("Converted", whole(wave(9, from: 130, to: 260, swing: 60))),
        ])
    ),
    (
      "net",
      Chart(
        title: "Net change", kind: .bar, unit: .count("subscriptions"), periods: months(24),
        series: [Chart.Series("Net", gap(whole(wave(24, from: 220, to: -90, swing: 150))))])
    ),
    (
      "revenue",
      Chart(
        title: "Proceeds by product",
        subtitle: "What customers paid, less refunds, in the storefront's currency, before Apple's commission.",
        kind: .stacked, unit: .money(currency: "EUR"), periods: months(24, isLastComplete: false),
        series: [
          Chart.Series("Monthly", wave(24, from: 5_400, to: 12_900, swing: 900)),
          Chart.Series("Yearly", wave(24, from: 2_400, to: 18_000, swing: 2_500)),
          Chart.Series("Weekly", wave(24, from: 1_900, to: 400, swing: 300)),
          Chart.Series("Family", wave(24, from: 300, to: 3_100, swing: 200)),
          Chart.Series("Refunds", wave(24, from: -300, to: -1_100, swing: 120)),
        ], notes: ["Amounts in other currencies are left out: 3 purchases."])
    ),
    (
      "churn",
      Chart(
        title: "Churn", subtitle: "Of the lines active when the month began, the share that ended in it.",
        kind: .line, unit: .percent, periods: months(18, isLastComplete: false),
        series: [
          Chart.Series("Wanted", wave(18, from: 0.062, to: 0.041, swing: 0.012)),
          Chart.Series("Unpaid", wave(18, from: 0.021, to: 0.028, swing: 0.006)),
        ])
    ),
  ]

  static let retention: [(name: String, chart: Chart)] = [
    ("retention", cohorts(13, unit: .percent)), ("retention-counts", cohorts(36, unit: .count("subscriptions"))),
  ]

  static let edges: [(name: String, chart: Chart)] = [
    (
      "daily",
      Chart(
        title: "Active subscriptions, by day", kind: .line, unit: .count("subscriptions"), periods: days(1_100),
        series: [
          Chart.Series("Monthly", gap(wave(1_100, from: 800, to: 2_400, swing: 90))),
          Chart.Series("Yearly", wave(1_100, from: 100, to: 1_700, swing: 50)),
        ])
    ),
    (
      "daily-stack",
      Chart(
        title: "Events by day", kind: .stacked, unit: .count("events"), periods: days(1_100),
        series: (1...12).map { number in
          Chart.Series("Kind \(number)", gap(wave(1_100, from: 30, to: Double(number * 9), swing: 12)))
        })
    ),
    (
      "daily-bars",
      Chart(
        title: "Net by day", kind: .bar, unit: .money(currency: "JPY", decimals: 0), periods: days(1_100),
        series: [Chart.Series("Net", gap(wave(1_100, from: -4_000, to: 9_000, swing: 5_000)))])
    ),
    (
      "weeks",
      Chart(
        title: "New subscriptions by day", kind: .bar, unit: .count("subscriptions"), periods: days(45),
        series: [Chart.Series("New", whole(wave(45, from: 20, to: 60, swing: 25)))])
    ),
    ("empty", Chart(title: "Nothing yet", kind: .line, unit: .percent, periods: months(6), series: [])),
    (
      "nothing-known",
      Chart(
        title: "Unknown throughout", kind: .stacked, unit: .days, periods: months(3),
        series: [Chart.Series("Unknown", [nil, nil, nil])], notes: ["No payload arrived before 2025-06."])
    ),
    (
      "one-point",
      Chart(
        title: "One point", kind: .line, unit: .days, periods: months(1),
        series: [Chart.Series("Length of trial", [6.5])])
    ),
    (
      "zeros",
      Chart(
        title: "All zeros", kind: .bar, unit: .count("refunds"), periods: months(6),
        series: [Chart.Series("Refunds", [0, 0, nil, 0, 0, 0]), Chart.Series("Reversed", [0, 0, 0, 0, nil, 0])])
    ),
    (
      "huge",
      Chart(
        title: "Huge", kind: .line, unit: .money(currency: "VND", decimals: 0), periods: months(8),
        series: [
          Chart.Series("Proceeds", [1e12, 1.2e12, 1.1e12, .infinity, .nan, 1e300, 1.7e12, -2e11])
        ])
    ),
    (
      "many-lines",
      Chart(
        title: "More series than colours", kind: .line, unit: .number("months"), periods: months(10),
        series: (1...11).map { number in
          Chart.Series("Storefront \(number)", wave(10, from: 2, to: Double(number) * 1.5, swing: 0.4))
        })
    ),
  ]

  static let nasty =
    "<script>alert('x')</script> \"&amp;\" ]]> \u{0}\u{8}\u{1B}[31m \u{202E}desrever\u{202C} \u{FFFE} 👩‍👩‍👧‍👦 "

  static let hostile = Chart(
    title: nasty + String(repeating: "endless ", count: 60), subtitle: nasty + String(repeating: "W", count: 400),
    kind: .line, unit: .count(nasty), periods: (0..<14).map { Chart.Period(nasty + "\($0)", isComplete: $0 < 12) },
    series: [
      Chart.Series(nasty, wave(14, from: 1, to: 9, swing: 3)),
      Chart.Series(String(repeating: "👨‍👩‍👧‍👦", count: 40), wave(14, from: 3, to: 5, swing: 2)),
      Chart.Series("اشتراك شهري مع تجربة مجانية لمدة أسبوع واحد", wave(14, from: 5, to: 3, swing: 2)),
      Chart.Series("Z̴̨̛̛̘̰̻̭͎͓̏̀̾̊̌͑a̷̡̧̛̠̪̩̖̔̂̈́̆̈́l̶̢̧̛̝̱̪̾̽̋̈́̽g̵̢̛̝̱̪̾̽̋̈́o", wave(14, from: 2, to: 6, swing: 1)),
      Chart.Series("毎月のサブスクリプション、家族で共有、無料トライアル付き", wave(14, from: 6, to: 7, swing: 1)),
    ], notes: [nasty, String(repeating: "unbroken", count: 90)])

  static let page = ChartPage(
    title: "Subscriptions, March 2025 to August 2026",
    subtitle: "Example data, as of 2026-08-14, as known at 2026-08-14 09:00:00Z.",
    sections: all.map { _, chart in
      ChartPage.Section(
        chart: chart, columns: ["period"] + chart.series.map(\.name),
        rows: chart.periods.enumerated().map { index, period in
          [period.label] + chart.series.map { $0.values[index].map(chart.unit.text) ?? "" }
        })
    }, notes: ["Only production purchases count."])
}

extension Samples {
  static func months(_ count: Int, isLastComplete: Bool = true) -> [Chart.Period] {
    (0..<count).map { index in
      let (year, month) = (2025 + (index + 2) / 12, (index + 2) % 12 + 1)
      return Chart.Period(
        "\(year)-" + (month < 10 ? "0" : "") + "\(month)", isComplete: isLastComplete || index < count - 1)
    }
  }

  /// Days from 2023-01-15; the last is incomplete.
  static func days(_ count: Int) -> [Chart.Period] {
    var (year, month, day) = (2023, 1, 15)
    return (0..<count).map { index in
      let label = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
      let length = month == 2 ? (year % 4 == 0 ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
      (day, month) = day == length ? (1, month + 1) : (day + 1, month)
      if month == 13 { (month, year) = (1, year + 1) }
      return Chart.Period(label, isComplete: index < count - 1)
    }
  }

  /// A way from one value to another, unsteady as figures are.
  static func wave(_ count: Int, from start: Double, to end: Double, swing: Double) -> [Double?] {
    var state: UInt32 = 7 &+ UInt32(start.magnitude) &* 31 &+ UInt32(end.magnitude)
    return (0..<count).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = Double(state >> 8) / Double(1 << 24) - 0.5
      return start + (end - start) * Double(index) / Double(max(1, count - 1)) + noise * swing
    }
  }

  static func whole(_ values: [Double?]) -> [Double?] { values.map { $0?.rounded() } }

  /// No figures in the second third's beginning, and a lone one among them.
  static func gap(_ values: [Double?]) -> [Double?] {
    let third = values.count / 3
    return values.enumerated().map { index, value in [third, third + 1, third + 3].contains(index) ? nil : value }
  }

  static func cohorts(_ count: Int, unit: Chart.Unit) -> Chart {
    let names = months(count).map(\.label)
    return Chart(
      title: "Retention by month of first purchase",
      subtitle: "Of the lines first bought in a month, those that still have access so many months later.",
      kind: .retention, unit: unit, periods: (0..<count).map { Chart.Period("\($0)") },
      axis: "months after the first purchase",
      series: names.enumerated().map { row, name in
        let size = 240 + row * 37 % 190
        let values = (0..<count).map { step -> Double? in
          guard row + step < count else { return nil }
          let share = step == 0 ? 1 : 0.28 + 0.66 / (1 + Double(step) * (0.16 + Double(row % 4) * 0.03))
          return unit == .percent ? share : (share * Double(size)).rounded()
        }
        return Chart.Series(name, values, size: size, incomplete: [count - 1 - row])
      }, notes: ["A cohort's last step is incomplete: not everyone has lived through it."])
  }
}
