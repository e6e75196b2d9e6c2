public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// An exchange rate and the time for which it is valid.
public struct ValidExchangeRate: Sendable, Equatable {
  /// The rate, from the first day for which it is valid.
  public var rate: ExchangeRate
  /// The first instant at which another rate is valid; `nil`: this is the last one.
  public var endsAt: Instant?
}

extension LedgerReader {
  /// Returns the exchange rates that were imported by the query's `knownAt`, those of the latest day first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func exchangeRates(_ parameters: QueryParameters) throws -> [ValidExchangeRate] {
    try lookUp("exchange_rate") { database in
      try parameters.write(to: database)
      return try database.rows(
        """
        SELECT begins_at, currency, into_currency, rate_numerator, rate_denominator, ends_at FROM temp.exchange_rate
        ORDER BY begins_at DESC, currency, into_currency
        """
      ).map { row in
        ValidExchangeRate(
          rate: ExchangeRate(
            day: Instant(milliseconds: row["begins_at"]), currency: row["currency"], into: row["into_currency"],
            numerator: row["rate_numerator"], denominator: row["rate_denominator"]),
          endsAt: row.instant("ends_at"))
      }
    }
  }

  /// Returns the pairs of currencies between which exchange rates are known, each once.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func exchangeRateCurrencies(_ parameters: QueryParameters) throws -> [(currency: String, into: String)] {
    try lookUp("exchange_rate") { database in
      try parameters.write(to: database)
      return try database.rows("SELECT DISTINCT currency, into_currency FROM temp.exchange_rate", [])
        .map { (currency: $0[0], into: $0[1]) }
    }
  }
}
