import Testing

@testable import LedgerReports

/// The shares of a retention: each row is the number of a payment, how many made it, and for how many it was due.
@Suite struct RetentionTests {
  typealias Row = (step: Int64, amount: Int64, due: Int64?)
  typealias Case = (name: String, rows: [Row], shares: [String])

  static let cases: [Case] = [
    ("all was due", [(0, 10, nil), (1, 8, 10), (2, 6, 8)], ["1.0 of 10", "0.8 of 10", "0.6 of 10"]),
    (
      "where a payment was due for some, only those count", [(0, 10, nil), (1, 4, 5), (2, 1, 2)],
      ["1.0 of 10", "0.8 of 10 so far", "0.4 of 10 so far"]
    ),
    (
      "what follows a payment that was due for some is not complete either", [(0, 10, nil), (1, 4, 8), (2, 2, 4)],
      ["1.0 of 10", "0.5 of 10 so far", "0.25 of 10 so far"]
    ),
    ("due for nobody", [(0, 10, nil), (1, 0, 0)], ["1.0 of 10", "- of 10 so far"]),
    ("nobody is left", [(0, 2, nil), (1, 0, 2), (3, 0, 0)], ["1.0 of 2", "0.0 of 2", "0.0 of 2"]),
    ("a payment that no figure names was due for nobody", [(0, 2, nil), (2, 1, 1)], ["1.0 of 2", "- of 2 so far"]),
    ("all first payments were refunded", [(0, 0, nil), (1, 0, 3)], ["- of 0", "- of 0"]),
  ]

  @Test(arguments: cases.indices) func `the share is of those who made every payment so far`(index: Int) {
    let one = Self.cases[index]
    // Two cohorts and two groups, so that none counts what belongs to another.
    let figures = [("a", 0), ("a", 1), ("b", 0)].flatMap { group, period in
      one.rows.map { row in
        ReportFigure(
          period: period, groups: [group], currency: nil, step: row.step, amount: row.amount, of: row.due)
      }
    }
    let shares = figures.withCohorts().map { figure in
      (figure.share.map { "\($0)" } ?? "-") + " of \(figure.cohort?.size ?? -1)"
        + (figure.cohort?.isEveryPaymentDue ?? false ? "" : " so far")
    }
    #expect(shares == one.shares + one.shares + one.shares, "\(one.name)")
  }
}
