import Ledger

extension Erasure {
  /// What the erasure changed, and where ids remain, as members of a JSON object.
  package var members: AnswerJSON.Members {
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
          remainders.map { place in
            JSONText.nested([
              ("table", JSONText.string(place.table)), ("column", JSONText.string(place.column)),
              ("count", String(place.count)), ("rows", JSONText.array(place.rows.map(JSONText.string))),
            ])
          })
      ),
    ]
  }
}
