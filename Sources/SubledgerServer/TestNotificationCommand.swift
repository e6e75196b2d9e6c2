import AppStore
import AppStoreClient
import ArgumentParser
import LedgerPresentation

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
    } _: { request, environment, client, settings in
      let fetching = Fetching(client, settings)
      let answer = try await fetching.act(request, in: environment)
      print(answer.requestSummary + ".")
      guard let token = answer.root?["testNotificationToken"]?.string else {
        print("Apple's answer has no token, so the outcome cannot be asked for.")
        throw ExitCode(1)
      }
      let (attemptedAt, result) = try await outcome(
        try .testNotificationStatus(token), answer, fetching)
      guard result == "SUCCESS" else {
        print("It did not arrive: \(Printable.text(result)). \(Self.advice(result))")
        throw ExitCode(1)
      }
      print("It arrived after \(max(0, attemptedAt.milliseconds - answer.receivedAt.milliseconds)) ms.")
    }
  }

  /// Asks for the outcome until Apple has one. Apple needs some seconds, and allows a query a second.
  private func outcome(
    _ request: AppStoreRequest, _ asked: AppStoreAnswer, _ fetching: Fetching
  ) async throws -> (Instant, String) {
    let end = ContinuousClock.now + .seconds(wait)
    while true {
      try await Task.sleep(for: .seconds(2))
      do {
        let status = try await fetching.act(request, in: asked.environment)
        let attempt = status.root?["sendAttempts"]?.elements.first
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
