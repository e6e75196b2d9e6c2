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
      return "\(agreed) of \(all) \(agreement.rawValue)"
    }
    guard !parts.isEmpty else { return "\(period): there is nothing to compare." }
    let differences = DifferenceClass.allCases.compactMap { one -> String? in
      let count = result.rows.reduce(0) { $0 + ($1.differences[one] ?? 0) }
      return count == 0 ? nil : "\(count) \(one.shortName.replacing("_", with: " "))"
    }
    let rest = differences.isEmpty ? "" : "; " + differences.joined(separator: ", ")
    return "\(period): \(parts.joined(separator: ", ")) agree\(rest)."
  }
}
