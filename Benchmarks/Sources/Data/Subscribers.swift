import AppStore
import Foundation
import AppStoreSimulator

/// A generator of verifyReceipt responses about customers who keep paying.
struct Subscribers {
  /// The seed of the simulation. Each seed gives other customers.
  let seed: UInt64

  private static let customers = 1_000_000

  private func simulation(_ number: Int) throws -> Simulation {
    var rates = Rates()
    for rate in Rate.allCases { rates[rate] = 0 }
    return try Simulation(
      catalog: .builtIn(), seed: seed + UInt64(number) * 1000, customers: Self.customers,
      from: Instant("2022-01-01") ?? .appStoreOpening,
      to: Instant("2025-01-01") ?? .appStoreOpening, rates: rates)
  }

  private struct Enough: Error {}

  /// Writes the responses about a number of customers, each after the given numbers of payments.
  /// - Parameter payments: the numbers, such as 13 and 25. Customers with fewer payments are skipped.
  func write(_ count: Int, after payments: [Int], to write: ([UInt8]) throws -> Void) throws {
    var (made, number) = (0, 0)
    // About a third of a simulation's customers pay so often.
    while made < count {
      let simulation = try simulation(number)
      for customer in 0..<Self.customers where made < count {
        let lines = try answers(about: customer, in: simulation, after: payments)
        guard lines.count == payments.count else { continue }
        for line in lines { try write(line) }
        made += 1
      }
      number += 1
    }
  }

  private func answers(about customer: Int, in simulation: Simulation, after payments: [Int]) throws -> [[UInt8]] {
    var reporter = MessageComposer(formats: [.receipt])
    var (number, lines) = (0, [[UInt8]]())
    do {
      try simulation.live(customer) { store, storeEvents in
        for message in reporter.messages(about: storeEvents, in: store) {
          number += 1
          guard payments.contains(number) else { continue }
          let text = try message.text(in: store, signer: nil)
          lines.append(DeliveredMessage(format: .receipt, receivedAt: message.at, payload: text).line)
          if lines.count == payments.count { throw Enough() }
        }
      }
    } catch is Enough {}
    return lines
  }
}
