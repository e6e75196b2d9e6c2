import AppStore
import Foundation
import Storefront

/// Customers who go on paying, and what verifyReceipt says of them.
struct Subscribers {
  let world: World

  /// - Parameter seed: other seeds are other people.
  init(seed: UInt64) throws {
    var rates = Rates()
    for rate in Rate.allCases { rates[rate] = 0 }
    world = try World(
      assortment: .builtIn(), seed: seed, customers: 1_000_000, from: Instant("2022-01-01") ?? .appStoreOpening,
      to: Instant("2025-01-01") ?? .appStoreOpening, rates: rates)
  }

  private struct Enough: Error {}

  /// Writes the answers about as many customers as are wanted, each after so many of its payments.
  /// - Parameter payments: such as 13 and 25; customers who do not pay so often are passed over.
  func write(_ count: Int, after payments: [Int], to write: ([UInt8]) throws -> Void) throws {
    var (made, customer) = (0, 0)
    while made < count, customer < world.customers {
      let lines = try answers(about: customer, after: payments)
      if lines.count == payments.count {
        for line in lines { try write(line) }
        made += 1
      }
      customer += 1
    }
    guard made == count else { throw Child.Failure(description: "only \(made) customers pay so often") }
  }

  private func answers(about customer: Int, after payments: [Int]) throws -> [[UInt8]] {
    var reporter = Reporter(formats: [.receipt])
    var (number, lines) = (0, [[UInt8]]())
    do {
      try world.live(customer) { store, happenings in
        for message in reporter.messages(about: happenings, in: store) {
          number += 1
          guard payments.contains(number) else { continue }
          let text = try message.text(in: store, signer: nil)
          lines.append(Delivered(format: .receipt, receivedAt: message.at, payload: text).line)
          if lines.count == payments.count { throw Enough() }
        }
      }
    } catch is Enough {}
    return lines
  }
}
