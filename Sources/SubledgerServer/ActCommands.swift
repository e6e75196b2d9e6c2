import AppStore
import AppStoreClient
import ArgumentParser
import Foundation
import LedgerPresentation

/// The commands by which Apple does something. They ask in production, unless the person or the ledger names the sandbox.
private func sent(_ answer: AppStoreAnswer) -> String {
  "Asked Apple's \(answer.environment.name.lowercased()) server: \(answer.request.method) \(answer.request.path)."
}

struct ExtendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend", abstract: "Extend the renewal date of a subscription.",
    discussion: """
      Apple allows 90 days at most, and two extensions in 365 days. It mails the customer, and an extension cannot be \
      undone. The same request identifier again does nothing more, so name it when you repeat a request whose answer you \
      did not see.
      """)

  enum Reason: String, ExpressibleByArgument, CaseIterable {
    case undeclared
    case customerSatisfaction = "customer-satisfaction"
    case other
    case serviceIssue = "service-issue"

    var apple: AppStoreRequest.ExtensionReason {
      switch self {
      case .undeclared: .undeclared
      case .customerSatisfaction: .customerSatisfaction
      case .other: .other
      case .serviceIssue: .serviceIssue
      }
    }
  }

  @Argument(help: "The original transaction id.") var id: String
  @Option(help: ArgumentHelp("How many days, 1 to 90.", valueName: "count")) var days: Int
  @Option(help: "Why: undeclared, customer-satisfaction, other or service-issue.") var reason = Reason.undeclared
  @Option(help: ArgumentHelp("Identifies this wish (default: a new UUID).", valueName: "text"))
  var requestIdentifier: String?
  @OptionGroup var options: FetchOptions

  func run() async throws {
    let identifier = requestIdentifier ?? UUID().uuidString.lowercased()
    try await options.ask { _ in
      try .extend(id, byDays: days, reason.apple, identifier: identifier)
    } _: { request, environment, client, settings in
      FileHandle.standardError.write(Data("request identifier: \(Printable.text(identifier))\n".utf8))
      let answer = try await client.ask(request, in: environment ?? .production)
      let root = try? JSONDocument(answer.body).root
      print(sent(answer))
      guard root?["success"]?.boolean == true else {
        print("Apple did not extend the subscription.")
        throw ExitCode(1)
      }
      let end = root?["effectiveDate"]?.plainDigits.map { Instant(milliseconds: $0) }
      print("Extended. It renews at \(Messages.instant(end)).")
      // The notification may take some time, and the next question about this person comes now.
      try await Fetching(client, settings).run(.subscriptionStatuses(of: id), answer.environment)
    }
  }
}

struct SetAccountTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-account-token",
    abstract: "Set the app account token of a purchase that has none, or another one.",
    discussion: """
      Purchases outside the app, such as with an offer code, come without a token. The new one is in the transactions \
      from now on, and not in past ones.
      """)

  @Argument(help: "The original transaction id.") var id: String
  @Argument(help: "The customer's account token, a UUID.") var token: String
  @OptionGroup var options: FetchOptions

  func run() async throws {
    try await options.ask { _ in
      try .setAppAccountToken(token, of: id)
    } _: { request, environment, client, _ in
      print(sent(try await client.ask(request, in: environment ?? .production)))
      print("Apple states this token in the renewals from now on. Link the purchase too: subledger customers link.")
    }
  }
}

