import AppStore
import Ledger

/// A reconciliation in one sentence for people.
extension Messages {
  /// Returns what agrees and what does not, such as `2026-10-01 to 2026-10-31: 12431 of 12440 payments agree; 6 day, 2
  /// not received, 1 unexplained.`
  package static func summary(of result: Reconciliation) -> String {
    let days = [result.request.firstDay, result.request.lastDay].map(\.date)
    let period = days[0] == days[1] ? days[0] : days.joined(separator: " to ")
    let parts = Agreement.allCases.compactMap { agreement -> String? in
      let rows = result.rows.filter { $0.agreement == agreement }
      guard !rows.isEmpty else { return nil }
      let (agreed, all) = (rows.reduce(0) { $0 + $1.agreed }, rows.reduce(0) { $0 + max($1.apple, $1.ledger) })
      return "\(agreed) of \(all) \(name(of: agreement))"
    }
    guard !parts.isEmpty else { return "\(period): there is nothing to compare." }
    let differences = DifferenceClass.allCases.compactMap { one -> String? in
      let count = result.rows.reduce(0) { $0 + ($1.differences[one] ?? 0) }
      return count == 0 ? nil : "\(count) \(name(of: one))"
    }
    let rest = differences.isEmpty ? "" : "; " + differences.joined(separator: ", ")
    return "\(period): \(parts.joined(separator: ", ")) agree\(rest)."
  }

  /// Returns the name of an agreement for people: `analytics states`.
  package static func name(of agreement: Agreement) -> String { agreement.rawValue.replacing("_", with: " ") }

  /// Returns the name of a class for people: `not received`.
  package static func name(of one: DifferenceClass) -> String { one.shortName.replacing("_", with: " ") }

  /// Returns why the units of a class differ.
  package static func cause(of one: DifferenceClass) -> String {
    switch one {
    case .reportMissing: "no report of the day is imported"
    case .notMapped: "the product number or the country leads to no product"
    case .day: "Apple counts it on another day"
    case .settlement: "Apple settled it in the month before or after"
    case .learnedLater: "Apple reversed the refund later"
    case .environment: "the ledger has it in another environment"
    case .definition: "Apple counts the event as another kind"
    case .price: "at another price, or without one"
    case .terms: "the proceeds are not those of the terms"
    case .notReceived: "the ledger has no such purchase"
    case .notReported: "nothing signed states it, and Apple does not report it"
    case .unexplained: "none of these"
    }
  }

  /// Returns what to do about the units of a class.
  package static func advice(for one: DifferenceClass) -> String {
    switch one {
    case .reportMissing: "import it"
    case .notMapped: "import Summary Sales"
    case .day, .settlement, .learnedLater: "nothing to do"
    case .environment: "look why"
    case .definition: "import the history"
    case .price: "import the signed history"
    case .terms: "import the right terms"
    case .notReceived: "ask Apple for the history"
    case .notReported: "run an audit"
    case .unexplained: "report it to us"
    }
  }

  /// Returns what an agreement counts.
  package static func definition(of agreement: Agreement) -> String {
    switch agreement {
    case .payments: "Paid periods of subscriptions (report Subscriber)."
    case .refunds: "Refunds of subscriptions (report Subscriber)."
    case .sales: "Paid periods and one-time purchases (report Summary Sales)."
    case .returns: "Complete refunds (report Summary Sales)."
    case .states: "Subscriptions in a state at the end of a day (report Subscription)."
    case .events: "What happened to subscriptions (report Subscription Event)."
    case .proceeds: "Units whose proceeds are those of the terms (report Summary Sales)."
    case .analyticsStates: "Subscriptions in a state at the end of a day (analytics, Subscription State)."
    case .analyticsEvents: "What happened to subscriptions (analytics, Subscription Event)."
    case .finance: "Units sold and returned in fiscal months (financial reports)."
    }
  }
}
