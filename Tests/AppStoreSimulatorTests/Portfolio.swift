import AppStore
import Foundation
import Ledger
import TestSupport

@testable import AppStoreSimulator

/// A world's customers, what was said of them, and a ledger that was told.
struct Portfolio {
  struct Customer {
    let store: SimulatedStore
    /// When something happened, and the ledger may not know it yet.
    var events: [Instant] = []
    /// The types of what was told, of version 2.
    var words: Set<String> = []
    /// What the store told Apple's side of, as it happened.
    var notifications: [(at: Instant, content: AppStoreSimulator.StoreNotification)] = []
    /// Whether each line renews by itself, since each event.
    var renewals: [(since: Instant, subscriptions: [Bool])] = []

    /// Whether a line renewed by itself at an instant.
    func renews(_ subscription: Int, at instant: Instant) -> Bool {
      renewals.last { $0.since <= instant && $0.subscriptions.indices.contains(subscription) }?.subscriptions[
        subscription] ?? true
    }
  }

  let simulation: Simulation
  let folder: TemporaryFolder
  let ledger: LedgerRecorder
  let wording: Wording
  private(set) var customers: [Customer] = []

  /// So long after an event everything in order has arrived.
  static let settling: Int64 = 3000

  /// Test settings: SUBLEDGER_LIVES, SUBLEDGER_SEED.
  static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  static let authority = Result { try CertificateAuthority() }

  static func decoder() throws -> PayloadDecoder {
    PayloadDecoder.permissive(trust: try TrustStore(trusting: [Array(authority.get().root.utf8)]))
  }

  /// Lives the world, and tells a new ledger.
  init(
    _ simulation: Simulation, _ formats: [Format], _ delivery: Delivery = Delivery(), wording: Wording = Wording()
  ) async throws {
    (self.simulation, self.wording) = (simulation, wording)
    folder = try TemporaryFolder()
    ledger = try EmptyLedger.make(in: folder)
    for customer in 0..<simulation.customers {
      let events = Events()
      let store = try simulation.live(customer) { store, storeEvents in events.add(storeEvents, store) }
      customers.append(
        Customer(
          store: store, events: events.instants, words: events.words, notifications: events.notifications,
          renewals: events.renewals))
    }
    var delivered: [DeliveredMessage] = []
    let signer = try Self.authority.get().signer
    try MessageStream(simulation: simulation, formats: formats, delivery: delivery, signer: signer).send { message in
      var message = message
      if message.format == .notificationV2 {
        let payload = try wording.notification(message.payload, signer: signer)
        message = DeliveredMessage(format: message.format, receivedAt: message.receivedAt, payload: payload)
      }
      delivered.append(message)
    }
    try await Self.record(delivered, in: ledger)
  }

  private final class Events {
    var instants: [Instant] = []
    var words: Set<String> = []
    var notifications: [(at: Instant, content: AppStoreSimulator.StoreNotification)] = []
    var renewals: [(since: Instant, subscriptions: [Bool])] = []
    func add(_ storeEvents: [StoreEvent], _ store: SimulatedStore) {
      if let first = storeEvents.first { instants.append(first.at) }
      for storeEvent in storeEvents {
        guard case .notification(let notification) = storeEvent.content else { continue }
        words.insert(notification.type)
        notifications.append((storeEvent.at, notification))
      }
      renewals.append((store.clock, store.subscriptions.map(\.autoRenews)))
    }
  }

  @discardableResult
  static func record(_ delivered: [DeliveredMessage], in ledger: LedgerRecorder) async throws -> ImportSummary {
    let decoder = try decoder()
    var summary = ImportSummary()
    for start in stride(from: 0, to: delivered.count, by: 500) {
      let part = delivered[start..<min(start + 500, delivered.count)]
      let items = await withTaskGroup(of: (Int, [Arrival]).self) { group in
        for (index, message) in part.enumerated() {
          group.addTask {
            let item = await decoder.decode(message.line)
            return (
              index,
              item.outcomes.map {
                Arrival(
                  outcome: $0, receivedAt: item.receivedAt ?? message.receivedAt, isExplicit: true,
                  origin: message.format.rawValue)
              }
            )
          }
        }
        return await group.reduce(into: [(Int, [Arrival])]()) { $0.append($1) }
      }
      summary = summary + (try ledger.record(items.sorted { $0.0 < $1.0 }.flatMap { $0.1 }))
    }
    return summary
  }

  /// A random instant between the world's beginning and its end, and a little beyond.
  func instant(_ random: inout SplitMix) -> Instant {
    let span = simulation.to.milliseconds - simulation.from.milliseconds
    return Instant(milliseconds: simulation.from.milliseconds + Int64.random(in: 0..<span, using: &random))
  }

  /// Whether all that had happened to a customer had arrived at an instant.
  func isSettled(_ customer: Customer, at instant: Instant) -> Bool {
    !customer.events.contains {
      $0.milliseconds - 1000 <= instant.milliseconds && instant.milliseconds < $0.milliseconds + Self.settling
    }
  }

  /// What the ledger says of all lines, by id.
  func answers(_ parameters: QueryParameters) throws -> [String: Entitlement] {
    var answers: [String: Entitlement] = [:]
    try ledger.reader.forEachEntitlement(parameters) { answers[$0.originalTransactionID] = $0 }
    return answers
  }
}
