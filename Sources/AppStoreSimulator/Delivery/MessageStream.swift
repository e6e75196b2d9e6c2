public import AppStore
import Foundation

/// A message as it reaches the app's server.
public struct DeliveredMessage: Sendable {
  /// In which way it was said.
  public let format: Format
  /// When it arrived.
  public let receivedAt: Instant
  /// What arrived: Apple's JSON, cut short where it was torn.
  public let payload: [UInt8]

  /// A message as it arrived.
  public init(format: Format, receivedAt: Instant, payload: [UInt8]) {
    (self.format, self.receivedAt, self.payload) = (format, receivedAt, payload)
  }

  /// A line of an archive: `{"receivedAt": …, "payload": …}`, with a newline.
  public var line: [UInt8] {
    Array("{\"receivedAt\":\"\(receivedAt)\",\"payload\":".utf8) + payload + Array("}\n".utf8)
  }
}

/// Everything that is said in a world, in the order in which it arrives, in flat memory: lives are lived once to find out
/// when, and again, as far as needed, to say it.
public struct MessageStream: Sendable {
  let world: Simulation
  let formats: [Format]
  let delivery: Delivery
  let signer: Signer?
  /// So many stamps are kept in memory before they go to files.
  package var stampLimit = 1 << 19

  /// - Parameter signer: needed where a format is signed.
  public init(world: Simulation, formats: [Format], delivery: Delivery = Delivery(), signer: Signer?) {
    (self.world, self.formats, self.delivery, self.signer) = (world, formats, delivery, signer)
  }

  /// The life was lived as far as it was needed.
  private struct Enough: Error {}

  private static let chunk = 256

  /// Hands everything over, one after the other.
  /// - Parameter onProgress: called now and then with how many messages were handed over, and of how many.
  /// - Throws: ``ActionError`` where a scenario cannot be played; errors of writing to temporary files; what `deliver`
  ///   throws.
  public func send(
    onProgress: (_ done: Int, _ of: Int) -> Void = { _, _ in }, to deliver: (DeliveredMessage) throws -> Void
  ) throws {
    let sorter = try order()
    var copies = try CopyStore()
    var done = 0
    try sorter.forEach { stamps in
      for start in stride(from: 0, to: stamps.count, by: Self.chunk) {
        let chunk = Array(stamps[start..<min(start + Self.chunk, stamps.count)])
        for (stamp, text) in zip(chunk, try texts(chunk)) {
          // A copy is the same text to the last byte, signature included.
          let whole = stamp.copies > 1 ? try copies.text(of: stamp, else: text.payload) : text.payload
          let payload = stamp.isTorn ? Array(whole.prefix(whole.count * 2 / 3)) : whole
          try deliver(DeliveredMessage(format: text.format, receivedAt: stamp.at, payload: payload))
        }
        done += chunk.count
        onProgress(done, sorter.count)
      }
    }
  }

  /// Lives all lives once, and notes which message arrives when.
  private func order() throws -> StampSorter {
    // What is late may arrive a week after the world's end.
    let sorter = StampSorter(
      from: world.from, to: world.to + world.rate.days(8), isShuffled: delivery.isShuffled, limit: stampLimit)
    var shuffle = SeededGenerator(seed: world.seed, part: 0x5AFF)
    for customer in 0..<world.customers {
      var stamps: [Stamp] = []
      try tell(customer) { _, message, number in
        let arrivals = delivery.arrivals(
          of: message, rate: world.rate, seed: world.seed, customer: customer, number: number)
        for (copy, arrival) in arrivals.enumerated() {
          stamps.append(
            Stamp(
              key: delivery.isShuffled ? shuffle.next() : UInt64(max(0, arrival.at.milliseconds)), at: arrival.at,
              customer: UInt32(customer), number: UInt32(number), copy: UInt8(copy), copies: UInt8(arrivals.count),
              isTorn: arrival.isTorn))
        }
      }
      for stamp in stamps { try sorter.add(stamp) }
    }
    return sorter
  }

  /// Lives a life, with every message and its number.
  private func tell(
    _ customer: Int, _ body: @escaping (SimulatedStore, Message, Int) throws -> Void
  ) throws {
    var reporter = MessageComposer(formats: formats)
    var number = 0
    let store = try world.live(customer) { store, happenings in
      for message in reporter.messages(about: happenings, in: store) {
        try body(store, message, number)
        number += 1
      }
    }
    for message in reporter.lastMessages(in: store) {
      try body(store, message, number)
      number += 1
    }
  }

  /// Writes messages on all cores.
  private func texts(_ stamps: [Stamp]) throws -> [(format: Format, payload: [UInt8])] {
    var results = [Result<(format: Format, payload: [UInt8]), any Error>?](repeating: nil, count: stamps.count)
    results.withUnsafeMutableBufferPointer { buffer in
      // Each place is written by one thread only.
      nonisolated(unsafe) let buffer = buffer
      DispatchQueue.concurrentPerform(iterations: stamps.count) { place in
        buffer[place] = Result { try text(stamps[place]) }
      }
    }
    return try results.compactMap { try $0?.get() }
  }

  /// Lives a life again, as far as one message, and writes that.
  private func text(_ stamp: Stamp) throws -> (format: Format, payload: [UInt8]) {
    var found: (format: Format, payload: [UInt8])?
    do {
      try tell(Int(stamp.customer)) { store, message, number in
        guard number == stamp.number else { return }
        found = (message.format, try message.text(in: store, signer: signer))
        throw Enough()
      }
    } catch is Enough {}
    guard let found else { preconditionFailure("a life was not the same when it was lived again") }
    return found
  }
}
