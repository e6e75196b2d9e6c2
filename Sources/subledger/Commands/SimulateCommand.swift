import AppStore
import ArgumentParser
import Foundation
import AppStoreSimulator

/// `subledger simulate`
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Play the App Store: customers' lives in Apple's formats, signed, the same for the same seed.",
    discussion: """
      Writes one line a message, {"receivedAt": INSTANT, "payload": …}, as import takes them, to standard output; or, \
      with --out, to files in FOLDER/payloads, with the products, the certificate authority and the truth \
      (truth.ndjson: what state each line was in, from when on) beside them. The same arguments give the same bytes in \
      the same order, but for signatures and certificates.

      truth.ndjson tells what was true at the time: compare it with answers whose --known-at is their --as-of, because \
      without it the ledger answers in hindsight, refunds reversed and renewals extended. An earlier simulation in \
      FOLDER is replaced; its authority stays. Some formats cannot say everything: V1 knows no reversal and no \
      extension, iOS 6 receipts no grace, transaction history and info neither grace nor retry.

      Signed texts lead to a root that nobody trusts who is not told to: import with --trust FOLDER/root.pem, the folder \
      being the one of --authority.

      With --interactive, plays one customer's App Store at a prompt: type help there. Commands may also be piped in; \
      then the first mistake ends it with exit code 1.
      """)

  @OptionGroup var worldOptions: SimulationOptions

  @Option(
    name: .customLong("payload-format"),
    help: ArgumentHelp(
      "In which ways it is said, joined by commas or repeated: "
        + Format.allCases.map(\.rawValue).joined(separator: ", ")
        + ".", valueName: "formats"),
    transform: SimulateCommand.formats)
  var formatLists: [[Format]] = []

  @Option(
    help: ArgumentHelp(
      "How it arrives: in-order, shuffled, late, repeated, lost, torn; the last four with a share (lost=0.02; 0.05 "
        + "where none is given), joined by commas.", valueName: "ways"),
    transform: { text in
      do { return try Delivery(text) } catch let error as DeliveryError { throw ValidationError(error.words + ".") }
    })
  var deliver = Delivery()

  @Option(
    help: ArgumentHelp("Write files into this folder, which is new, or was made by this command.", valueName: "folder"))
  var out: String?

  @Option(
    help: ArgumentHelp(
      "Where the test authority is kept, or made (default: in --out, else simulated-authority here).",
      valueName: "folder"))
  var authority: String?

  @Flag(help: "Play for one customer, step by step, at a prompt.")
  var interactive = false

  @Option(
    help: ArgumentHelp("With --interactive: record each step into this ledger, and show its answer.", valueName: "path")
  )
  var database: String?

  static func formats(_ text: String) throws -> [Format] {
    guard text.contains(where: { $0 != "," }) else { throw ValidationError("--payload-format names no format.") }
    return try text.split(separator: ",").map {
      guard let format = Format(rawValue: String($0)) else {
        throw ValidationError("\($0) is no format: \(Format.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return format
    }
  }

  /// In the order of the documentation, each once.
  private var formats: [Format] {
    let wanted = formatLists.flatMap(\.self)
    return wanted.isEmpty ? [.notificationV2] : Format.allCases.filter(wanted.contains)
  }

  func validate() throws {
    if database != nil, !interactive {
      throw ValidationError("--database goes with --interactive; otherwise pipe into import.")
    }
    if database != nil, out != nil { throw ValidationError("--out or --database, not both.") }
    if interactive, worldOptions.scenario != nil || worldOptions.customers != 1 || deliver != Delivery() {
      throw ValidationError("--interactive is one customer's, who does what you type, and everything arrives.")
    }
  }

  func run() async throws {
    if worldOptions.listsSomething { return worldOptions.list() }
    let catalogue = try worldOptions.assortment()
    let world = try worldOptions.world(selling: catalogue.assortment)
    let folder = try out.map { try SimulationFolder($0) }
    let keeper = AuthorityKeeper(folder: authority ?? folder?.authority ?? "simulated-authority")
    if interactive {
      let session = try await InteractiveSession(
        world: world, formats: formatLists.isEmpty && database == nil ? [.notificationV2] : formats, folder: folder,
        ledgerPath: database, authority: try keeper.authority())
      try folder?.begin(catalogue: catalogue.text, arguments: CommandLine.arguments)
      return try await session.run()
    }
    let isSigned = formats.contains(where: \.isSigned)
    let mailing = MessageStream(
      world: world, formats: formats, delivery: deliver, signer: isSigned ? try keeper.authority().signer : nil)
    do {
      if let folder {
        try write(mailing, to: folder, catalogue: catalogue.text, world: world)
      } else {
        try print(mailing)
        if isSigned { Terminal.note("Signed by a test authority: import with --trust \(keeper.rootPath)") }
      }
    } catch let refusal as ActionError {
      Terminal.complain("\(refusal.words). Nothing was written.")
      throw ExitCode(1)
    } catch let error as CocoaError {
      Terminal.complain("cannot write: \(error.localizedDescription)")
      throw ExitCode(73)
    }
  }

  private func print(_ mailing: MessageStream) throws {
    var buffer: [UInt8] = []
    var isSilent = true
    try mailing.send { message in
      isSilent = false
      buffer += message.line
      guard buffer.count > 1 << 18 else { return }
      Terminal.write(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    Terminal.write(buffer)
    if isSilent { Terminal.note("In these formats nothing is said in this world.") }
  }

  private func write(_ mailing: MessageStream, to folder: SimulationFolder, catalogue: [UInt8], world: Simulation) throws {
    let meter = CountMeter()
    var count = 0
    var isBegun = false
    // Only when the first message is there: a scenario that cannot be played leaves everything as it was.
    func begin() throws {
      if !isBegun { try folder.begin(catalogue: catalogue, arguments: CommandLine.arguments) }
      isBegun = true
    }
    try mailing.send(onProgress: meter.show) { message in
      try begin()
      try folder.append(message.line, format: message.format)
      count += 1
    }
    try begin()
    try folder.finish(truthOf: (0..<world.customers).lazy.map { try? world.live($0) { _, _ in } }.compactMap(\.self))
    meter.clear()
    Terminal.print(
      "\(Messages.count(count, "message")) of \(Messages.count(world.customers, "customer")) in \(folder.payloads).")
    let trust = formats.contains(where: \.isSigned) ? " --trust \(authority ?? folder.authority)/root.pem" : ""
    Terminal.print("Next: subledger import \(folder.payloads)\(trust)")
  }
}

/// How far a long run is, on a terminal's stderr.
private final class CountMeter {
  private var isShown = false

  func show(done: Int, of count: Int) {
    guard Terminal.hasProgress, count > 20_000 else { return }
    Terminal.tell("\r\u{1B}[K\(done) of \(count) messages")
    isShown = true
  }

  func clear() {
    if isShown { Terminal.tell("\r\u{1B}[K") }
    isShown = false
  }
}
