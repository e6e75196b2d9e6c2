import Foundation

/// The built program, which runs as users run it: in its own process and its own folder.
package struct Program: Sendable {
  package struct Result: Sendable {
    package var output: String
    package var complaints: String
    package var code: Int32
  }

  /// The path of the built program. The test bundle is beside it. (SUBLEDGER_PROGRAM names another path.)
  package static let path: String = {
    if let named = ProcessInfo.processInfo.environment["SUBLEDGER_PROGRAM"] { return named }
    let candidates = CommandLine.arguments + [Bundle.main.executablePath ?? ""]
    for argument in candidates {
      var folder = URL(fileURLWithPath: argument)
      while folder.pathComponents.count > 1 {
        folder.deleteLastPathComponent()
        let program = folder.appendingPathComponent("subledger").path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: program, isDirectory: &isFolder), !isFolder.boolValue {
          return program
        }
      }
    }
    return "subledger"
  }()

  /// A command that ends another one which hangs. No machine is so slow that it ends one that works.
  package static let hangGuard = "timeout \(Eventually.limit.components.seconds)"

  package let folder: TemporaryFolder

  package init() throws { folder = try TemporaryFolder() }

  /// Creates a program in its own folder, with copies of another folder's files.
  package init(copying other: TemporaryFolder) throws { folder = try TemporaryFolder(copying: other) }

  /// Creates a program in an existing folder.
  package init(folder: TemporaryFolder) { self.folder = folder }

  /// Runs the program with arguments and a standard input, to its end.
  package func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], program: String = Self.path
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    var variables = ProcessInfo.processInfo.environment
    variables["SUBLEDGER_DATABASE"] = nil
    process.environment = variables.merging(environment) { $1 }
    let names = ["in", "out", "err"].map { folder.file(".\($0)-\(UUID().uuidString)") }
    try Data(input.utf8).write(to: URL(fileURLWithPath: names[0]))
    for name in names.dropFirst() { _ = FileManager.default.createFile(atPath: name, contents: nil) }
    let handles = try (
      FileHandle(forReadingFrom: URL(fileURLWithPath: names[0])),
      FileHandle(forWritingTo: URL(fileURLWithPath: names[1])),
      FileHandle(forWritingTo: URL(fileURLWithPath: names[2]))
    )
    (process.standardInput, process.standardOutput, process.standardError) = handles
    try process.run()
    process.waitUntilExit()
    defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
    return Result(
      output: try String(contentsOfFile: names[1], encoding: .utf8),
      complaints: try String(contentsOfFile: names[2], encoding: .utf8), code: process.terminationStatus)
  }
}
