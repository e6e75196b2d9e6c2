import AppStore
import Ledger

extension Looks {
  /// The looks as a JSON object: their number, and the latest ones.
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
  /// Returns who looked last, for each of the latest looks: `2026-03-01 10:00:00Z by mia (subledger), ticket 7`.
  package static func looks(_ looks: Looks, at id: String) -> [String] {
    let rows = looks.latest.map { look in
      instant(look.enteredAt) + " by \(Printable.text(look.author)) (\(look.program))"
        + (look.reason.map { ": \(Printable.text($0))" } ?? "")
    }
    return looks.count > rows.count
      ? rows + ["… and \(looks.count - rows.count) before: subledger access-log \(Printable.text(id))"] : rows
  }
}
