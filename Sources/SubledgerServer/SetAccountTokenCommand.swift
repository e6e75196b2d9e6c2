import AppStoreClient
import ArgumentParser

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
    } _: { request, environment, client, settings in
      print(try await Fetching(client, settings).act(request, in: environment).requestSummary + ".")
      print("Apple states this token in the renewals from now on. Link the purchase too: subledger customers link.")
    }
  }
}
