/// A generator of random numbers from a seed (SplitMix64). This code defines every bit of the draws. So a seed gives
/// the same simulation on every machine and with every compiler.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Equal seeds give equal numbers.
  public init(seed: UInt64) { state = seed }

  /// Creates a generator for one part of a simulation, independent of the draws for other parts.
  init(seed: UInt64, part: UInt64...) {
    state = seed
    for number in part { state = next() ^ (number &* 0xD6E8_FEB8_6659_FD93) }
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a random integer in a range that is not empty.
  mutating func number(in range: Range<Int64>) -> Int64 {
    let width = UInt64(range.upperBound - range.lowerBound)
    return range.lowerBound + Int64(next().multipliedFullWidth(by: width).high)
  }

  /// Returns true with the given probability, from 0 to 1.
  mutating func happens(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }

  /// Returns a random element, each equally likely; `nil` for an empty list.
  mutating func pick<Element>(_ list: [Element]) -> Element? {
    list.isEmpty ? nil : list[Int(number(in: 0..<Int64(list.count)))]
  }

  /// Returns a random UUID in lower case, as Apple writes it.
  mutating func uuid() -> String {
    let (high, low) = (next() & ~0xF000 | 0x4000, next() & ~(3 << 62) | 2 << 62)
    var text = [UInt8]()
    text.reserveCapacity(36)
    for digitIndex in 0..<32 {
      if digitIndex == 8 || digitIndex == 12 || digitIndex == 16 || digitIndex == 20 { text.append(UInt8(ascii: "-")) }
      let word = digitIndex < 16 ? high : low
      let digit = UInt8(word >> UInt64(60 - digitIndex % 16 * 4) & 15)
      text.append(digit < 10 ? 48 + digit : 87 + digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
