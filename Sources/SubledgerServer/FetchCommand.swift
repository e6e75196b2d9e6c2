import AppStore
import AppStoreClient
import ArgumentParser
import Foundation
import ProgramSupport

struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Ask Apple, and record the answer as evidence.",
    discussion: """
      Without --environment, production is asked first, and the sandbox only about an id that production does not know.

      Each answer is recorded as an import would record it. The output states what was asked, what came, and which \
      subscriptions have another state now. Requests stay below Apple's limits, and are repeated where that can help.

      Exit codes: 0: Apple answered. 1: Apple refused, or a setting cannot be used. 64: wrong arguments. 75: Apple could \
      not answer now; ask again later.
      """,
    subcommands: [
      Transaction.self, History.self, Statuses.self, Refunds.self, AppTransaction.self, Order.self, Notifications.self,
      Receipt.self,
    ])

  struct Transaction: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Fetch one transaction.")
    @Argument(help: "A transaction id.") var id: String
    @OptionGroup var options: FetchOptions
    func run() async throws { try await options.fetch { _ in try .transactionInfo(id) } }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Fetch all transactions of a customer.")
    @Argument(help: "Any transaction id of the customer.") var id: String
    @OptionGroup var options: FetchOptions
    func run() async throws { try await options.fetch { _ in try .transactionHistory(of: id) } }
  }

  struct Statuses: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Fetch the state of all subscriptions of a customer.")
    @Argument(help: "Any transaction id of the customer.") var id: String
    @OptionGroup var options: FetchOptions
    func run() async throws { try await options.fetch { _ in try .subscriptionStatuses(of: id) } }
  }

  struct Refunds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Fetch the refunds of a customer.")
    @Argument(help: "Any transaction id of the customer.") var id: String
    @OptionGroup var options: FetchOptions
    func run() async throws { try await options.fetch { _ in try .refundHistory(of: id) } }
  }

  struct AppTransaction: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetch when and where a customer first downloaded the app.")
    @Argument(help: "Any transaction id of the customer.") var id: String
    @OptionGroup var options: FetchOptions
    func run() async throws { try await options.fetch { _ in try .appTransactionInfo(of: id) } }
  }

  struct Order: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetch the transactions of an order.",
      discussion: "The order id is in the receipt that Apple mailed to the customer. Only production answers.")
    @Argument(help: "An order id.") var order: String
    @OptionGroup var options: FetchOptions
    func run() async throws { try await options.fetch(in: .production) { _ in try .orderLookup(order) } }
  }

  struct Notifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetch the notifications that Apple sent.",
      discussion: """
        Apple keeps the notifications of 180 days, and of 30 days in the sandbox. What the ledger has already is counted \
        as a duplicate.
        """)
    @Option(
      help: ArgumentHelp("From this instant on (default: as far back as Apple has them).", valueName: "instant"),
      transform: Instant.argument)
    var from: Instant?
    @Option(
      help: ArgumentHelp("Until before this instant (default: now).", valueName: "instant"),
      transform: Instant.argument)
    var to: Instant?
    @Flag(help: "Fetch only what has not reached your server.") var onlyFailures = false
    @OptionGroup var options: FetchOptions

    /// How many days back Apple has notifications, less an hour so that the first instant is not too early.
    private static func earliest(_ environment: Environment) -> Instant {
      let days: Int64 = environment == .production ? 180 : 30
      return .commandStart + (3_600_000 - days * 86_400_000)
    }

    func run() async throws {
      let environment = try options.chosenEnvironment ?? .production
      try await options.fetch(in: environment, describingChanges: false) { _ in
        try .notificationHistory(
          from: from ?? Self.earliest(environment), to: to ?? .commandStart, onlyFailures: onlyFailures)
      }
    }
  }

  struct Receipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ask verifyReceipt what the receipt of a device contains.",
      discussion: """
        The file has the receipt in Base64, or as the device stores it. Receipts of auto-renewable subscriptions need the \
        app's shared secret.
        """)
    @Argument(help: "A file with a receipt.") var file: String
    @OptionGroup var options: FetchOptions

    func run() async throws {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw InputError("Cannot read the receipt \(file). Check the path and its permissions.")
      }
      // A device stores an object of PKCS 7, which begins with the byte of a sequence.
      let text =
        data.first == 0x30 && data.count > 1 && data[data.startIndex + 1] >= 0x80
        ? data.base64EncodedString() : String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
      try await options.fetch { settings in
        try .verifyReceipt(text, sharedSecret: try settings.appSecret(of: settings[.bundleID].first ?? ""))
      }
    }
  }
}
