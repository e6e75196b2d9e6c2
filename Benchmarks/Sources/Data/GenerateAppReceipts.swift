import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation

/// A command that writes app receipts to standard output, one per line, in the form that `import` accepts.
struct GenerateAppReceipts: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-app-receipts",
    abstract: "Write the app receipts of simulated subscribers, each with 24 purchases.")

  @Argument(help: "How many receipts.") var count: Int
  @Option(help: "The file for the root certificates.") var root: String

  private static let purchases = 24
  /// The error that ends the life of a customer when the receipt is written.
  private struct Enough: Error {}

  func run() throws {
    let authority = try CertificateAuthority()
    try Data(authority.root.utf8).write(to: URL(fileURLWithPath: root))
    let output = FileHandle.standardOutput
    let from = Instant(milliseconds: 1_577_836_800_000)
    let simulation = try Simulation(
      catalog: .builtIn(), seed: 5, customers: count * 40, from: from,
      to: Instant(milliseconds: from.milliseconds + 2500 * 86_400_000))
    var written = 0
    for customer in 0..<simulation.customers where written < count {
      var text: [UInt8]?
      do {
        var composer = MessageComposer(formats: [.appReceipt])
        _ = try simulation.live(customer) { store, events in
          let messages = composer.messages(about: events, in: store)
          let purchases = store.subscriptions.reduce(store.purchases.count) { $0 + $1.transactions.count }
          guard purchases == Self.purchases, let message = messages.last else { return }
          text = try message.text(in: store, signer: authority.signer)
          throw Enough()
        }
      } catch is Enough {}
      guard let text else { continue }
      try output.write(contentsOf: Data("{\"payload\":".utf8) + text + Data("}\n".utf8))
      written += 1
    }
    guard written == count else { throw BenchmarkError("only \(written) customers bought 24 times") }
  }
}
