import AppStore
import AppStoreClient
import ArgumentParser
import Foundation
import LedgerPresentation

struct ExtendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extend", abstract: "Extend the renewal date of a subscription.",
    discussion: """
      Apple allows 90 days at most, and two extensions in 365 days. It mails the customer, and an extension cannot be \
      undone. The same request identifier again does nothing more, so name it when you repeat a request whose answer you \
      did not see.
      """)

  @Argument(help: "The original transaction id.") var id: String
  @Option(help: ArgumentHelp("How many days, 1 to 90.", valueName: "count")) var days: Int
  @Option(
    help: "Why: undeclared, customer-satisfaction, other or service-issue (default: undeclared).",
    transform: AppStoreRequest.ExtensionReason.argument) var reason = AppStoreRequest
    .ExtensionReason.undeclared
  @Option(help: ArgumentHelp("Identifies this wish (default: a new UUID).", valueName: "text"))
  var requestIdentifier: String?
  @OptionGroup var options: FetchOptions

  func run() async throws {
    let identifier = requestIdentifier ?? UUID().uuidString.lowercased()
    try await options.ask { _ in
      try .extend(id, byDays: days, reason, identifier: identifier)
    } _: { request, environment, client, settings in
      StandardError.note("request identifier: \(Printable.text(identifier))")
      let answer = try await Fetching(client, settings).act(request, in: environment)
      print(answer.requestSummary + ".")
      guard answer.root?["success"]?.boolean == true else {
        print("Apple did not extend the subscription.")
        throw ExitCode(1)
      }
      let end = answer.root?["effectiveDate"]?.plainDigits.map { Instant(milliseconds: $0) }
      print("Extended. It renews at \(Messages.instant(end)).")
      // The notification may take some time, and the next query about this person comes now.
      try await Fetching(client, settings).run(.subscriptionStatuses(of: id), answer.environment)
    }
  }
}
