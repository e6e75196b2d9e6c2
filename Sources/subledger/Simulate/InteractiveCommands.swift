import AppStore
import AppStoreSimulator
import LedgerPresentation
import ProgramSupport

/// The commands that a user types at the prompt.
enum InteractiveCommands {
  static let help =
    Action.help + """

      Time and the rest:
        wait 3d | 12h | 5m | 30s        let time pass.
        wait next | end                 wait for the next action of the App Store; for the end of the period.
        state, products, payloads on|off, help, quit
      """

  /// Returns the instant until which `wait` lets time pass.
  static func deadline(_ words: [String], _ store: SimulatedStore) throws -> Instant {
    let help = InteractiveCommandError(message: "wait takes 3d, 12h, 5m, 30s, next or end")
    guard let word = words.first, words.count == 1 else { throw help }
    if word == "next" {
      guard let due = store.nextDue else { throw InteractiveCommandError(message: "the App Store has nothing to do") }
      return due
    }
    if word == "end" {
      guard let end = store.subscriptions.last(where: { $0.account == 0 })?.transactions.last?.expiresAt,
        end > store.clock
      else {
        throw InteractiveCommandError(message: "no period is running")
      }
      return Instant(milliseconds: end.milliseconds + 1000)
    }
    guard let deadline = TimeSpan(word)?.end(from: store.clock) else { throw help }
    guard deadline < Simulation.last else { throw InteractiveCommandError(message: "simulated time ends in 2048") }
    return deadline
  }

  /// Returns one line about an event of the simulation.
  static func text(_ storeEvent: StoreEvent, in store: SimulatedStore) -> String {
    let at = Messages.instant(storeEvent.at) + "  "
    switch storeEvent.content {
    case .silence: return at + "Apple's data changed, without a message"
    case .report(let report): return at + "The app: " + report.text
    case .notification(let notification):
      let subtype = notification.subtype.map { " " + $0 } ?? ""
      let whose = store.accounts[storeEvent.account].customer
      let state = notification.state.map { ": now " + $0.rawValue } ?? ""
      return at + "Apple, about \(whose): " + notification.type + subtype + state
    }
  }
}
