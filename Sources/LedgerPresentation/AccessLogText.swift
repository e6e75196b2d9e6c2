import AppStore
import Ledger

extension AccessLogRow {
  /// The names of ``values``.
  package static let columns = [
    "entry_id", "recorded_at", "program", "author", "token_id", "operation", "is_look", "customer",
    "original_transaction_id", "as_of", "known_at", "reason", "result_count", "request_id",
  ]

  /// The values of the row, in the order of ``columns``.
  package var values: [Value] {
    [
      .integer(entryID), .instant(recordedAt), .text(program), .text(author), .optional(tokenID), .text(operation),
      .flag(isLook), .optional(customer), .optional(originalTransactionID), .optional(asOf), .optional(knownAt),
      .optional(reason), .integer(Int64(resultCount)), .text(requestID),
    ]
  }
}

extension CustomerMention {
  /// The names of ``values``.
  package static let columns = ["customer", "found_in", "text", "author", "recorded_at"]

  /// The values of the mention, in the order of ``columns``.
  package var values: [Value] {
    [.text(customer), .text(kind.rawValue), .text(text), .optional(author), .optional(recordedAt)]
  }
}

extension Looks {
  /// The looks as a JSON object: their number, and the latest ones.
  package var json: String {
    JSONText.nested([
      ("count", String(count)),
      (
        "latest",
        JSONText.array(
          latest.map {
            JSONText.object(
              ["recorded_at", "program", "author", "reason"],
              [.instant($0.recordedAt), .text($0.program), .text($0.author), .optional($0.reason)])
          })
      ),
    ])
  }
}

extension Messages {
  /// Returns who looked last, for each of the latest looks: `2026-03-01 10:00:00Z by mia (subledger), ticket 7`.
  package static func looks(_ looks: Looks, at id: String) -> [String] {
    let rows = looks.latest.map { look in
      instant(look.recordedAt) + " by \(Printable.text(look.author)) (\(look.program))"
        + (look.reason.map { ": \(Printable.text($0))" } ?? "")
    }
    return looks.count > rows.count
      ? rows + ["… and \(looks.count - rows.count) before: subledger access-log \(Printable.text(id))"] : rows
  }
}
