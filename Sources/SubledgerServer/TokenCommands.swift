import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import LedgerService
import ProgramSupport

struct TokensCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens", abstract: "Make, list, rotate and revoke the tokens of programs that ask the server.",
    discussion: """
      The server reads tokens at each request, so that a revocation counts from the next one on.

      Scopes: ask (access, change feed), ingest (receipts, transactions, client events, links), support (people, notes, \
      grants), metrics (status, metrics), admin (access log, erasures, status, metrics).
      """,
    subcommands: [Create.self, List.self, Rotate.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token, and print it on standard output.",
      discussion: "The token is printed once. The ledger stores only a digest of its secret.")

    @Argument(help: "A name for people, such as the program that will use it.") var name: String

    @Option(help: ArgumentHelp("What it may do: ask, ingest, support, metrics, admin.", valueName: "scope,…"))
    var scope: String

    @Option(help: ArgumentHelp("When it ends: ISO 8601, or milliseconds since 1970.", valueName: "instant"))
    var expiresAt: String?

    @Option(help: ArgumentHelp("How many requests a second it may make (default: 50).", valueName: "count"))
    var rate: Int?

    @OptionGroup var options: EntryOptions

    func run() throws {
      let scopes = try scope.split(separator: ",").map { name in
        guard let scope = APIToken.Scope(rawValue: name.trimmingCharacters(in: .whitespaces)) else {
          let all = APIToken.Scope.allCases.map(\.rawValue).joined(separator: ", ")
          throw ValidationError("'\(name)' is not a scope. Choose from \(all).")
        }
        return scope
      }
      let end = try expiresAt.map { text in
        guard let instant = Instant(text) else { throw ValidationError("'\(text)' is not an instant.") }
        return instant
      }
      let token = try options.recording { ledger, staffAction in
        try ledger.createToken(name, scopes: Set(scopes), requestsPerSecond: rate, expiresAt: end, staffAction)
      }
      print(token.text)
      if isatty(STDOUT_FILENO) == 1 { StandardError.note("Keep it in a safe place: nobody can read it again.") }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the tokens, the newest last.")

    @OptionGroup var options: EntryOptions

    func run() throws {
      do {
        let ledger = try LedgerReader(path: options.path)
        defer { ledger.close() }
        let now = Instant.now
        for token in try ledger.tokens() {
          let state =
            token.revokedAt.map { "revoked \($0)" }
            ?? (token.isValid(at: now) ? token.expiresAt.map { "until \($0)" } ?? "valid" : "ended")
          let scopes = token.scopes.map(\.rawValue).sorted().joined(separator: ",")
          let used = token.lastUsedAt.map { "used in the hour of \($0)" } ?? "not used"
          print(
            "\(token.id)  \(Printable.text(token.name))  \(scopes)  \(state)  \(used)  "
              + "by \(Printable.text(token.author)): \(Printable.text(token.reason))")
        }
      } catch let error as LedgerError { throw InputError("\(error)") }
    }
  }

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a new secret for a token, and print the token on standard output.",
      discussion: "The former secret stays valid for --overlap, so that programs can change over.")

    @Argument(help: "The public id of the token: the eight characters after sl_.") var id: String

    @Option(help: ArgumentHelp("How long the former secret stays valid (default: 1d).", valueName: "duration"))
    var overlap = "1d"

    @OptionGroup var options: EntryOptions

    func run() throws {
      guard let time = DurationText(overlap)?.duration else {
        throw ValidationError("'\(overlap)' is not a length of time. Write a number and s, m, h or d, such as 1d.")
      }
      let token = try options.recording { ledger, staffAction in
        let end = Instant(milliseconds: staffAction.enteredAt.milliseconds + time.components.seconds * 1000)
        return try ledger.rotateToken(id, formerUntil: end, staffAction)
      }
      print(token.text)
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke a token. It ends at once.")

    @Argument(help: "The public id of the token: the eight characters after sl_.") var id: String
    @OptionGroup var options: EntryOptions

    func run() throws {
      try options.recording { try $0.revokeToken(id, $1) }
      print("The token \(id) is revoked.")
    }
  }
}
