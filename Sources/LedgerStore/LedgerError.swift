internal import Foundation
package import GRDB
internal import LedgerSchema

/// The reason why a ledger cannot be opened, read or written, with what to do next.
public struct LedgerError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors. Their raw values are stable names for programs.
  public enum Code: String, Sendable {
    /// No file exists at this path.
    case noSuchFile = "no_such_file"
    /// The file is not a SQLite database.
    case notADatabase = "not_a_database"
    /// The file is a SQLite database, but not a ledger.
    case notALedger = "not_a_ledger"
    /// A newer version of the program made the file.
    case newerSchema = "newer_schema"
    /// An older version made the file, and this version has not opened it for recording yet.
    case olderSchema = "older_schema"
    /// A version before 1.0 made the file. Its tables are no longer read.
    case obsoleteFormat = "obsolete_format"
    /// Somebody changed the file's schema, so recorded rows could differ from what arrived.
    case alteredSchema = "altered_schema"
    /// The file cannot be created.
    case cannotCreate = "cannot_create"
    /// The file cannot be read: permission is missing, or input or output failed.
    case cannotRead = "cannot_read"
    /// The file cannot be written: permission or space is missing, or input or output failed.
    case cannotWrite = "cannot_write"
    /// Another program had the file locked for longer than the timeout.
    case busy
    /// Somebody moved or replaced the file while it was open.
    case fileMoved = "file_moved"
    /// SQLite reports that the file is damaged.
    case damaged
    /// SQLite or the ledger refused an SQL statement of a user.
    case refusedStatement = "refused_statement"
    /// An id, a name or a note is empty, is too long, or contains a character that is not allowed.
    case refusedText = "refused_text"
    /// An SQL statement of a user took longer than the limit.
    case statementTooSlow = "statement_too_slow"
    /// An SQL statement of a user exceeded the limit of memory or of a text's length.
    case statementTooLarge = "statement_too_large"
    /// A payload exceeds the greatest length. It was not read to its end.
    case payloadTooLong = "payload_too_long"
    /// The file contains a state, a rule or another name that this version does not know.
    case unknownValue = "unknown_value"
    /// An entry contradicts what is recorded. Nothing was recorded.
    case refusedEntry = "refused_entry"
  }

  /// What a person or a program can do after an error. The command line adds its own commands to these texts.
  public enum Remedy: Sendable, Equatable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// Import something first, or name another file.
    case importOrNameAnother
    /// Name another file, because this one cannot be used.
    case nameAnotherFile
    /// Name another file, or restore a backup in place of this one.
    case nameAnotherFileOrRestore
    /// Restore a backup in place of the file, and import the payloads that arrived after the backup.
    case restoreBackup
    /// Audit the file, because the audit lists everything that is wrong.
    case audit
    /// Name another destination, or ask to replace the existing one.
    case nameAnotherOrReplace
    /// Name another folder, or ask for a full export.
    case nameAnotherFolderOrExportFully
    /// Look up the customer or the id.
    case findCustomer
    /// Read the data dictionary: all tables and views with their columns.
    case readSchema
    /// Another remedy, as one or more sentences.
    case advice(String)

    /// Creates a remedy from a sentence.
    public init(stringLiteral value: String) { self = .advice(value) }

    /// The remedy in words that name no command.
    public var description: String {
      switch self {
      case .importOrNameAnother: "Import something first, or name another file."
      case .nameAnotherFile: "Name another file."
      case .nameAnotherFileOrRestore: "Name another file. If this was a ledger, restore a backup."
      case .restoreBackup: "If the error stays, restore a backup. Then import the payloads that arrived after it."
      case .audit: "Audit the file. The audit lists everything that is wrong."
      case .nameAnotherOrReplace: "Name another destination, or ask to replace this one."
      case .nameAnotherFolderOrExportFully: "Name another folder, or export everything."
      case .findCustomer: "Look up the id."
      case .readSchema: "Read the data dictionary."
      case .advice(let text): text
      }
    }
  }

  /// The kind of error, as a stable name.
  public var code: Code
  /// What happened and where, in English. It never contains a value that was bound to a statement.
  public var message: String
  /// What to do next, or `nil` when only the message can help.
  public var remedy: Remedy?

  /// The message and the remedy, in words that name no command.
  public var description: String { remedy.map { "\(message) \($0)" } ?? message }

  /// Converts an error of SQLite to an error with a message and a remedy.
  package init(_ error: DatabaseError, path: String, isWriting: Bool) {
    let words = error.message ?? "no details"
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
          "Check the permissions of the file, its folder, and the -wal and -shm files beside it.")
      }
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self = .busy(path)
    case .SQLITE_CORRUPT:
      self.init(
        .damaged, "\(path) is damaged: \(words).", .restoreBackup)
    case .SQLITE_FULL:
      self.init(
        .cannotWrite, "\(path) cannot be written: the disk has no space left.", "Free some space, then try again.")
    case .SQLITE_IOERR:
      self.init(
        isWriting ? .cannotWrite : .cannotRead,
        "\(path) cannot be \(isWriting ? "written" : "read"): the system reports an input or output error "
          + "(SQLite \(error.extendedResultCode.rawValue)).",
        """
        Check the disk, its free space and any limit on the size of files, then try again. What was recorded before is \
        safe.
        """)
    case .SQLITE_NOMEM:
      self.init(
        isWriting ? .cannotWrite : .cannotRead, "Not enough memory is free to work on \(path).",
        "Free some memory, then try again.")
    case .SQLITE_READONLY where !isWriting:
      self.init(
        .cannotRead, "\(path) cannot be read without permission to write in its folder, where SQLite writes its log.",
        "Read it as a user with that permission, or copy the file to a folder of your own.")
    case .SQLITE_READONLY, .SQLITE_PERM:
      self.init(.cannotWrite, "\(path) may not be written.", "Check the permissions of the file and of its folder.")
    default:
      self.init(
        isWriting ? .cannotWrite : .cannotRead, "\(path): \(words) (SQLite \(error.extendedResultCode.rawValue)).")
    }
  }

  /// Creates an error from its parts.
  package init(_ code: Code, _ message: String, _ remedy: Remedy? = nil) {
    (self.code, self.message, self.remedy) = (code, message, remedy)
  }

  /// Returns this error with the failure that came before it, so that neither is lost.
  /// - Parameter former: the description of the other failure, in one or more sentences.
  package func preceded(by former: String) -> LedgerError {
    let separator = former.hasSuffix(".") ? "" : "."
    return LedgerError(code, "\(former)\(separator) After that: \(message)", remedy)
  }

  /// Runs a closure that uses SQLite, and converts errors of SQLite to ``LedgerError``.
  package static func wrapping<Value>(_ path: String, isWriting: Bool, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: isWriting)
    }
  }

  /// The error for a word that is not one of those that a column allows.
  package static func unknownValue(_ value: String, of column: String) -> LedgerError {
    LedgerError(
      .unknownValue, "The column \(column) contains '\(value)', which this version of subledger does not know.",
      "Use the version that wrote the file, or a later one.")
  }

  package static func busy(_ path: String) -> LedgerError {
    LedgerError(
      .busy, "Another program has \(path) locked.", "Try again when that program has finished.")
  }

  package static func danglingLink(_ path: String) -> LedgerError {
    LedgerError(
      .cannotCreate, "\(path) is a symbolic link to a file that cannot be found. Nothing was written.",
      "Name the file itself, or remove the link.")
  }

  package static func noHandles(_ path: String, isWriting: Bool) -> LedgerError {
    LedgerError(
      isWriting ? .cannotWrite : .cannotRead, "\(path) cannot be opened: no file handle is free.",
      "Raise the limit on open files (ulimit -n), or close some files.")
  }

  /// Whether the system can open no further file at all. (SQLite does not report why it could not open a file. The
  /// ledger's own file is not tried, because closing it would release SQLite's locks on it.)
  private static var lacksHandles: Bool {
    let handle = open("/dev/null", O_RDONLY)
    defer { if handle >= 0 { close(handle) } }
    return handle < 0 && (errno == EMFILE || errno == ENFILE)
  }
}
