/// The vertical axis. Its ends are round numbers, and it includes zero. Its steps are 1, 2 or 5 times a power of ten.
struct Scale: Equatable {
  struct Tick: Equatable {
    let value: Double
    let text: String
  }

  let lower: Double
  let upper: Double
  let ticks: [Tick]
  /// The word before the unit that multiplies the ticks' numbers: "millions".
  let magnitude: String?

  /// Creates a scale for the values between two bounds and zero, with about a given number of steps.
  init(from least: Double, to most: Double, unit: Chart.Unit, steps: Int) {
    let (low, high) = (min(0, least), max(0, most))
    let span = max(high - low, 1e-9)
    let (factor, exponent) =
      high - low < 1e-9 ? (1.0, 0) : Self.step(span / Double(max(1, steps)), isWhole: unit.isCounted)
    let step = Self.product(factor, exponent)
    // Doubles are binary, so a value can be slightly beyond its tick.
    let first = Int((low / step + 1e-9).rounded(.down))
    let last = max(Int((high / step - 1e-9).rounded(.up)), first + 1)
    let shift: Int
    (shift, magnitude) = Self.magnitude(of: max(high, -low), unit: unit)
    ticks = (first...last).map { multiple in
      let shown = Self.product(Double(multiple) * factor, exponent - shift)
      let text = grouped(shown, decimals: max(0, shift - exponent))
      return Tick(value: Self.product(Double(multiple) * factor, exponent), text: unit == .percent ? text + "%" : text)
    }
    lower = Self.product(Double(first) * factor, exponent)
    upper = Self.product(Double(last) * factor, exponent)
  }

  /// Returns the vertical position of a value, in pixels from the top of the drawing.
  func y(_ value: Double, top: Double, bottom: Double) -> Double {
    bottom - (value - lower) / (upper - lower) * (bottom - top)
  }

  /// Returns the smallest round step that is not below a number, as 1, 2 or 5 and a power of ten.
  private static func step(_ least: Double, isWhole: Bool) -> (Double, Int) {
    var exponent = isWhole ? 0 : -9
    while true {
      for factor in [1.0, 2, 5] where product(factor, exponent) >= least * (1 - 1e-9) { return (factor, exponent) }
      exponent += 1
    }
  }

  /// Returns a factor times a power of ten. It rounds only once, so that 3 × 0.1 is 0.3.
  private static func product(_ factor: Double, _ exponent: Int) -> Double {
    exponent < 0 ? factor / powerOfTen(-exponent) : factor * powerOfTen(exponent)
  }

  private static func magnitude(of largest: Double, unit: Chart.Unit) -> (shift: Int, words: String?) {
    if unit == .percent { return (-2, nil) }
    return switch largest {
    case 1e13...: (12, "trillions")
    case 1e10...: (9, "billions")
    case 1e7...: (6, "millions")
    default: (0, nil)
    }
  }
}
