public import AppStore
internal import GRDB
internal import LedgerSchema

/// What became of a table of proceeds terms.
public enum ProceedsTermOutcome: Sendable, Equatable {
  /// The table is recorded. So many of its statements were new, changed or removed.
  case recorded(Int)
  /// Nothing is recorded, because a storefront is not a country code of the App Store.
  case unknownStorefront(String)
}

extension LedgerRecorder {
  /// Records statements about tax and commission completely or not at all. One that equals the valid one is not recorded
  /// again.
  /// - Parameters:
  ///   - terms: the statements. Each holds from its day until the next day with one of the same kind, storefront and app.
  ///   - isWhole: whether they are the whole table: then every other statement is removed, also those of the program.
  ///   - origin: the source of the table, a path.
  ///   - now: the instant of recording.
  /// - Throws: ``LedgerError``.
  public func record(_ terms: [ProceedsTerm], isWhole: Bool, origin: String, now: Instant) throws -> ProceedsTermOutcome
  {
    try record { transaction in
      for storefront in Set(terms.compactMap(\.storefront)).sorted()
      where try transaction.row("SELECT 1 FROM main.country_code WHERE alpha_3 = ?", [storefront]) == nil {
        return .unknownStorefront(storefront)
      }
      var recorder = Recorder(transaction)
      let origin = try recorder.originID(origin)
      var count = 0
      for term in terms + (isWhole ? try removals(of: terms, transaction) : []) {
        let isNew = try transaction.recordEntry(
          in: "proceeds_term_entry",
          about: [
            "term": term.kind.rawValue, "country": term.storefront, "bundle_id": term.bundleID,
            "day_at": term.day.milliseconds,
          ], stating: ["rate": term.rate, "source": term.source], originID: origin, now: now)
        if isNew { count += 1 }
      }
      return .recorded(count)
    }
  }

  /// Returns the removal of every statement that a whole table does not have.
  private func removals(of terms: [ProceedsTerm], _ transaction: EvidenceTransaction) throws -> [ProceedsTerm] {
    let rows = try transaction.rows(
      """
      SELECT term, country, bundle_id, day_at AS begins_at, NULL AS rate, NULL AS source FROM main.proceeds_term_entry
      UNION SELECT term, country, NULL, begins_at, NULL, NULL FROM main.int_default_proceeds_term ORDER BY 1, 2, 3, 4
      """)
    let stated = Set(terms.map(\.removal))
    return rows.compactMap { ProceedsTerm($0) }.filter { !stated.contains($0) }
  }
}

extension ProceedsTerm {
  /// The statement that removes this one.
  fileprivate var removal: ProceedsTerm {
    ProceedsTerm(kind, storefront: storefront, bundleID: bundleID, day: day, rate: nil, source: nil)
  }
}
