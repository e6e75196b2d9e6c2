import ArgumentParser
import BuildVersion
import Foundation

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Look at the settings.", subcommands: [Check.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print every setting with its source, and check it. The server does not start.",
      discussion: """
        Options count before environment variables, these before the configuration file, and this before the default. \
        Secrets are not among the settings: settings name the files that hold them.
        """)

    @OptionGroup var options: ServerOptions

    func run() async throws {
      let settings = try await options.settings()
      let width = (ServerSettings.Key.allCases.map(\.rawValue.count).max() ?? 0) + 2
      for key in ServerSettings.Key.allCases {
        guard let setting = settings.settings[key] else { continue }
        let value = setting.values.isEmpty ? "–" : setting.values.joined(separator: ", ")
        print(
          key.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            + "\(value)  (\(setting.values.isEmpty ? "not set" : setting.source))")
      }
      _ = try settings.server(version: BuildVersion.text, LogQueue(STDERR_FILENO))
      print("OK: the settings can be used.")
    }
  }
}
