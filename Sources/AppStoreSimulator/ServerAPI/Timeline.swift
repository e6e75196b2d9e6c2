import AppStore
import HeapModule

/// What comes next in a local App Store, in the order of time.
struct Timeline: Sendable {
  /// What happens at an instant.
  enum Event: Hashable, Sendable {
    /// A customer acts, or the App Store does for the customer. The number is the customer's.
    case customer(Int)
    /// Apple asks for consumption information again. The number is the transaction's id.
    case consumptionRequest(Int64)
    /// Apple decides about a refund. The number is the transaction's id.
    case refundDecision(Int64)
    /// Apple extends all subscriptions to a product. The text is the request's identifier.
    case massExtension(String)
  }

  private struct Entry: Comparable, Sendable {
    let at: Instant
    let order: Int
    let event: Event

    static func < (one: Entry, other: Entry) -> Bool { (one.at, one.order) < (other.at, other.order) }
    static func == (one: Entry, other: Entry) -> Bool { (one.at, one.order) == (other.at, other.order) }
  }

  private var entries = Heap<Entry>()
  private var planned: [Event: Instant] = [:]
  private var count = 0

  /// The instant of the next event; `nil` where nothing is planned.
  var next: Instant? { entries.min?.at }

  /// Plans an event. It takes the place of an earlier plan for the same event.
  /// - Parameter instant: when it happens; `nil` for not at all.
  mutating func plan(_ event: Event, at instant: Instant?) {
    guard planned[event] != instant else { return }
    planned[event] = instant
    guard let instant else { return }
    count += 1
    entries.insert(Entry(at: instant, order: count, event: event))
  }

  /// Removes and returns the next event up to an instant; `nil` where none is due.
  mutating func takeNext(until limit: Instant) -> (at: Instant, event: Event)? {
    while let entry = entries.min, entry.at <= limit {
      entries.removeMin()
      guard planned[entry.event] == entry.at else { continue }
      planned[entry.event] = nil
      return (entry.at, entry.event)
    }
    return nil
  }
}
