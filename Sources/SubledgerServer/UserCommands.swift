import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import LedgerService
import ProgramSupport

struct UsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Make and list the people who sign in at the support page, and change their roles.",
    discussion: """
      Each role may do what those before it may.

      viewer: look up people, and read about them. support: notes, grants for at most 30 days, ask Apple. lead: links, \
      transfers, longer grants, refund requests, reports, access log. admin: erase people.
      """,
    subcommands: [
      Create.self, List.self, SetRole.self, SetPassword.self, EndSessions.self, Remove.self,
    ])

  /// The name of a user.
  struct NameArgument: ParsableArguments {
    @Argument(help: "The name with which the user signs in.") var name: String
  }

  /// A file that has a password.
  struct PasswordOption: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "A file whose first line is the password; - for standard input. 12 characters or more.", valueName: "file"))
    var passwordFile: String

    /// Reads the password from the file.
    func password() throws -> Password {
      let input = passwordFile == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: passwordFile)
      guard let data = try? input?.read(upToCount: 4096), let text = String(data: data, encoding: .utf8) else {
        throw InputError("\(passwordFile) cannot be read as UTF-8. Name a file with the password in its first line.")
      }
      let line = text.prefix { !$0.isNewline }
      do { return try Password(new: String(line)) } catch let error as LedgerError { throw InputError("\(error)") }
    }
  }

  private static func role(_ text: String) throws -> StaffRole {
    guard let role = StaffRole(rawValue: text) else {
      let all = StaffRole.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("'\(text)' is not a role. Choose from \(all).")
    }
    return role
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a user. The name stays for good.")

    @OptionGroup var user: NameArgument
    @Option(help: ArgumentHelp("What the user may do: viewer, support, lead, admin.", valueName: "role"))
    var role: String
    @OptionGroup var password: PasswordOption
    @OptionGroup var options: EntryOptions

    func run() throws {
      let (role, password) = (try UsersCommand.role(role), try password.password())
      try options.recording { try $0.createStaffUser(user.name, role: role, password: password, $1) }
      print("\(Printable.text(user.name)) may sign in as \(role.rawValue).")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the users by name.")

    @OptionGroup var options: EntryOptions

    func run() throws {
      do {
        let ledger = try LedgerReader(path: options.path)
        defer { ledger.close() }
        for user in try ledger.staffUsers() {
          print(
            "\(Printable.text(user.name))  \(user.role?.rawValue ?? "may not sign in")  since \(user.enteredAt)  "
              + "\(Messages.count(user.sessionCount, "session"))  "
              + "by \(Printable.text(user.author)): \(Printable.text(user.reason))")
        }
      } catch let error as LedgerError { throw InputError("\(error)") }
    }
  }

  struct SetRole: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a user another role.", discussion: "It ends the user's sessions.")

    @OptionGroup var user: NameArgument
    @Argument(help: "viewer, support, lead or admin.") var role: String
    @OptionGroup var options: EntryOptions

    func run() throws {
      let role = try UsersCommand.role(role)
      try options.recording { try $0.setRole(role, ofStaffUser: user.name, $1) }
      print("\(Printable.text(user.name)) may sign in as \(role.rawValue).")
    }
  }

  struct SetPassword: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a user another password.", discussion: "It ends the user's sessions.")

    @OptionGroup var user: NameArgument
    @OptionGroup var password: PasswordOption
    @OptionGroup var ledger: LedgerFileOption

    func run() throws {
      let password = try password.password()
      do {
        let ledger = try LedgerRecorder(path: Defaults.path(ledger.database))
        defer { ledger.close() }
        try ledger.setPassword(password, ofStaffUser: user.name, at: .now)
      } catch let error as LedgerError { throw InputError("\(error)") }
      print("\(Printable.text(user.name)) has another password.")
    }
  }

  struct EndSessions: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End all sessions of a user, who may sign in again.")

    @OptionGroup var user: NameArgument
    @OptionGroup var ledger: LedgerFileOption

    func run() throws {
      do {
        let ledger = try LedgerRecorder(path: Defaults.path(ledger.database))
        defer { ledger.close() }
        let count = try ledger.endSessions(ofStaffUser: user.name)
        print("\(Messages.count(count, "session")) of \(Printable.text(user.name)) ended.")
      } catch let error as LedgerError { throw InputError("\(error)") }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a user sign in no more.",
      discussion: "It ends the user's sessions. The access log still names the user. Give a role to let them in again.")

    @OptionGroup var user: NameArgument
    @OptionGroup var options: EntryOptions

    func run() throws {
      try options.recording { try $0.setRole(nil, ofStaffUser: user.name, $1) }
      print("\(Printable.text(user.name)) may not sign in any more.")
    }
  }
}
