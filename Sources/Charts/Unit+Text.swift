extension Chart.Unit {
  /// Returns a value as text for tooltips and tables: "1,234", "12.5%", "−1,234.50 EUR", "3.5 days". The text does not
  /// depend on the locale.
  public func text(_ value: Double) -> String {
    switch self {
    case .count: grouped(value, decimals: value == value.rounded() ? 0 : 1)
    case .number: grouped(value, decimals: value == value.rounded() ? 0 : 2)
    case .percent: grouped(value * 100, decimals: isWhole(value * 100) ? 0 : 1) + "%"
    case .money(let currency, let decimals): grouped(value, decimals: decimals) + " " + clean(currency)
    case .days: grouped(value, decimals: isWhole(value) ? 0 : 1) + (value == 1 ? " day" : " days")
    }
  }

  /// The text above the vertical axis.
  var caption: String {
    switch self {
    case .count(let name), .number(let name): clean(name)
    case .percent: "percent"
    case .money(let currency, _): clean(currency)
    case .days: "days"
    }
  }

  /// Whether only whole numbers make sense, so that no tick is at a half.
  var isCounted: Bool {
    if case .count = self { true } else { false }
  }
}

/// Returns whether the first decimal would be a zero.
private func isWhole(_ value: Double) -> Bool { (value * 10).rounded() == value.rounded() * 10 }

/// Returns a number with commas between thousands, a true minus sign and a number of decimals: "−1,234.50".
func grouped(_ value: Double, decimals: Int = 0) -> String {
  let scale = powerOfTen(decimals)
  let scaled = (value.magnitude * scale).rounded()
  // Beyond this, the decimals of a Double are not exact, and an integer would overflow. NaN is not below it either.
  guard scaled < 9e15 else { return value.magnitude < 9e15 ? grouped(value) : "\(value)" }
  let digits = String(UInt64(scaled))
  let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
  var text = scaled > 0 && value < 0 ? "−" : ""
  let whole = padded.dropLast(decimals)
  for (index, digit) in whole.enumerated() {
    if index > 0 && (whole.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return decimals > 0 ? text + "." + padded.suffix(decimals) : text
}

/// Returns a power of ten, which is exact for exponents from 0 to 22.
func powerOfTen(_ exponent: Int) -> Double {
  var power = 1.0
  for _ in 0..<exponent.magnitude { power *= 10 }
  return exponent < 0 ? 1 / power : power
}
