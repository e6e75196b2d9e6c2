import AppStore
import Ledger

extension LatestReads {
  /// A JSON object: how often somebody read, and the latest times.
  package var json: String {
    JSONText.nested([
      ("count", String(count)),
      (
        "latest",
        JSONText.array(
          latest.map {
            JSONText.object([
              "entered_at": .instant($0.enteredAt),
              "program": .text($0.program),
              "author": .text($0.author),
              "reason": Value($0.reason),
            ])
          })
      ),
    ])
  }
}

extension Messages {
  /// Returns an operation as words: `show customer` for `showCustomer`.
  package static func operation(_ name: String) -> String {
    Printable.text(name.replacing(/[A-Z]/) { " " + $0.0.lowercased() })
  }

  /// Returns who read last, for each of the latest times: `2026-03-01 10:00:00Z by mia (subledger), ticket 7`.
  package static func reads(_ reads: LatestReads, of id: String) -> [String] {
    let rows = reads.latest.map { entry in
      instant(entry.enteredAt) + " by \(Printable.text(entry.author)) (\(entry.program))"
        + (entry.reason.map { ": \(Printable.text($0))" } ?? "")
    }
    return reads.count > rows.count
      ? rows + ["… and \(reads.count - rows.count) before: subledger access-log \(Printable.text(id))"] : rows
  }
}
