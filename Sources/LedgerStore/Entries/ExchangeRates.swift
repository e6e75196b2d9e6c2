public import AppStore
internal import GRDB
internal import LedgerSchema

extension LedgerRecorder {
  /// Records exchange rates, whole or not at all. A rate that says what is known already is not recorded again.
  /// - Parameters:
  ///   - rates: each holds from its day until the next that is known.
  ///   - origin: where they came from: a path.
  ///   - now: when they are recorded.
  /// - Returns: how many of them were new, or other than was known.
  /// - Throws: ``LedgerError``.
  public func record(_ rates: [ExchangeRate], origin: String, now: Instant) throws -> Int {
    try record { transaction in
      var recorder = Recorder(transaction)
      let origin = try recorder.originID(origin)
      var count = 0
      for rate in rates {
        let last = try transaction.row(
          """
          SELECT rate_numerator, rate_denominator, recorded_at FROM exchange_rate_entry
          WHERE currency = ? AND into_currency = ? AND day_at = ? ORDER BY entry_id DESC LIMIT 1
          """, [rate.currency, rate.into, rate.day.milliseconds])
        if let last, last[0] == rate.numerator, last[1] == rate.denominator { continue }
        // Never before the entry that it follows, whatever the clock says.
        let at = max(now.milliseconds, last?[2] as Int64? ?? 0)
        try transaction.insert(
          "exchange_rate_entry",
          [nil, rate.currency, rate.into, rate.day.milliseconds, rate.numerator, rate.denominator, at, origin])
        count += 1
      }
      return count
    }
  }
}
