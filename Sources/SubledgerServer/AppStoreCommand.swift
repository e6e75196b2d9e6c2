import AppStore
import AppStoreServer
import AppStoreSimulator
import ArgumentParser
import Foundation
import LedgerPresentation
import LedgerServer
import ProgramSupport
import Synchronization

struct AppStoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app-store",
    abstract: "Run an App Store of invented customers on this machine, for tests of back ends.",
    discussion: """
      It answers the App Store Server API and verifyReceipt as Apple does, and posts notifications to --webhook. \
      Production listens on the port of --listen, and the sandbox on the next one.

      FOLDER gets what a client needs: root.pem to trust, AuthKey.p8 to sign tokens with, settings.env with every \
      setting, and purchases.ndjson with what was bought. A later run in FOLDER has the same root and key.

      The clock stands at --clock until somebody moves it: POST /admin/clock {"advance": "P1D"}. With --speed it runs. \
      GET / is a page for people. Below /admin are actions, faults on demand, and logs of what was asked and sent.

      Customers live as in simulate, and buy, cancel and fail by chance. From the first action on, a customer does \
      nothing of its own. --interactive is a prompt for actions; where commands are piped in, the first mistake ends it \
      with exit code 1.

      It has no protection: anybody who reaches the port may do everything. Its customers are invented.
      """)

  @OptionGroup var simulation: SimulationOptions

  @Option(
    help: ArgumentHelp("Write the root, the key and the settings into this folder.", valueName: "folder"))
  var out: String?

  @Option(
    help: ArgumentHelp(
      "Listen on this address; with port 0 on any free ports (default: 127.0.0.1:0).", valueName: "host:port"))
  var listen = "127.0.0.1:0"

  @Option(help: ArgumentHelp("Post the notifications of production to this address.", valueName: "url"))
  var webhook: String?

  @Option(
    help: ArgumentHelp(
      "Post the notifications of the sandbox to this address (default: --webhook).", valueName: "url"))
  var sandboxWebhook: String?

  @Option(help: ArgumentHelp("The version of the notifications: v2 or v1 (default: v2).", valueName: "version"))
  var webhookVersion = NotificationVersion.v2

  @Option(
    help: ArgumentHelp(
      "How notifications arrive, as simulate takes it: late=0.1, lost, repeated, torn, shuffled (default: in-order).",
      valueName: "ways"),
    transform: Delivery.argument)
  var deliver = Delivery()

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The instant at which the clock begins (default: --to).", valueName: "instant"),
    transform: Instant.argument)
  var clock: Instant?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many seconds pass in a real one (default: 0, the clock stands).", valueName: "number"))
  var speed = 0.0

  @Option(help: ArgumentHelp("The number of customers in the sandbox (default: 3).", valueName: "count"))
  var sandboxCustomers = 3

  @Option(
    help: ArgumentHelp(
      "How fast periods pass in the sandbox: sandbox (a month in 5 minutes), or a month's length such as 1h.",
      valueName: "rate"),
    transform: RenewalRate.argument)
  var renewalRate = RenewalRate.sandbox

  @Flag(help: "Let a person act for customers, step by step, at a prompt.") var interactive = false

  @Flag(help: "The app was never released: production refuses every token, as Apple does.") var notReleased = false

  func validate() throws {
    guard !simulation.listsSomething else { return }
    guard out != nil else { throw ValidationError("Name a folder for the root, the key and the settings with --out.") }
    if let clock, clock < simulation.start {
      throw ValidationError("--clock is before --from, when nobody has bought anything.")
    }
    guard (0...10_000_000).contains(speed) else { throw ValidationError("--speed is not from 0 to 10000000.") }
    guard renewalRate != .realTime else {
      throw ValidationError("The sandbox is never as slow as real time. Leave out --renewal-rate, or write 1h.")
    }
    for address in [webhook, sandboxWebhook].compactMap(\.self) {
      guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host != nil else {
        throw ValidationError("'\(address)' is not an address of HTTP. Write http://127.0.0.1:8080/apple/v2.")
      }
    }
    _ = try address()
  }

  /// Returns the address of `--listen`, which has a port for the sandbox too.
  private func address() throws -> ListeningAddress {
    guard let address = ListeningAddress(listen), address.port < UInt16.max else {
      throw ValidationError(
        "'\(listen)' is not an address with a port up to 65534. Write for example 127.0.0.1:8090; the sandbox has 8091."
      )
    }
    return address
  }

  func run() async throws {
    if simulation.listsSomething { return simulation.list.forEach { print($0) } }
    signal(SIGPIPE, SIG_IGN)
    let address = try address()
    let catalogue = try simulation.catalog().catalog
    let folder = try AppStoreFolder(out ?? "", of: catalogue)
    let production = try simulation.simulation(selling: catalogue, rate: .realTime)
    let begin = clock ?? production.to
    guard begin < Simulation.last else { throw ValidationError("Simulated time ends in 2048.") }
    var stores: [Environment: LocalAppStore] = [:]
    do {
      stores[.production] = try store(production, at: begin, folder, webhook, isReleased: !notReleased)
      stores[.sandbox] = try store(
        try sandbox(production, at: begin), at: begin, folder, sandboxWebhook ?? webhook, isReleased: true)
    } catch let refusal as ActionError {
      throw ValidationError(refusal.message + ".")
    }
    for environment in [Environment.production, .sandbox] {
      guard var store = stores.removeValue(forKey: environment) else { continue }
      for purchase in store.takePurchases() { try folder.append(purchase, store.receipt(of: purchase)) }
      stores[environment] = store
    }
    var settings = AppStoreServer.Settings()
    (settings.host, settings.port, settings.speed) = (address.host, address.port, speed)
    settings.webhooks[.production] = webhook
    settings.webhooks[.sandbox] = sandboxWebhook ?? webhook
    let server = try AppStoreServer(stores, settings, now: { .now }, onPurchase: { try folder.append($0, $1) })
    do {
      if interactive {
        try await runWithPrompt(server, address, folder, begin)
      } else {
        try await server.run { Self.greet(address, $0, folder, begin) }
      }
    } catch let error where LedgerServer.systemError(error) != nil {
      throw InputError(
        "The local App Store cannot listen on \(listen) and the next port: \(ListeningAddress.text(error))")
    }
  }

  private func store(
    _ simulation: Simulation, at begin: Instant, _ folder: AppStoreFolder, _ webhook: String?, isReleased: Bool
  ) throws -> LocalAppStore {
    var store = try LocalAppStore(
      simulation, at: begin, signer: folder.authority.signer, key: folder.key,
      notifications: NotificationFile(folder.notifications(simulation.rate.environment)),
      version: webhook == nil ? nil : webhookVersion, isReleased: isReleased)
    store.delivery = deliver
    return store
  }

  private func sandbox(_ production: Simulation, at begin: Instant) throws -> Simulation {
    do {
      return try production.sandbox(until: begin, customers: sandboxCustomers, rate: renewalRate)
    } catch {
      throw ValidationError("The sandbox: " + error.message + ".")
    }
  }

  /// Writes the settings, and prints the addresses.
  private static func greet(
    _ address: ListeningAddress, _ ports: [Environment: Int], _ folder: AppStoreFolder, _ begin: Instant
  ) {
    do {
      try folder.writeSettings(host: address.host, ports: ports)
      let lines = greeting(address.host, ports, folder.path, begin).map { $0 + "\n" }.joined()
      // A program that waits for the addresses reads them from a pipe, which print would fill first.
      FileHandle.standardOutput.write(Data(lines.utf8))
    } catch {
      StandardError.note("Error: \(error)")
      Foundation.exit(1)
    }
  }

  /// Runs the server until a person leaves the prompt.
  private func runWithPrompt(
    _ server: AppStoreServer, _ address: ListeningAddress, _ folder: AppStoreFolder, _ begin: Instant
  ) async throws {
    let (listening, signal) = AsyncStream<Void>.makeStream()
    let leaving = Leaving()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { signal.finish() }
        try await server.run { ports in
          Self.greet(address, ports, folder, begin)
          signal.yield()
        }
        // A signal has ended the server, and the prompt still waits for a line that may never come.
        if !leaving.isDone.withLock({ $0 }) { Foundation.exit(0) }
      }
      for await _ in listening {
        defer { leaving.isDone.withLock { $0 = true } }
        try await Self.talk(Prompt(server))
        break
      }
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  private static func talk(_ prompt: Prompt) async throws {
    let hasPerson = isatty(STDIN_FILENO) == 1
    func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
    write("Type help for the commands.\n")
    for text in try await prompt.answer("state")?.lines ?? [] { write(Printable.text(text) + "\n") }
    while true {
      if hasPerson { write("> ") }
      // readLine blocks its thread, and the server needs those of the tasks.
      let line = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: readLine()) }
      }
      guard let line else { return }
      // Without a terminal the commands are not visible, so the output repeats them.
      if !hasPerson { write("> \(Printable.text(line))\n") }
      guard let answer = try await prompt.answer(line) else { return }
      for text in answer.lines { write(Printable.text(text) + "\n") }
      // A person can type something else. A script ends with its first mistake.
      if answer.isRefused, !hasPerson { throw ExitCode(1) }
    }
  }

  private static func greeting(
    _ host: String, _ ports: [Environment: Int], _ folder: String, _ clock: Instant
  ) -> [String] {
    func address(_ environment: Environment) -> String { AppStoreFolder.address(host, ports[environment] ?? 0) }
    return [
      "production: \(address(.production))", "sandbox:    \(address(.sandbox))",
      "page:       \(address(.production))/", "settings:   \(folder)/settings.env", "clock:      \(clock)",
    ]
  }
}

extension NotificationVersion: ExpressibleByArgument {}

/// Whether a person has left the prompt.
private final class Leaving: Sendable {
  let isDone = Mutex(false)
}
