import Ledger

extension Erasure {
  /// What the erasure changed, and where ids remain, as members of a JSON object.
  package var members: JSONText.Members {
    [
      ("pseudonym", JSONText.string(pseudonym)), ("texts_rewritten", String(textCount)),
      (
        "changes",
        JSONText.array(
          changes.map { change in
            JSONText.nested([("table", JSONText.string(change.table)), ("count", String(change.count))])
          })
      ),
      (
        "remainders",
        JSONText.array(
          remainders.map { remainder in
            JSONText.nested([
              ("table", JSONText.string(remainder.table)), ("column", JSONText.string(remainder.column)),
              ("count", String(remainder.count)), ("rows", JSONText.array(remainder.rows.map(JSONText.string))),
            ])
          })
      ),
      ("is_log_empty", isLogEmpty ? "true" : "false"),
    ]
  }
}
