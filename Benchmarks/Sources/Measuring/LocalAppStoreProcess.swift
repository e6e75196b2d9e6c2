import Foundation

/// A local App Store as its users run it, which listens until it is stopped.
final class LocalAppStoreProcess {
  /// The folder with what a client needs, and with what was sent.
  let folder: String
  /// The settings of a client, by the names of their environment variables.
  let settings: [String: String]
  /// How long it took until it listened, in seconds.
  let begun: Double
  private let process = Process()

  /// The number of the process.
  var id: Int32 { process.processIdentifier }

  /// Starts a local App Store, and waits until it listens.
  /// - Parameters:
  ///   - folder: the name of its folder, which is emptied first.
  ///   - isOnOneCore: whether it has one core, and the load and the receiver have the others.
  ///   - arguments: its further arguments.
  init(_ workshop: Workshop, folder name: String, isOnOneCore: Bool = false, _ arguments: [String]) throws {
    let folder = workshop.path(name)
    self.folder = folder
    try? FileManager.default.removeItem(atPath: folder)
    let command =
      (isOnOneCore ? ["taskset", "--cpu-list", "0"] : []) + [
        workshop.subledger + "-server", "app-store", "--out", folder, "--seed", "3",
      ]
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command + arguments
    process.standardOutput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    while !FileManager.default.fileExists(atPath: folder + "/settings.env") {
      guard process.isRunning else { throw BenchmarkError("the local App Store ended") }
      Thread.sleep(forTimeInterval: 0.01)
    }
    begun = start.duration(to: .now) / .seconds(1)
    let lines = try String(contentsOfFile: folder + "/settings.env", encoding: .utf8).split(separator: "\n")
    settings = Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: "=", maxSplits: 1)
        return (String(parts[0]), parts[1].trimmingCharacters(in: ["'"]))
      })
  }

  /// Stops it, and waits for its end.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}
