import AppStore
import Foundation
import TestSupport
import Testing

/// Which target may import which, and which may hold SQL. The build refuses imports that Package.swift does not declare
/// (`--explicit-target-dependency-import-check error`); these tests state what Package.swift may declare.
@Suite struct LayeringTests {
  /// One target: the modules of this package and of others that its files may import, and words that they may not have.
  struct Layer: Sendable {
    var target: String
    var imports: Set<String>
    /// Whether its files may hold SQL.
    var hasSQL = false
    var forbidden: [String] = []
    /// Whether it is a program, which prints and reads the clock.
    var isProgram = false
  }

  /// From the lowest to the highest. Only programs read the clock and print. Only the servers, their program and the
  /// client of Apple's API have a network.
  static let layers = [
    Layer(
      target: "AppStore", imports: ["CZlib", "Crypto", "SwiftASN1", "SwiftCSV", "X509"],
      forbidden: ["FileManager", "FileHandle"]),
    Layer(target: "TextTemplates", imports: ["AppStore"], forbidden: ["FileManager", "FileHandle"]),
    Layer(target: "BuildVersion", imports: []),
    Layer(target: "Charts", imports: []),
    Layer(
      target: "AppStoreSimulator", imports: ["AppStore", "Crypto", "CryptoExtras", "HeapModule", "SwiftASN1", "X509"],
      forbidden: evidence),
    Layer(target: "LedgerSchema", imports: ["BuildVersion", "Crypto", "GRDB"], hasSQL: true),
    Layer(
      target: "LedgerStore",
      imports: ["AppStore", "Crypto", "GRDB", "GRDBSQLite", "LedgerSchema", "TextTemplates"], hasSQL: true),
    Layer(
      target: "LedgerQueries", imports: ["AppStore", "GRDB", "GRDBSQLite", "LedgerSchema", "LedgerStore"], hasSQL: true),
    Layer(
      target: "LedgerReports",
      imports: ["AppStore", "Crypto", "GRDB", "GRDBSQLite", "LedgerSchema", "LedgerStore"], hasSQL: true),
    Layer(
      target: "LedgerMaintenance",
      imports: ["AppStore", "Crypto", "GRDB", "GRDBSQLite", "LedgerReports", "LedgerSchema", "LedgerStore"],
      hasSQL: true),
    Layer(
      target: "Ledger",
      imports: ["AppStore", "LedgerMaintenance", "LedgerQueries", "LedgerReports", "LedgerSchema", "LedgerStore"]),
    Layer(target: "LedgerPresentation", imports: ["AppStore", "Ledger"]),
    Layer(target: "ReportPresentation", imports: ["AppStore", "Charts", "Ledger", "LedgerPresentation"]),
    Layer(
      target: "LedgerService",
      imports: ["AppStore", "Crypto", "CryptoExtras", "GRDB", "LedgerQueries", "LedgerSchema", "LedgerStore"],
      hasSQL: true),
    Layer(
      target: "ProgramSupport", imports: ["AppStore", "AppStoreSimulator", "ArgumentParser", "LedgerPresentation"],
      isProgram: true),
    Layer(
      target: "SupportPages",
      imports: ["AppStore", "Charts", "Ledger", "LedgerPresentation", "Mustache", "ReportPresentation"]),
    Layer(target: "HTTPConnections", imports: ["HummingbirdCore", "Logging", "NIOCore"], forbidden: evidence),
    Layer(
      target: "AppStoreClient", imports: ["AppStore", "AsyncHTTPClient", "Crypto", "NIOCore", "NIOHTTP1"],
      forbidden: evidence),
    Layer(
      target: "AppStoreServer",
      imports: [
        "AppStore", "AppStoreSimulator", "AsyncHTTPClient", "HTTPConnections", "HTTPTypes", "Hummingbird", "Logging",
        "Mustache", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle",
      ], forbidden: evidence),
    Layer(
      target: "LedgerSync", imports: ["AppStore", "AppStoreClient", "Ledger", "LedgerService", "LedgerStore"]),
    Layer(
      target: "LedgerServer",
      imports: [
        "AppStore", "AppStoreClient", "CoreMetrics", "HTTPConnections", "HTTPTypes", "Hummingbird", "HummingbirdCore",
        "HummingbirdTLS", "Ledger", "LedgerPresentation", "LedgerService", "LedgerStore", "LedgerSync", "Logging",
        "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOSSL", "ReportPresentation", "ServiceLifecycle", "SupportPages",
      ]),
    Layer(
      target: "SubledgerServer",
      imports: [
        "AppStore", "AppStoreClient", "AppStoreServer", "AppStoreSimulator", "ArgumentParser", "BuildVersion",
        "Configuration", "Ledger", "LedgerPresentation", "LedgerServer", "LedgerService", "LedgerSync", "Logging",
        "ProgramSupport", "SystemPackage",
      ], isProgram: true),
    Layer(
      target: "subledger",
      imports: [
        "AppStore", "AppStoreSimulator", "ArgumentParser", "BuildVersion", "Charts", "Ledger", "LedgerPresentation",
        "ProgramSupport", "ReportPresentation", "SQLiteSettings",
      ],
      forbidden: ["JSONDocument", "INSERT ", "UPDATE ", "DELETE FROM"], isProgram: true),
  ]

