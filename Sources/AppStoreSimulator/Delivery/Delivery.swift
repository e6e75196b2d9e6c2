import AppStore

/// The way in which messages reach the app's server: each once and in order, or with faults.
public struct Delivery: Sendable, Equatable {
  /// The share of messages that arrive hours or days late, when Apple tries again.
  public var late = 0.0
  /// The share of messages that arrive twice.
  public var repeated = 0.0
  /// The share of messages that never arrive.
  public var lost = 0.0
  /// The share of messages that arrive cut short.
  public var torn = 0.0
  /// Whether messages arrive in random order.
  public var isShuffled = false

  /// Creates a delivery without faults: every message once and in order.
  public init() {}

  /// Reads a delivery from a user's text: `in-order`, `shuffled`, `late`, `repeated`, `lost` or `torn`, or several
  /// joined by commas. The last four can have a share, such as `lost=0.02`. Without one, the share is 0.05.
  /// - Throws: ``DeliveryError`` for an unknown name, or for a share that is not between 0 and 1.
  public init(_ text: String) throws(DeliveryError) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1)
      let share = words.count == 2 ? Double(words[1]) : 0.05
      guard let share, (0...1).contains(share) else {
        throw DeliveryError(message: "\(part) needs a share between 0 and 1")
      }
      switch words.first {
      case "in-order" where words.count == 1: break
      case "shuffled" where words.count == 1: isShuffled = true
      case "late": late = share
      case "repeated": repeated = share
      case "lost": lost = share
      case "torn": torn = share
      default:
        throw DeliveryError(message: "\(part) is none of in-order, shuffled, late, repeated, lost and torn")
      }
    }
  }

  /// One arrival of a message, whole or cut short.
  struct Arrival {
    let at: Instant
    let isTorn: Bool
  }

  /// Returns the arrivals of a message; none for a lost message. Equal arguments give equal results.
  /// - Parameter number: the message's number among the customer's messages, from 0.
  func arrivals(of message: Message, rate: RenewalRate, seed: UInt64, customer: Int, number: Int) -> [Arrival] {
    // Every message to one customer's server takes equally long, so that order is kept where nothing goes wrong.
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

  /// Returns the random delay of a retry in milliseconds. Apple retries 1, 12, 24, 48 and 72 hours after the attempt
  /// before. Version 1 retries after 6, 24 and 48 hours (Apple, "Responding to App Store Server Notifications"). At
  /// other rates than real time, a simulated day has these 24 hours.
  private func delay(_ format: Format, _ rate: RenewalRate, _ random: inout SeededGenerator) -> Int64 {
    let hours: [Int64] = format == .notificationV1 ? [6, 30, 78] : [1, 13, 37, 85, 157]
    return (random.pick(hours) ?? 1) * rate.days(1) / 24 + random.number(in: 0..<1000)
  }
}

/// The reason why a text does not describe a delivery.
public struct DeliveryError: Error, Sendable, Equatable {
  /// The problem as English text, without a full stop.
  public let message: String
}
