import Foundation
import TestSupport
import Testing

/// The sessions of the README and of the guide are run as they stand: in each document, every line after `$ ` in order, in
/// one folder, and what it prints is compared. `SUBLEDGER_TRANSCRIPTS=write` writes what it prints into the document.
@Suite(.takesTurns) struct GuideTests {
  static let pages = "Sources/Ledger/Ledger.docc"
  static let documents = ["README.md"] + Checkout.files(in: pages, ending: ".md")

  struct Step: Equatable {
    var command: String
    var output: String
  }

  /// A document in parts: its text, and the steps of the fenced blocks marked `console`.
  enum Part: Equatable {
    case text(String)
    case step(Step)
  }

  static func parts(of text: String) -> [Part] {
    var parts: [Part] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") { isInside = line == "```console" }
      if isInside, line.hasPrefix("$ ") {
        parts.append(.step(Step(command: String(line.dropFirst(2)), output: "")))
      } else if isInside, case .step(var step) = parts.last {
        step.output += line + "\n"
        parts[parts.count - 1] = .step(step)
      } else {
        parts.append(.text(String(line)))
      }
    }
    return parts
  }

  /// The document that has these parts.
  static func document(_ parts: [Part]) -> String {
    var text = ""
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let line): text += line + (index == parts.count - 1 ? "" : "\n")
      case .step(let step): text += "$ \(step.command)\n\(step.output)"
      }
    }
    return text
  }

  /// Runs one line in a shell, with the built program first on its path.
  static func run(_ command: String, in folder: TemporaryFolder) throws -> String {
    // Foundation waits until every process has closed the handles that the shell got, also one in the background.
    let closing = "for f in /proc/$$/fd/*; do f=${f##*/}; [ \"$f\" -gt 2 ] && eval \"exec $f>&-\"; done 2>/dev/null"
    let bin = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
    let path = bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    return try Program(folder: folder).run(
      ["-c", "\(closing)\n{ \(command)\n} 2>&1"], environment: ["PATH": path], program: "/bin/bash"
    ).output
  }

  @Test(arguments: documents)
  func `each session prints what the document says`(document: String) throws {
    let folder = try TemporaryFolder()
    let text = try Checkout.contents(document)
    var parts = Self.parts(of: text)
    let isWriting = ProcessInfo.processInfo.environment["SUBLEDGER_TRANSCRIPTS"] == "write"
    for (index, part) in parts.enumerated() {
      guard case .step(let step) = part else { continue }
      let output = try Self.run(step.command, in: folder)
      if !isWriting { #expect(output == step.output, "\(step.command)") }
      parts[index] = .step(Step(command: step.command, output: output))
    }
    if isWriting {
      try Self.document(parts).write(toFile: Checkout.path + "/" + document, atomically: true, encoding: .utf8)
    }
  }

  @Test(arguments: documents)
  func `a document is the sum of its parts, and leads only to what is there`(document: String) throws {
    let text = try Checkout.contents(document)
    #expect(Self.document(Self.parts(of: text)) == text)
    let folder = URL(fileURLWithPath: Checkout.path + "/" + document).deletingLastPathComponent()
    for match in text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
      let target = folder.appendingPathComponent(String(match.1)).standardizedFileURL.path
      #expect(FileManager.default.fileExists(atPath: target), "\(match.1)")
    }
  }

  @Test func `the README has at most 180 lines, and enough sessions`() throws {
    let text = try Checkout.contents("README.md")
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 181)
    let counts = try Self.documents.map { document in
      Self.parts(of: try Checkout.contents(document)).filter { if case .step = $0 { true } else { false } }.count
    }
    #expect(counts[0] >= 6 && counts.reduce(0, +) > 100)
  }

  @Test func `canary: a step that prints something else is noticed`() throws {
    let parts = Self.parts(of: "```console\n$ echo one\ntwo\n```")
    #expect(parts == [.text("```console"), .step(Step(command: "echo one", output: "two\n")), .text("```")])
    #expect(Self.document(parts) == "```console\n$ echo one\ntwo\n```")
    #expect(try Self.run("echo one", in: TemporaryFolder()) == "one\n")
  }

  @Test(arguments: ["README.md", "\(pages)/BackEnds.md"])
  func `the Swift of a document is the text of a test that runs`(document: String) throws {
    let blocks = try Checkout.contents(document).components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    let test = try Checkout.contents("Tests/CommandTests/GuideExample.swift")
    let lines = blocks.flatMap { $0.split(separator: "\n") }.filter { !$0.hasPrefix("import") }
    #expect(lines.count > 5)
    for line in lines { #expect(test.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)") }
  }
}