  /// The simulator knows neither the decoders nor the rules, so that both can be tested with it.
  static let evidence = ["PayloadDecoder", "Evidence", "ReceiptCheck", "AppReceipt("]
  /// What every system has.
  static let system: Set = ["Dispatch", "Foundation", "Glibc", "Synchronization"]
  static let sql = ["SELECT ", "INSERT ", "UPDATE ", "DELETE FROM"]

  /// The modules that a file imports.
  static func imports(_ text: String) -> Set<String> {
    let pattern = /^(?:@\w+ )?(?:(?:public|package|internal) )?import (\w+)/
    return Set(
      text.split(separator: "\n").filter { $0.contains("import ") }.compactMap { line in
        line.firstMatch(of: pattern).map { String($0.1) }
      })
  }

  /// The words that stand in a file's code, comments left out.
  static func offences(_ text: String, _ words: [String]) -> [String] {
    let lines = text.split(separator: "\n").filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
    let code = lines.joined(separator: "\n")
    return words.filter(code.contains)
  }

  @Test(arguments: layers.map(\.target))
  func `a target imports and knows no more than it may`(target: String) throws {
    let layer = try #require(Self.layers.first { $0.target == target })
    // A program's help has examples of SQL.
    let words =
      layer.forbidden + (layer.hasSQL || layer.isProgram ? [] : Self.sql)
      + (layer.isProgram ? [] : ["Date()", "print(", "CommandLine"])
    for file in Checkout.files(in: "Sources/\(target)", ending: ".swift") where !file.contains("/Terminal.swift") {
      let text = try Checkout.contents(file)
      #expect(Self.imports(text).subtracting(Self.system).subtracting(layer.imports) == [], "\(file)")
      #expect(Self.offences(text, words) == [], "\(file)")
    }
  }

  @Test func `every target has its layer`() throws {
    let folders = Set(
      Checkout.files(in: "Sources", ending: ".swift").compactMap { $0.split(separator: "/").dropFirst().first })
    #expect(folders.subtracting(Self.layers.map { Substring($0.target) }) == [])
  }

  /// The targets that know Apple's formats, and not how a ledger stores them.
  static let withoutStorage = ["AppStore", "AppStoreSimulator", "AppStoreClient", "AppStoreServer", "Charts"]

  @Test(arguments: withoutStorage)
  func `what knows Apple's formats knows no table, no view and no column`(target: String) throws {
    // Some tables are called as a format of Apple's is.
    let relations = try Set(Self.relations()).subtracting(PayloadKind.allCases.map(\.rawValue))
    #expect(relations.count > 100, "canary: the relations are read")
    for file in Checkout.files(in: "Sources/\(target)", ending: ".swift") {
      #expect(Self.storageNames(try Checkout.contents(file), relations) == [], "\(file)")
    }
  }

  /// The names of tables and views that have more than one word.
  static func relations() throws -> [String] {
    let pattern = /CREATE (?:VIEW|TABLE) (\w+_\w+)/
    return try Checkout.files(in: "Migrations", ending: ".sql").flatMap { file in
      try Checkout.contents(file).matches(of: pattern).map { String($0.1) }
    }
  }

  /// The names of relations in a text, and the names of columns that no format of Apple's has, also in comments.
  static func storageNames(_ text: String, _ relations: Set<String>) -> [String] {
    let words = text.matches(of: /[a-z]+(?:_[a-z]+)+/).map { String($0.output) }
    let columns = [
      "evidence_at", "recorded_at", "stated_at", "inferred_at", "access_ends_at", "original_transaction_key",
    ]
    return words.filter { relations.contains($0) || columns.contains($0) }
  }

  @Test func `libraries name no option and no command of the program`() throws {
    for layer in Self.layers where !layer.isProgram {
      for file in Checkout.files(in: "Sources/\(layer.target)", ending: ".swift") {
        #expect(Self.options(try Checkout.contents(file)) == [], "\(file)")
      }
    }
  }

  /// Options and commands in the string literals of a file.
  static func options(_ text: String) -> [String] {
    // A regular expression is compiled where it stands, so it stands outside of the loop.
    let pattern =
      /"[^"]*( --[a-z]+|subledger (import|show|audit|restore|backup|export|schema|query|products|rates|quarantine)\b)[^"]*"/
    return text.split(separator: "\n").filter { line in
      guard line.contains(" --") || line.contains("subledger ") else { return false }
      return !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") && line.contains(pattern)
    }.map(String.init)
  }

  @Test func `files stay small enough to be read`() throws {
    for file in Checkout.files(in: "Sources", ending: ".swift") {
      #expect(try Checkout.contents(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 400)
    }
  }

  @Test func `canary: an offence is found, and a comment is none`() {
    #expect(Self.offences("let now = Date()\n// Date()", ["Date()"]) == ["Date()"])
    #expect(Self.offences("// Date()", ["Date()"]) == [])
    #expect(Self.imports("@testable import A\npackage import B\n// import C") == ["A", "B"])
    #expect(Self.storageNames("/// See history_event and recorded_at.", ["history_event"]).count == 2)
    #expect(Self.options("let a = \"say --full now\"\n// \"say --full now\"").count == 1)
  }
}
