public import AppStore
internal import GRDB
internal import LedgerSchema

extension LedgerRecorder {
  /// Records exchange rates completely or not at all. A rate that equals the recorded one is not recorded again.
  /// - Parameters:
  ///   - rates: the rates. Each holds from its day until the next day with a rate.
  ///   - origin: the source of the rates, a path.
  ///   - now: the instant of recording.
  /// - Returns: the number of rates that were new or changed.
  /// - Throws: ``LedgerError``.
  public func record(_ rates: [ExchangeRate], origin: String, now: Instant) throws -> Int {
    try record { transaction in
      var recorder = Recorder(transaction)
      let origin = try recorder.originID(origin)
      var count = 0
      for rate in rates {
        let last = try transaction.row(
          """
          SELECT rate_numerator, rate_denominator, entered_at FROM exchange_rate_entry
          WHERE currency = ? AND into_currency = ? AND day_at = ? ORDER BY entry_id DESC LIMIT 1
          """, [rate.currency, rate.into, rate.day.milliseconds])
        if let last, last[0] == rate.numerator, last[1] == rate.denominator { continue }
        // An entry is never recorded before its predecessor, even if the clock went back.
        let at = max(now.milliseconds, last?[2] as Int64? ?? 0)
        try transaction.insert(
          "exchange_rate_entry",
          [
            "currency": rate.currency, "into_currency": rate.into, "day_at": rate.day.milliseconds,
            "rate_numerator": rate.numerator, "rate_denominator": rate.denominator, "entered_at": at,
            "origin_id": origin,
          ])
        count += 1
      }
      return count
    }
  }
}
