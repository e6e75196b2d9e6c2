import AppStore
import Testing

/// Amounts as text: with the decimals of their currency.
@Suite struct CurrencyTests {
  @Test(
    arguments: [
      (9990, "USD", "9.99", "9.99"), (9995, "USD", "9.995", "10.00"), (-9995, "USD", "-9.995", "-10.00"),
      (-4, "USD", "-0.004", "0.00"), (453_300_000, "KRW", "453300", "453300"), (500, "JPY", "0.5", "1"),
      (2_186_742, "BRL", "2186.742", "2186.74"), (1_234, "KWD", "1.234", "1.234"), (1_500, nil, "1.50", "1.50"),
      (Int64.min, "USD", "-9223372036854775.808", "-9223372036854775.81"),
    ] as [(Int64, String?, String, String)])
  func `a price keeps its decimals, and a sum has those of its currency`(
    milliunits: Int64, currency: String?, exact: String, rounded: String
  ) {
    #expect(Currency.exact(Milliunits(milliunits), of: currency) == exact)
    #expect(Currency.rounded(Milliunits(milliunits), of: currency) == rounded)
  }
}
