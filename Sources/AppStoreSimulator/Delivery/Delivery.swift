import AppStore

/// How messages reach the app's server: every one once and in order, or with the faults of the world.
public struct Delivery: Sendable, Equatable {
  /// The share that arrives late: when Apple tries again, hours or days later.
  public var late = 0.0
  /// The share that arrives twice.
  public var repeated = 0.0
  /// The share that never arrives.
  public var lost = 0.0
  /// The share that arrives cut short.
  public var torn = 0.0
  /// Whether they are handed over in no order at all.
  public var isShuffled = false

  /// Everything once and in order.
  public init() {}

  /// Reads what a user writes: `in-order`, `shuffled`, `late`, `repeated`, `lost`, `torn`, the last four with a share such
  /// as `lost=0.02` (5 in a hundred where none is given), several joined by commas.
  /// - Throws: ``DeliveryError``.
  public init(_ text: String) throws(DeliveryError) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1)
      let share = words.count == 2 ? Double(words[1]) : 0.05
      guard let share, (0...1).contains(share) else {
        throw DeliveryError(words: "\(part) needs a share between 0 and 1")
      }
      switch words.first {
      case "in-order" where words.count == 1: break
      case "shuffled" where words.count == 1: isShuffled = true
      case "late": late = share
      case "repeated": repeated = share
      case "lost": lost = share
      case "torn": torn = share
      default:
        throw DeliveryError(words: "\(part) is none of in-order, shuffled, late, repeated, lost and torn")
      }
    }
  }

  /// One arrival of a message.
  struct Arrival {
    let at: Instant
    let isTorn: Bool
  }

  /// When a message arrives, and how; the same whenever it is asked. Nothing for one that is lost.
  /// - Parameter number: which of the customer's messages it is, from 0.
  func arrivals(of message: Message, rate: RenewalRate, seed: UInt64, customer: Int, number: Int) -> [Arrival] {
    // The way to one customer's server is always as long, so that order is kept where nothing goes wrong.
    var distance = SeededGenerator(seed: seed, part: 0xD157, UInt64(customer))
    var at = message.at + distance.number(in: 40..<900)
    var random = SeededGenerator(seed: seed, part: 0xDE11, UInt64(customer), UInt64(number))
    let (isLate, isRepeated) = (random.happens(late), random.happens(repeated))
    let (isLost, isTorn) = (random.happens(lost), random.happens(torn))
    if isLost { return [] }
    if isLate { at = at + delay(message.format, rate, &random) }
    var arrivals = [Arrival(at: at, isTorn: isTorn)]
    if isRepeated {
      arrivals.append(Arrival(at: at + delay(message.format, rate, &random), isTorn: isTorn && random.happens(0.5)))
    }
    return arrivals
  }

  /// Apple tries again 1, 12, 24, 48 and 72 hours after the attempt before; with version 1 after 6, 24 and 48 (Apple,
  /// "Responding to App Store Server Notifications"). At other rates a day is as long as everywhere.
  private func delay(_ format: Format, _ rate: RenewalRate, _ random: inout SeededGenerator) -> Int64 {
    let hours: [Int64] = format == .notificationV1 ? [6, 30, 78] : [1, 13, 37, 85, 157]
    return (random.pick(hours) ?? 1) * rate.days(1) / 24 + random.number(in: 0..<1000)
  }
}

/// Why a way of delivery is none.
public struct DeliveryError: Error, Sendable, Equatable {
  /// What is wrong, without a full stop.
  public let words: String
}
