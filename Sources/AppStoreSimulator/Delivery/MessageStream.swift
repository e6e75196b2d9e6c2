public import AppStore
import Foundation

/// A message as it reaches the app's server.
public struct DeliveredMessage: Sendable {
  /// The format of the message.
  public let format: Format
  /// The instant of the arrival.
  public let receivedAt: Instant
  /// The JSON that arrived, UTF-8, cut short where the delivery tore it.
  public let payload: [UInt8]

  /// Creates a message that arrived.
  public init(format: Format, receivedAt: Instant, payload: [UInt8]) {
    (self.format, self.receivedAt, self.payload) = (format, receivedAt, payload)
  }

  /// The message as a line of an archive with its newline, UTF-8: `{"receivedAt": …, "payload": …}`.
  public var line: [UInt8] {
    Array("{\"receivedAt\":\"\(receivedAt)\",\"payload\":".utf8) + payload + Array("}\n".utf8)
  }
}

/// All messages of a simulation in the order of arrival, in constant memory. It simulates every customer once, to find
/// the order. It simulates customers again, as far as needed, to write each message.
public struct MessageStream: Sendable {
  let simulation: Simulation
  let formats: [Format]
  let delivery: Delivery
  let signer: Signer?
  /// The customers of whom messages arrive.
  private let customers: Range<Int>
  /// The number of stamps that stay in memory before they go to files.
  package var stampLimit = 1 << 19

  /// Creates the stream of a simulation's messages.
  /// - Parameters:
  ///   - simulation: the simulation.
  ///   - formats: the formats of the messages.
  ///   - delivery: how the messages arrive.
  ///   - signer: the signer; only unsigned formats work without one. It signs `latest_receipt` only where app receipts are
  ///     among the formats, because a signature with RSA takes longer than the rest of a message.
  public init(simulation: Simulation, formats: [Format], delivery: Delivery = Delivery(), signer: Signer?) {
    (self.simulation, self.formats, self.delivery) = (simulation, formats, delivery)
    customers = 0..<simulation.customers
    self.signer = formats.contains(.appReceipt) ? signer : signer?.withoutReceipts
  }

  /// Creates the stream of customers whose messages name the sandbox, although a report counts them.
  /// - Returns: `nil` if the reports have no such customers.
  public init?(sandboxOf reports: SimulatedReports, like stream: MessageStream) {
    guard !reports.sandboxCustomers.isEmpty else { return nil }
    simulation = stream.simulation.inSandbox
    (formats, delivery, signer) = (stream.formats, stream.delivery, stream.signer)
    customers = reports.sandboxCustomers
  }

  /// The error that stops the simulation of a customer when no more of it is needed.
  private struct Enough: Error {}

  private static let chunk = 256

  /// Sends all messages, one after the other.
  /// - Parameters:
  ///   - onProgress: called from time to time, with the number of sent messages and of all messages.
  ///   - deliver: receives each message.
  /// - Throws: ``ActionError`` where the scenario does not fit the catalogue; errors of temporary files; errors of
  ///   `deliver`.
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
          // A copy has the same bytes, signature included.
          let whole = stamp.copies > 1 ? try copies.text(of: stamp, else: text.payload) : text.payload
          let payload = stamp.isTorn ? Array(whole.prefix(whole.count * 2 / 3)) : whole
          try deliver(DeliveredMessage(format: text.format, receivedAt: stamp.at, payload: payload))
        }
        done += chunk.count
        onProgress(done, sorter.count)
      }
    }
  }

  /// Simulates every customer once, and returns which message arrives when.
  private func order() throws -> StampSorter {
    let sorter = StampSorter(
      from: simulation.from, to: simulation.to, isShuffled: delivery.isShuffled, limit: stampLimit)
    var shuffle = SeededGenerator(seed: simulation.seed, part: 0x5AFF)
    for customer in customers {
      var stamps: [Stamp] = []
      try emit(customer) { _, message, number in
        let arrivals = delivery.arrivals(
          of: message, rate: simulation.rate, seed: simulation.seed, customer: customer, number: number)
        for (copy, arrival) in arrivals.enumerated() {
          // What is still on its way at the end arrives at the end.
          let at = min(arrival.at, simulation.to)
          stamps.append(
            Stamp(
              key: delivery.isShuffled ? shuffle.next() : UInt64(max(0, at.milliseconds)), at: at,
              customer: UInt32(customer), number: UInt32(number), copy: UInt8(copy), copies: UInt8(arrivals.count),
              isTorn: arrival.isTorn))
        }
      }
      for stamp in stamps { try sorter.add(stamp) }
    }
    return sorter
  }

  /// Simulates one customer, and calls `body` with each message and its number.
  private func emit(
    _ customer: Int, _ body: @escaping (SimulatedStore, Message, Int) throws -> Void
  ) throws {
    var reporter = MessageComposer(formats: formats)
    var number = 0
    let store = try simulation.live(customer) { store, storeEvents in
      for message in reporter.messages(about: storeEvents, in: store) {
        try body(store, message, number)
        number += 1
      }
    }
    for message in reporter.lastMessages(in: store) {
      try body(store, message, number)
      number += 1
    }
  }

  /// Returns the texts of messages, written on all cores.
  private func texts(_ stamps: [Stamp]) throws -> [(format: Format, payload: [UInt8])] {
    var results = [Result<(format: Format, payload: [UInt8]), any Error>?](repeating: nil, count: stamps.count)
    results.withUnsafeMutableBufferPointer { buffer in
      // Only one thread writes each element.
      nonisolated(unsafe) let buffer = buffer
      DispatchQueue.concurrentPerform(iterations: stamps.count) { index in
        buffer[index] = Result { try text(stamps[index]) }
      }
    }
    return try results.compactMap { try $0?.get() }
  }

  /// Simulates a customer again up to one message, and returns the text of that message.
  private func text(_ stamp: Stamp) throws -> (format: Format, payload: [UInt8]) {
    var found: (format: Format, payload: [UInt8])?
    do {
      try emit(Int(stamp.customer)) { store, message, number in
        guard number == stamp.number else { return }
        found = (message.format, try message.text(in: store, signer: signer))
        throw Enough()
      }
    } catch is Enough {}
    guard let found else { preconditionFailure("a customer's second simulation differs from the first") }
    return found
  }
}
