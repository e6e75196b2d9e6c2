import Foundation
import TestSupport
import Testing

/// The rooms of the design and what each may not know (the build refuses undeclared imports; this reads the rest).
@Suite struct RoomTests {
  static func offences(_ text: String, _ words: [String]) -> [String] {
    let lines = text.split(separator: "\n").filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
    let code = lines.joined(separator: "\n")
    return words.filter(code.contains)
  }

  static let rooms: [(folder: String, words: [String])] = [
    // Formats and signatures: no database, no files, no clock, no printing.
    ("Sources/AppStore", ["import GRDB", "FileManager", "FileHandle", "Date()", "print(", "SELECT ", "INSERT "]),
    // Recording and deriving: no clock, no arguments, no printing.
    ("Sources/Ledger", ["Date()", "print(", "CommandLine", "import ArgumentParser"]),
    // The simulated App Store: no clock, no printing, neither decoders nor rules, which are tested with it.
    (
      "Sources/Storefront",
      ["import Ledger", "import GRDB", "PayloadDecoder", "Evidence", "Date()", "print(", "SELECT ", "INSERT "]
    ),
    // The command line: no SQL of its own, no formats of Apple's.
    ("Sources/subledger", ["import GRDB", "INSERT ", "UPDATE ", "DELETE FROM", "JSONDocument"]),
  ]

  @Test(arguments: rooms.map(\.folder))
  func `a room knows no more than it may`(folder: String) throws {
    let room = try #require(Self.rooms.first { $0.folder == folder })
    for file in Checkout.files(in: folder, ending: ".swift") where !file.contains("/Terminal.swift") {
      #expect(Self.offences(try Checkout.contents(file), room.words) == [], "\(file)")
    }
  }

  @Test func `files stay small enough to be read`() throws {
    for file in Checkout.files(in: "Sources", ending: ".swift") {
      #expect(try Checkout.contents(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 400)
    }
  }

  @Test func `canary: an offence is found, and a comment is none`() {
    #expect(Self.offences("let now = Date()\n// Date()", ["Date()"]) == ["Date()"])
    #expect(Self.offences("// Date()", ["Date()"]) == [])
  }
}
