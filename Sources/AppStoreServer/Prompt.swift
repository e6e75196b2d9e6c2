internal import AppStore
internal import AppStoreSimulator
internal import Foundation

/// The prompt of a local App Store: a person types a line, and reads what happened.
public actor Prompt {
  private let running: RunningStores
  private var environment = StoreEnvironment.production
  private var customer: LocalCustomer?

  /// The commands, each with what it means.
  public static let help =
    """
    Who:
      customer NAME                   choose a customer, by name or by a transaction id.
      production, sandbox             choose the environment.
    \(Action.help)
    Time and the rest:
      wait 3d | 12h | 5m | P1M        let time pass.
      wait next                       let time pass until something happens.
      state, sent, asked, help, quit
    """

  /// Creates the prompt of a server. It begins with the first customer of production.
  public init(_ server: AppStoreServer) { running = server.running }

  /// What a person reads after a line.
  public struct Answer: Sendable {
    /// The lines of the answer.
    public let lines: [String]
    /// Whether nothing was done, because the line was wrong or the store's state does not allow it.
    public var isRefused = false
  }

  /// Does what a line says.
  /// - Returns: the answer; `nil` for the wish to leave.
  /// - Throws: an error of the cryptographic library, or of a file.
  public func answer(_ line: String) async throws -> Answer? {
    let words = line.split(separator: " ").map(String.init)
    guard let verb = words.first else { return Answer(lines: []) }
    guard verb != "quit", verb != "exit" else { return nil }
    do {
      return Answer(lines: try await lines(verb, words.dropFirst().joined(separator: " "), line))
    } catch let error as ActionWordsError {
      return Answer(lines: ["Not done: \(error.message)."], isRefused: true)
    } catch let error as ActionError {
      return Answer(lines: ["Not done: \(error.message)."], isRefused: true)
    } catch let refusal as RunningStores.Refusal {
      return Answer(lines: ["Not done. \(refusal.message)"], isRefused: true)
    }
  }

  private func lines(_ verb: String, _ rest: String, _ line: String) async throws -> [String] {
    switch verb {
    case "help", "?": return Self.help.split(separator: "\n").map(String.init)
    case "production", "sandbox":
      (environment, customer) = (verb == "sandbox" ? .sandbox : .production, nil)
      return try await state()
    case "customer":
      guard let found = await running.stores[environment]?.customer(rest) else {
        throw ActionWordsError("no customer of \(environment.name) has this name or transaction id")
      }
      customer = found
      return try await state()
    case "state": return try await state()
    case "sent": return (await running.stores[environment]?.sentNotifications() ?? []).suffix(20).map(Self.text)
    case "asked": return await running.log.requests(after: 0).suffix(20).map(\.text)
    case "wait": return try await wait(rest)
    default:
      let sent = try await running.perform(try Action(words: line), for: try await chosen())
      return (sent.isEmpty ? ["Done. Apple sends no notification about it."] : sent.map(Self.text))
        + (try await state())
    }
  }

  private func chosen() async throws -> LocalCustomer {
    if let customer { return customer }
    guard let first = await running.stores[environment]?.customer(number: 0) else {
      throw ActionWordsError("\(environment.name) has no customers")
    }
    return first
  }

  private func wait(_ text: String) async throws -> [String] {
    let before = await running.stores[environment]?.nextNotificationNumber ?? 0
    if text == "next" {
      guard let next = await running.stores[environment]?.nextDue else {
        throw ActionWordsError("nothing more happens")
      }
      try await running.move(to: next)
    } else {
      guard let end = TimeSpan(text)?.end(from: await running.clock) else {
        throw ActionWordsError("wait takes 3d, 12h, 5m, 30s, P1M or next")
      }
      try await running.move(to: end)
    }
    let sent = await running.stores[environment]?.sentNotifications(from: before) ?? []
    return (sent.isEmpty ? ["Time has passed. Apple sent nothing."] : sent.suffix(20).map(Self.text))
      + (try await state())
  }

  /// Returns the clock, and what the customer has.
  private func state() async throws -> [String] {
    guard let store = await running.stores[environment] else { return [] }
    let card = store.card(of: try await chosen())
    let items = card.items.map { item in
      "  \(item.originalTransactionID): \(item.state), \(item.productID)"
        + (item.accessEndsAt.map { ", access \($0 > store.clock ? "until" : "ended") \($0.seconds)" } ?? "")
    }
    return ["It is \(store.clock.seconds). \(card.customer) of \(environment.name) has:"]
      + (items.isEmpty ? ["  nothing"] : items)
  }

  private static func text(_ one: SentNotification) -> String {
    let attempts = one.attempts.map { $0.status.map { "\($0)" } ?? $0.result.rawValue }
    let whom = one.customer.map { " about \($0)" } ?? ""
    return "\(one.signedAt.seconds)  \(one.type)\(one.subtype.map { " " + $0 } ?? "")\(whom): "
      + (attempts.isEmpty ? "not sent" : attempts.joined(separator: ", "))
  }
}

extension Instant {
  /// The instant in words, to the second: `2026-03-01 10:00:00Z`.
  var seconds: String {
    let text = description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))Z"
  }
}
