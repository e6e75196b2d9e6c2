import ArgumentParser
import BuildVersion

@main
struct SubledgerServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subledger-server",
    abstract: "Receive Apple's notifications into a ledger, ask Apple, and answer back ends.",
    discussion: """
      The program subledger works on the same file at the same time: import, show, query, backup and audit.

      Exit codes: 0: success. 1: a setting, a file or a token cannot be used, or the server cannot listen. \
      64: wrong arguments.
      """,
    version: "subledger-server \(BuildVersion.text)",
    subcommands: [
      RunCommand.self, FetchCommand.self, TestNotificationCommand.self, ExtendCommand.self,
      SetAccountTokenCommand.self, SendConsumptionCommand.self, AppStoreCommand.self, DemoCommand.self,
      TokensCommand.self, UsersCommand.self, ConfigCommand.self,
    ])
}
