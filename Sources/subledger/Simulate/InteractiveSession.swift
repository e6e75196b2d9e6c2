import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation

/// The prompt of `subledger simulate --interactive`, which simulates the App Store for one customer.
final class InteractiveSession {
  private var store: SimulatedStore
  private var reporter: MessageComposer
  private let authority: CertificateAuthority
  private let folder: SimulationFolder?
  private let ledger: LedgerRecorder?
  private let decoder: PayloadDecoder
  private var showsPayloads = true
  private var sentCount = 0

  init(
    simulation: Simulation, formats: [Format], folder: SimulationFolder?, ledgerPath: String?,
    authority: CertificateAuthority
  ) async throws {
    store = SimulatedStore(
      catalog: simulation.catalog, seed: simulation.seed, start: simulation.from, rate: simulation.rate,
      graceDays: simulation.graceDays)
    reporter = MessageComposer(formats: formats)
    self.authority = authority
    self.folder = folder
    decoder = PayloadDecoder(
      unsigned: .accepted(from: "the simulated App Store"),
      trust: try TrustStore(trusting: [Array(authority.root.utf8)]), acceptsClientEvents: true)
    ledger = try ledgerPath.map { path in try reporting { try LedgerRecorder(path: path) } }
  }

  func run() async throws {
    Terminal.print("It is \(Messages.instant(store.clock)). On sale:")
    printProducts()
    Terminal.print("Type help for the commands.")
    while let line = prompt() {
      let words = line.split(separator: " ").map(String.init)
      guard let verb = words.first else { continue }
      if verb == "quit" || verb == "exit" { break }
      do {
        try await run(verb, Array(words.dropFirst()))
      } catch let refusal as ActionError {
        try complain(refusal.message)
      } catch let mistake as ActionWordsError {
        try complain(mistake.message + ". Type help")
      } catch let mistake as InteractiveCommandError {
        try complain(mistake.message)
      }
    }
    try close()
    Terminal.print("\(Messages.count(sentCount, "message")) sent by \(Messages.instant(store.clock)).")
  }

  private func prompt() -> String? {
    if Terminal.hasPerson {
      let state =
        store.subscriptions.last { $0.account == 0 }?.truth(at: store.clock)?.state.rawValue ?? "nothing bought"
      Terminal.write(Terminal.styled(Messages.instant(store.clock), .dim) + " " + state + "> ")
    }
    guard let line = readLine() else {
      if Terminal.hasPerson { Terminal.print() }
      return nil
    }
    // Without a terminal the commands are not visible, so the output repeats them.
    if !Terminal.hasPerson { Terminal.print("> " + Printable.text(line)) }
    return line
  }

  /// Prints an error. A person can then type something else; a script ends with exit code 1.
  private func complain(_ words: String) throws {
    Terminal.complain(words + ".")
    guard !Terminal.hasPerson else { return }
    try close()
    throw ExitCode(1)
  }

  private func close() throws {
    try folder?.finish(truthOf: 1) { _ in store }
    ledger?.close()
  }

  private func run(_ verb: String, _ words: [String]) async throws {
    switch verb {
    case "help", "?": Terminal.print(InteractiveCommands.help)
    case "products": printProducts()
    case "state": try printState()
    case "payloads":
      showsPayloads = words.first != "off"
      Terminal.print(showsPayloads ? "Payloads are shown." : "Payloads are not shown. Events are.")
    case "wait": try await wait(try InteractiveCommands.deadline(words, store))
    default:
      var next = store
      try next.perform(try Action(words: ([verb] + words).joined(separator: " ")))
      store = next
      let hasPrinted = try await printEvents()
      if !hasPrinted { Terminal.print("Done. Apple sends no message about it.") }
      try printState()
    }
  }

  private func wait(_ deadline: Instant) async throws {
    var hasPrinted = false
    while store.step(to: deadline) { hasPrinted = try await printEvents() || hasPrinted }
    if !hasPrinted { Terminal.print("Time has passed. Apple sends no message.") }
    try printState()
  }

  // MARK: Messages

  /// Prints the new events and their messages, writes the messages to the folder, and records them in the ledger.
  /// - Returns: whether there was an event.
  private func printEvents() async throws -> Bool {
    let storeEvents = store.takeStoreEvents()
    for storeEvent in storeEvents where showsWords(storeEvent) {
      Terminal.print(Terminal.styled(InteractiveCommands.text(storeEvent, in: store), .bold))
    }
    for message in reporter.messages(about: storeEvents, in: store) {
      let text = try message.text(in: store, signer: authority.signer)
      sentCount += 1
      if showsPayloads { printPayload(text, message.format) }
      let delivered = DeliveredMessage(
        format: message.format, receivedAt: Instant(milliseconds: message.at.milliseconds + 200), payload: text)
      try folder?.append(delivered.line, format: message.format)
      try folder?.flush()
      try await record(delivered)
    }
    return !storeEvents.isEmpty
  }

  private func showsWords(_ storeEvent: StoreEvent) -> Bool {
    if case .report = storeEvent.content { return reporter.formats.contains(.clientEvents) }
    return true
  }

  private func record(_ delivered: DeliveredMessage) async throws {
    guard let ledger else { return }
    let item = await decoder.decode(delivered.payload)
    let arrivals = item.outcomes.map {
      Arrival(outcome: $0, receivedAt: delivered.receivedAt, isExplicit: true, origin: "simulate")
    }
    _ = try reporting { try ledger.record(arrivals) }
  }

  private func printPayload(_ text: [UInt8], _ format: Format) {
    Terminal.print("  \(format.rawValue) \(String(decoding: ReadableText.opened(text), as: UTF8.self))")
  }

  private func printProducts() {
    for product in store.catalog.products {
      let territory = store.accounts[0].territory
      let price = Messages.amount(Milliunits(product.price(in: territory)), territory.currency)
      let offers = product.offers.compactMap(\.identifier)
      let extra = offers.isEmpty ? "" : ", offers " + offers.joined(separator: ", ")
      let length = product.period.map { " every " + $0.description } ?? ""
      Terminal.print(
        "  \(Printable.text(product.id)): \(product.type.rawValue), \(price)\(length)"
          + Printable.text(extra))
    }
  }

  /// Prints the true state of each purchase, and the ledger's answer beside it.
  private func printState() throws {
    for subscription in store.subscriptions {
      guard let truth = subscription.truth(at: store.clock) else { continue }
      let product = store.catalog.products[truth.product].id
      var text = "  \(subscription.id): \(truth.state.rawValue), \(Printable.text(product)), "
      if let seats = truth.seats, subscription.hasSeats { text += "\(Messages.count(Int(seats), "seat")), " }
      text += "access \(truth.accessEndsAt > store.clock ? "until" : "ended") \(Messages.instant(truth.accessEndsAt))"
      if let ledger {
        let parameters = QueryParameters(
          asOf: store.clock, knownAt: Instant(milliseconds: store.clock.milliseconds + 1500))
        let answer = try reporting {
          try ledger.reader.entitlement(of: String(subscription.id), in: store.rate.environment, parameters)
        }
        text +=
          answer.map {
            let seats = subscription.hasSeats ? $0.seats.map { ", \(Messages.count($0, "seat"))" } ?? "" : ""
            return "; the ledger says \($0.state.rawValue)\(seats) (rule \($0.rule.rawValue))"
          }
          ?? "; the ledger does not know it"
      }
      Terminal.print(text)
    }
  }
}

/// The error that a typed text is not a command, or lacks a part of one.
struct InteractiveCommandError: Error {
  let message: String
}
