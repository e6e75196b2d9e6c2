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
        let isNew = try transaction.recordEntry(
          in: "exchange_rate_entry",
          about: ["currency": rate.currency, "into_currency": rate.into, "day_at": rate.day.milliseconds],
          stating: ["rate_numerator": rate.numerator, "rate_denominator": rate.denominator], originID: origin, now: now)
        if isNew { count += 1 }
      }
      return count
    }
  }
}
