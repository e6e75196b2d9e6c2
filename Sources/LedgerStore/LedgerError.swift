internal import Foundation
package import GRDB
internal import LedgerSchema

/// Why a ledger cannot be opened, read or written.
public struct LedgerError: Error, Sendable, CustomStringConvertible {
  /// The reasons: stable names.
  public enum Code: String, Sendable {
    /// There is no file at this path.
    case noSuchFile = "no_such_file"
    /// The file is no SQLite database.
    case notADatabase = "not_a_database"
    /// The file is a SQLite database, but no ledger.
    case notALedger = "not_a_ledger"
    /// A newer version of the program made the file.
    case newerSchema = "newer_schema"
    /// An older version made the file, and nothing was recorded with this one yet.
    case olderSchema = "older_schema"
    /// The file is of a version before 1.0, whose tables are no longer read.
    case obsoleteFormat = "obsolete_format"
    /// Somebody changed the file's schema: what is recorded would not be what arrived.
    case alteredSchema = "altered_schema"
    /// The file cannot be created.
    case cannotCreate = "cannot_create"
    /// The file cannot be read: no permission, or an input or output error.
    case cannotRead = "cannot_read"
    /// The file cannot be written: no permission, no space, or an input or output error.
    case cannotWrite = "cannot_write"
    /// Another program has held the file for longer than our patience.
    case busy
    /// SQLite finds the file damaged.
    case damaged
    /// A statement given by a user was refused.
    case refusedStatement = "refused_statement"
    /// An id, a name or a note is empty, too long, or holds what no text may.
    case refusedText = "refused_text"
    /// A statement given by a user took longer than it may.
    case statementTooSlow = "statement_too_slow"
    /// A statement given by a user needed more memory, or made a longer text, than it may.
    case statementTooLarge = "statement_too_large"
    /// A payload is so long that it was not even read to its end.
    case payloadTooLong = "payload_too_long"
    /// The file holds a state, a rule or another name that this version does not know.
    case unknownValue = "unknown_value"
    /// An entry contradicts what is recorded: nothing was written.
    case refusedEntry = "refused_entry"
  }

  /// What a person or a program can do about an error. The command line words these with its own commands.
  public enum Remedy: Sendable, Equatable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// Import something first, or name another file.
    case importOrNameAnother
    /// Name another file.
    case nameAnotherFile
    /// Name another file; or put a backup in the place of this one.
    case nameAnotherFileOrRestore
    /// Put a backup in the place of the file, and import again what came since.
    case restoreBackup
    /// Audit the file: the audit lists everything that is wrong.
    case audit
    /// Name another destination, or ask for the replacement of what is there.
    case nameAnotherOrReplace
    /// Name another folder, or ask for a full export.
    case nameAnotherFolderOrExportFully
    /// Look the customer or the id up.
    case findCustomer
    /// Look at the tables and views, column by column.
    case readSchema
    /// Something else, in one sentence.
    case advice(String)

    /// A remedy in a sentence of its own.
    public init(stringLiteral value: String) { self = .advice(value) }

    /// The remedy in words that name no command.
    public var description: String {
      switch self {
      case .importOrNameAnother: "Import something first, or name another file."
      case .nameAnotherFile: "Name another file."
      case .nameAnotherFileOrRestore: "Name another file; or, if this was a ledger, restore a backup."
      case .restoreBackup: "If it stays so, restore a backup, and import again what came since."
      case .audit: "Audit the file: the audit lists everything that is wrong."
      case .nameAnotherOrReplace: "Name another, or ask for its replacement."
      case .nameAnotherFolderOrExportFully: "Name another folder, or export everything."
      case .findCustomer: "Look the id up."
      case .readSchema: "Read the data dictionary."
      case .advice(let text): text
      }
    }
  }

  /// What kind of reason.
  public var code: Code
  /// What happened and where. It never holds a value that was bound to a statement.
  public var message: String
  /// What to do next; `nil` when nothing helps but to look at the message.
  public var remedy: Remedy?

  /// The message, and what to do next in words that name no command.
  public var description: String { remedy.map { "\(message) \($0)" } ?? message }

  /// An error of SQLite in our words.
  package init(_ error: DatabaseError, path: String, isWriting: Bool) {
    let words = error.message ?? "no further word"
    switch error.resultCode {
    case .SQLITE_NOTADB:
      self.init(
        .notADatabase, "\(path) is not a SQLite database.", .nameAnotherFileOrRestore)
    case .SQLITE_CANTOPEN:
      if Self.lacksHandles {
        self = .noHandles(path, isWriting: isWriting)
      } else {
        self.init(
          !isWriting ? .cannotRead : access(path, F_OK) == 0 ? .cannotWrite : .cannotCreate,
          "\(path) cannot be opened.",
          "Check that you may read and write it, its folder, and the -wal and -shm files beside it.")
      }
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self = .busy(path)
    case .SQLITE_CORRUPT:
      self.init(
        .damaged, "\(path) is damaged: \(words).", .restoreBackup)
    case .SQLITE_FULL:
      self.init(.cannotWrite, "There is no space left to write \(path).", "Free some space and run the command again.")
    case .SQLITE_IOERR:
      self.init(
        isWriting ? .cannotWrite : .cannotRead,
        "\(path) cannot be \(isWriting ? "written" : "read"): the system refuses "
          + "(SQLite \(error.extendedResultCode.rawValue)).",
        """
        Look at the disk, its free space and any limit on the size of files; what was recorded before is safe, and the \
        same command can be run again.
        """)
    case .SQLITE_NOMEM:
      self.init(isWriting ? .cannotWrite : .cannotRead, "There is no memory left to work on \(path).")
    case .SQLITE_READONLY where !isWriting:
      self.init(
        .cannotRead, "\(path) cannot be read without permission to write in its folder, where SQLite keeps its log.",
        "Ask as a user who may, or copy the file to a folder of your own.")
    case .SQLITE_READONLY, .SQLITE_PERM:
      self.init(.cannotWrite, "\(path) may not be written.", "Check the permissions of the file and of its folder.")
    default:
      self.init(
        isWriting ? .cannotWrite : .cannotRead, "\(path): \(words) (SQLite \(error.extendedResultCode.rawValue)).")
    }
  }

  /// An error.
  package init(_ code: Code, _ message: String, _ remedy: Remedy? = nil) {
    (self.code, self.message, self.remedy) = (code, message, remedy)
  }

  /// Runs something that uses SQLite, and puts SQLite's errors in our words.
  package static func wrapping<Value>(_ path: String, isWriting: Bool, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: isWriting)
    }
  }

  package static func busy(_ path: String) -> LedgerError {
    LedgerError(
      .busy, "\(path) is held by another program.", "Run the command again when that program is done.")
  }

  package static func danglingLink(_ path: String) -> LedgerError {
    LedgerError(
      .cannotCreate, "\(path) is a symbolic link to a file that cannot be found, and nothing was written.",
      "Name the file itself, or remove the link.")
  }

  package static func noHandles(_ path: String, isWriting: Bool) -> LedgerError {
    LedgerError(
      isWriting ? .cannotWrite : .cannotRead, "\(path) cannot be opened: no file handle is free.",
      "Raise the limit on open files (ulimit -n), or close some.")
  }

  /// Whether nothing at all can be opened. (SQLite does not tell why it could not open a file; and the file itself is not
  /// tried, because closing it would let go of SQLite's locks on it.)
  private static var lacksHandles: Bool {
    let handle = open("/dev/null", O_RDONLY)
    defer { if handle >= 0 { close(handle) } }
    return handle < 0 && (errno == EMFILE || errno == ENFILE)
  }
}
