import Foundation
import TestSupport
import Testing

/// The README's session is run as it stands: each line after `$ ` in order, in one folder, and what it prints compared.
@Suite struct ReadmeTests {
  struct Step: Equatable {
    var command: String
    var output: String
  }

  /// The steps of the fenced blocks marked `console`.
  static func steps(in text: String) -> [Step] {
    var steps: [Step] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), output: ""))
      } else if isInside, !steps.isEmpty {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  /// Runs one line in a shell, with the built program first on its path.
  static func run(_ command: String, in folder: TemporaryFolder) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command + " 2>&1"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    var environment = ProcessInfo.processInfo.environment
    let bin = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
    environment["PATH"] = bin + ":" + (environment["PATH"] ?? "")
    environment["SUBLEDGER_DATABASE"] = nil
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `the session of the README prints what it says`() throws {
    let steps = Self.steps(in: try Checkout.contents("README.md"))
    #expect(steps.count >= 6)
    let folder = try TemporaryFolder()
    for step in steps { #expect(try Self.run(step.command, in: folder) == step.output, "\(step.command)") }
  }

  @Test func `canary: a step that prints something else is noticed`() throws {
    let steps = Self.steps(in: "```console\n$ echo one\ntwo\n```\n")
    #expect(steps == [Step(command: "echo one", output: "two\n")])
    #expect(try Self.run(steps[0].command, in: TemporaryFolder()) != steps[0].output)
  }

  @Test func `the README's Swift is the text of a test that runs`() throws {
    let readme = try Checkout.contents("README.md")
    let block = try #require(readme.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
    let test = try Checkout.contents("Tests/CommandTests/ReadmeExample.swift")
    let lines = block.split(separator: "\n").filter { !$0.hasPrefix("import") }
    for line in lines { #expect(test.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)") }
  }
}
