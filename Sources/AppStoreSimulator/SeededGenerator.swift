/// Random numbers from a seed: SplitMix64, whose draws are ours down to the bit, so that a seed makes the same world on
/// every machine and with every compiler.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator that will always draw the same.
  public init(seed: UInt64) { state = seed }

  /// A generator for one part of a world, which draws nothing that another part draws.
  init(seed: UInt64, part: UInt64...) {
    state = seed
    for number in part { state = next() ^ (number &* 0xD6E8_FEB8_6659_FD93) }
  }

  /// 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A whole number in a range that is not empty.
  mutating func number(in range: Range<Int64>) -> Int64 {
    let width = UInt64(range.upperBound - range.lowerBound)
    return range.lowerBound + Int64(next().multipliedFullWidth(by: width).high)
  }

  /// Whether something with this probability (0 to 1) happens.
  mutating func happens(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }

  /// One element, each as likely as the others; `nil` where there is none.
  mutating func pick<Element>(_ list: [Element]) -> Element? {
    list.isEmpty ? nil : list[Int(number(in: 0..<Int64(list.count)))]
  }

  /// A random UUID as Apple writes it: lower case.
  mutating func uuid() -> String {
    let (high, low) = (next() & ~0xF000 | 0x4000, next() & ~(3 << 62) | 2 << 62)
    var text = [UInt8]()
    text.reserveCapacity(36)
    for place in 0..<32 {
      if place == 8 || place == 12 || place == 16 || place == 20 { text.append(UInt8(ascii: "-")) }
      let word = place < 16 ? high : low
      let digit = UInt8(word >> UInt64(60 - place % 16 * 4) & 15)
      text.append(digit < 10 ? 48 + digit : 87 + digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
