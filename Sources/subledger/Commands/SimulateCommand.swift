import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation
import LedgerPresentation
import ProgramSupport

struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate the App Store: write signed messages about invented customers, equal for an equal seed.",
    discussion: """
      The command writes one message per line, in the form that import reads: {"receivedAt": INSTANT, "payload": …}. \
      Without --out it writes to standard output. With --out it writes files in FOLDER/payloads. Beside them it writes \
      the products, the certificate authority and truth.ndjson, which has every state of each purchase and its start.

      Equal arguments give equal bytes in an equal order, except for signatures and certificates.

      truth.ndjson states what was true at each time. Compare it with answers whose --known-at equals their --as-of. \
      Other answers have hindsight: they know about reversed refunds and extended renewals.

      A new simulation replaces an earlier one in FOLDER, except its authority.

      Some formats cannot express everything. V1 has no reversal and no extension. iOS 6 receipts have no grace \
      period. Transaction history and transaction info have neither grace period nor retry.

      Signed texts lead to a test root, which nothing trusts by default. Import them with --trust FOLDER/root.pem. \
      Here FOLDER is the folder of --authority.

      With --interactive, the command simulates the App Store for one customer at a prompt. Type help there. You can \
      also pipe commands in; then the first mistake ends the command with exit code 1.
      """)

  @OptionGroup var simulationOptions: SimulationOptions

  @Option(
    help: ArgumentHelp(
      "How fast periods pass: real, sandbox (a month in 5 minutes, at most 12 renewals), or a month's length such as "
        + "30s, 10m or 1h.", valueName: "rate"),
    transform: RenewalRate.argument)
  var renewalRate = RenewalRate.realTime

  @Option(
    name: .customLong("payload-format"),
    help: ArgumentHelp(
      "The formats of the messages, joined by commas or repeated: "
        + Format.allCases.map(\.rawValue).joined(separator: ", ")
        + ".", valueName: "formats"),
    transform: SimulateCommand.formats)
  var formatLists: [[Format]] = []

  @Option(
    help: ArgumentHelp(
      "How messages arrive, joined by commas: in-order, shuffled, late, repeated, lost, torn. The last four take a "
        + "share, such as lost=0.02 (default: 0.05).", valueName: "ways"),
    transform: Delivery.argument)
  var deliver = Delivery()

  @Option(
    help: ArgumentHelp("Write files into this folder: a new one, or an earlier simulation.", valueName: "folder"))
  var out: String?

  @Option(
    help: ArgumentHelp(
      "The folder of the test authority, created if it is missing (default: in --out, else simulated-authority).",
      valueName: "folder"))
  var authority: String?

  @Flag(help: "With --out, also write the reports of App Store Connect, into FOLDER/reports.")
  var reports = false

  @Option(
    help: ArgumentHelp(
      "Plant a fault in the reports: " + ReportsFault.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      valueName: "fault"),
    transform: SimulateCommand.fault)
  var reportsFault: ReportsFault?

  @Flag(help: "Simulate one customer, step by step, at a prompt.")
  var interactive = false

  @Option(
    help: ArgumentHelp("With --interactive, record each step in this ledger, and show its answer.", valueName: "path")
  )
  var database: String?

  static func formats(_ text: String) throws -> [Format] {
    guard text.contains(where: { $0 != "," }) else { throw ValidationError("--payload-format names no format.") }
    return try text.split(separator: ",").map {
      guard let format = Format(rawValue: String($0)) else {
        throw ValidationError(
          "\($0) is not a format. Write \(Format.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return format
    }
  }

  static func fault(_ text: String) throws -> ReportsFault {
    guard let fault = ReportsFault(rawValue: text) else {
      throw ValidationError(
        "\(text) is not a fault. Write \(ReportsFault.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return fault
  }

  /// The chosen formats, each once, in the order of the documentation.
  private var formats: [Format] {
    let wanted = formatLists.flatMap(\.self)
    return wanted.isEmpty ? [.notificationV2] : Format.allCases.filter(wanted.contains)
  }

  func validate() throws {
    if database != nil, !interactive {
      throw ValidationError("--database goes with --interactive. Without it, pipe the output into subledger import.")
    }
    if database != nil, out != nil { throw ValidationError("Use either --out or --database, not both.") }
    if reports, out == nil { throw ValidationError("--reports goes with --out, because reports are files.") }
    if reportsFault != nil, !reports { throw ValidationError("--reports-fault goes with --reports.") }
    if reports, renewalRate.month != nil {
      throw ValidationError("App Store Connect reports nothing of the sandbox. Leave --renewal-rate out.")
    }
    if interactive, simulationOptions.scenario != nil || simulationOptions.customers != 1 || deliver != Delivery() {
      throw ValidationError("--interactive has one customer. Leave out --customers, --scenario and --deliver.")
    }
  }

  func run() async throws {
    if simulationOptions.listsSomething { return simulationOptions.list.forEach { Terminal.print($0) } }
    let catalogue = try simulationOptions.catalog()
    let simulation = try simulationOptions.simulation(selling: catalogue.catalog, rate: renewalRate)
    let folder = try out.map { try SimulationFolder($0) }
    let keeper = AuthorityKeeper(folder: authority ?? folder?.authority ?? "simulated-authority")
    if interactive {
      let session = try await InteractiveSession(
        simulation: simulation, formats: formatLists.isEmpty && database == nil ? [.notificationV2] : formats,
        folder: folder,
        ledgerPath: database, authority: try keeper.authority())
      try folder?.begin(catalogue: catalogue.text, arguments: CommandLine.arguments)
      return try await session.run()
    }
    let isSigned = formats.contains(where: \.isSigned)
    let stream = MessageStream(
      simulation: simulation, formats: formats, delivery: deliver,
      signer: isSigned ? try keeper.authority().signer : nil)
    do {
      if let folder {
        try write(stream, to: folder, catalogue: catalogue.text, simulation: simulation)
      } else {
        try print(stream)
        if isSigned { Terminal.note("Signed by a test authority. Import with --trust \(keeper.rootPath)") }
      }
    } catch let refusal as ActionError {
      Terminal.complain("\(refusal.message). Nothing was written.")
      throw ExitCode(1)
    } catch let error as CocoaError {
      Terminal.complain("The simulation cannot be written: \(error.localizedDescription) Choose another folder.")
      throw ExitCode(73)
    }
  }

  private func print(_ stream: MessageStream) throws {
    var buffer: [UInt8] = []
    var isSilent = true
    try stream.send { message in
      isSilent = false
      buffer += message.line
      guard buffer.count > 1 << 18 else { return }
      Terminal.write(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    Terminal.write(buffer)
    if isSilent { Terminal.note("This simulation produced no messages in the chosen formats.") }
  }

  private func write(_ stream: MessageStream, to folder: SimulationFolder, catalogue: [UInt8], simulation: Simulation)
    throws
  {
    let meter = CountMeter()
    var count = 0
    var isBegun = false
    // This waits for the first message, so that a scenario that fails leaves the folder unchanged.
    func begin() throws {
      if !isBegun { try folder.begin(catalogue: catalogue, arguments: CommandLine.arguments) }
      isBegun = true
    }
    let made = try reports ? simulatedReports(of: simulation) : nil
    for one in [stream, made.flatMap { MessageStream(sandboxOf: $0, like: stream) }].compactMap(\.self) {
      try one.send(onProgress: meter.show) { message in
        try begin()
        try folder.append(message.line, format: message.format)
        count += 1
      }
    }
    try begin()
    let files = try made?.files() ?? []
    if made != nil { try folder.write(files) }
    try folder.finish(truthOf: simulation.customers) { try simulation.live($0) { _, _ in } }
    meter.clear()
    Terminal.print(
      "\(Messages.count(count, "message")) of \(Messages.count(simulation.customers, "customer")) in \(folder.payloads)."
    )
    let trust = formats.contains(where: \.isSigned) ? " --trust \(authority ?? folder.authority)/root.pem" : ""
    Terminal.print("Next: subledger import \(folder.payloads)\(trust)")
    if !files.isEmpty {
      Terminal.print("Then: subledger reports import \(folder.reports) (\(Messages.count(files.count, "file")))")
      Terminal.print("And: subledger terms import \(folder.terms) --replace")
    }
  }

  private func simulatedReports(of simulation: Simulation) throws -> SimulatedReports {
    do throws(SimulationError) { return try SimulatedReports(simulation, fault: reportsFault) } catch {
      throw ValidationError(error.message + ".")
    }
  }
}

/// Shows the progress of a long simulation on stderr, if that is a terminal.
private final class CountMeter {
  private var isShown = false

  func show(done: Int, of count: Int) {
    guard Terminal.hasProgress, count > 20_000 else { return }
    Terminal.writeError("\r\u{1B}[K\(done) of \(count) messages")
    isShown = true
  }

  func clear() {
    if isShown { Terminal.writeError("\r\u{1B}[K") }
    isShown = false
  }
}
