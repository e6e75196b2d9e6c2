/// Currencies, by their ISO 4217 codes.
public enum Currency {
  /// Returns how many decimals a currency has (ISO 4217): two, except for some.
  public static func decimals(of code: String) -> Int {
    switch code {
    case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF":
      0
    case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
    default: 2
    }
  }

  /// Returns the smallest amount of a currency, in milliunits: 10 for two decimals.
  static func minorUnit(of code: String?) -> Int64 { [1000, 100, 10, 1][code.map(decimals) ?? 2] }

  /// Returns an amount as a decimal number, such as `9.99`, with all of its decimals, and no fewer than
  /// the currency has.
  public static func exact(_ amount: Milliunits, of code: String?) -> String {
    number(amount.rawValue.magnitude, isNegative: amount < 0, decimals: code.map(decimals) ?? 2, most: 3)
  }

  /// Returns an amount as a decimal number with the decimals of its currency. Halves are rounded away from
  /// zero.
  public static func rounded(_ amount: Milliunits, of code: String?) -> String {
    let decimals = code.map(decimals) ?? 2
    let step = UInt64(minorUnit(of: code))
    let magnitude = (amount.rawValue.magnitude + step / 2) / step * step
    return number(magnitude, isNegative: amount < 0 && magnitude > 0, decimals: decimals, most: decimals)
  }

  /// Returns thousandths as a decimal number, with no fewer decimals than `decimals` and no more than `most`.
  static func number(_ milliunits: UInt64, isNegative: Bool, decimals: Int, most: Int) -> String {
    let digits = String(milliunits)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    var fraction = padded.suffix(3)
    while fraction.count > most || fraction.count > decimals && fraction.last == "0" { fraction.removeLast() }
    return (isNegative ? "-" : "") + padded.dropLast(3) + (fraction.isEmpty ? "" : "." + fraction)
  }
}