struct SendConsumptionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send-consumption",
    abstract: "Tell Apple how much of a purchase was used, when it asks before a refund.",
    discussion: """
      Answer within twelve hours of the CONSUMPTION_REQUEST, and only with the customer's consent. Apple decides about \
      the refund, and the last answer before that counts.
      """)

  enum Delivery: String, ExpressibleByArgument, CaseIterable {
    case delivered
    case qualityIssue = "quality-issue"
    case wrongItem = "wrong-item"
    case serverOutage = "server-outage"
    case other

    var apple: AppStoreRequest.DeliveryStatus {
      switch self {
      case .delivered: .delivered
      case .qualityIssue: .qualityIssue
      case .wrongItem: .wrongItem
      case .serverOutage: .serverOutage
      case .other: .other
      }
    }
  }

  enum Preference: String, ExpressibleByArgument, CaseIterable {
    case decline
    case grantFull = "grant-full"
    case grantProrated = "grant-prorated"

    var apple: AppStoreRequest.RefundPreference {
      switch self {
      case .decline: .decline
      case .grantFull: .grantFull
      case .grantProrated: .grantProrated
      }
    }
  }

  @Argument(help: "The id of the transaction whose refund was asked for.") var id: String
  @Flag(help: "The customer consented to this answer. Without consent, do not answer at all.")
  var customerConsented = false
  @Option(help: "What was delivered: delivered, quality-issue, wrong-item, server-outage or other.")
  var delivery = Delivery.delivered
  @Flag(help: "The app offered a free sample before the purchase.") var sampleProvided = false
  @Option(help: ArgumentHelp("How much was used, from 0 to 100; not for a subscription.", valueName: "percent"))
  var consumed: Double?
  @Option(help: "What you wish: decline, grant-full or grant-prorated.") var preference: Preference?
  @OptionGroup var options: FetchOptions

  func validate() throws {
    guard customerConsented else {
      throw ValidationError("Apple takes no answer without the customer's consent. State it with --customer-consented.")
    }
    guard consumed.map({ (0...100).contains($0) }) ?? true else {
      throw ValidationError("--consumed is a number from 0 to 100.")
    }
  }

  func run() async throws {
    try await options.ask { _ in
      try .consumption(
        of: id, delivery: delivery.apple, hasSample: sampleProvided,
        consumption: consumed.map { Int(($0 * 1000).rounded()) }, preference: preference?.apple)
    } _: { request, environment, client, _ in
      print(sent(try await client.ask(request, in: environment ?? .production)))
      print("Apple has the answer. Its decision comes as a notification: REFUND or REFUND_DECLINED.")
    }
  }
}

struct TestNotificationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test-notification", abstract: "Let Apple send a test notification, and say whether it arrived.",
    discussion:
      "Apple sends it to the address in App Store Connect. --wait states for how long to look for the outcome.")

  @Option(help: ArgumentHelp("How long to wait for the outcome, in seconds.", valueName: "count")) var wait = 60
  @OptionGroup var options: FetchOptions

  func run() async throws {
    try await options.ask { _ in
      .testNotification
    } _: { request, environment, client, _ in
      let answer = try await client.ask(request, in: environment ?? .production)
      print(sent(answer))
      guard let token = (try? JSONDocument(answer.body).root)?["testNotificationToken"]?.string else {
        print("Apple's answer has no token, so the outcome cannot be asked for.")
        throw ExitCode(1)
      }
      let (attemptedAt, result) = try await outcome(try .testNotificationStatus(token), answer, client)
      guard result == "SUCCESS" else {
        print("It did not arrive: \(Printable.text(result)). \(Self.advice(result))")
        throw ExitCode(1)
      }
      print("It arrived after \(max(0, attemptedAt.milliseconds - answer.receivedAt.milliseconds)) ms.")
    }
  }

  /// Asks for the outcome until Apple has one. Apple needs some seconds, and allows a question a second.
  private func outcome(
    _ request: AppStoreRequest, _ asked: AppStoreAnswer, _ client: AppStoreClient
  ) async throws -> (Instant, String) {
    let end = ContinuousClock.now + .seconds(wait)
    while true {
      try await Task.sleep(for: .seconds(2))
      do {
        let status = try await client.ask(request, in: asked.environment)
        let attempt = (try? JSONDocument(status.body).root)?["sendAttempts"]?.elements.first
        if let attempt, let result = attempt["sendAttemptResult"]?.string, let at = attempt["attemptDate"]?.plainDigits
        {
          return (Instant(milliseconds: at), result)
        }
      } catch let failure as AppStoreFailure where failure.verdict == .notYetKnown && ContinuousClock.now < end {
        continue
      }
      guard ContinuousClock.now < end else {
        print("Apple has no outcome after \(wait) seconds. Ask later, with --wait.")
        throw ExitCode(75)
      }
    }
  }

  /// Returns what to check after an outcome in Apple's words.
  private static func advice(_ result: String) -> String {
    switch result {
    case "TIMED_OUT": "The server took too long to answer. Check its load, and the proxy before it."
    case "TLS_ISSUE": "Check the certificate: its chain, its names and its end."
    case "NO_RESPONSE", "SOCKET_ISSUE", "PREMATURE_CLOSE":
      "Check the address in App Store Connect, the firewall and that the server runs. Apple sends from 17.0.0.0/8."
    case "UNSUCCESSFUL_HTTP_RESPONSE_CODE": "The server refused it. Look into its log for the reason."
    case "CIRCULAR_REDIRECT": "The address answers with redirects. Enter the last one in App Store Connect."
    default: "Check the address in App Store Connect, the proxy and the certificate."
    }
  }
}
