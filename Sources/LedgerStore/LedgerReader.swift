internal import AppStore
internal import Foundation
package import GRDB
internal import LedgerSchema

/// Reads one ledger. It cannot write: its connections to the file are read-only.
///
/// Any number of programs may read while one records. All functions may be called from any thread; calls that use the
/// same connection take turns.
public final class LedgerReader: Sendable {
  /// The path of the file.
  public let path: String
  /// Answers about all subscriptions.
  private let all: ReadConnection
  /// Answers about the given subscriptions, from their evidence.
  private let derived: ReadConnection
  /// Answers about the given subscriptions, from the projections.
  private let projected: ReadConnection

  /// Opens a ledger for reading.
  /// - Parameter path: the path of a file that a ``LedgerRecorder`` has made.
  /// - Throws: ``LedgerError``: `no_such_file` when there is no file, `older_schema` when an older version wrote it and
  ///   no ``LedgerRecorder`` has opened it since.
  public convenience init(path: String) throws {
    try LedgerFile.requirePath(path)
    guard FileManager.default.fileExists(atPath: path) else {
      throw LedgerError(.noSuchFile, "There is no ledger at \(path).", .importOrNameAnother)
    }
    try LedgerFile.requirePlainFile(path)
    self.init(recordedAt: path)
    // Opens one connection now, so that a file that cannot be read is an error here.
    try LedgerError.wrapping(path, isWriting: false) { _ = try projected.queue() }
  }

  /// The reader of a file that a recorder has just opened.
  init(recordedAt path: String) {
    self.path = path
    all = ReadConnection(path: path, scope: .all)
    derived = ReadConnection(path: path, scope: .subscriptions)
    projected = ReadConnection(path: path, scope: .projectedSubscriptions)
  }

  /// Closes the connections. Later calls open them again.
  public func close() { for connection in [all, derived, projected] { connection.close() } }
}

// MARK: - Read transactions

extension LedgerReader {
  /// Reads about all subscriptions, in one transaction.
  /// - Parameter views: those that the statements name as `temp.…`.
  package func read<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try all.read(views, body)
  }

  /// Reads what no projection answers: ids, products, entries and texts.
  /// - Parameter views: none of them may read ``ReadConnection/projectedViews``.
  package func lookUp<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try lookUp(views, body)
  }

  /// Reads what no projection answers, with a list of views.
  package func lookUp<Value>(_ views: [String], _ body: (Database) throws -> Value) throws -> Value {
    // A tenth of the time of a look-up: only tests pay it.
    assert(!ReadConnection.readProjections(views), "\(views) read projections, and nobody checked these")
    return try projected.read(views, body)
  }

  /// Reads about the given subscriptions from their evidence.
  package func readEvidence<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try derived.read(views, body)
  }

  /// Reads about the given subscriptions: from the projections when these are up to date, else from the evidence.
  /// - Parameters:
  ///   - views: those that the statements name as `temp.…`.
  ///   - ask: puts the questions to the connection, and returns what it learned for that.
  ///   - body: reads the answers.
  package func readSubscriptions<Context, Value>(
    _ views: String..., asking ask: (Database) throws -> Context, body: (Database, Context) throws -> Value
  ) throws -> Value {
    let answer: Value? = try projected.read(views + [UpToDateProjections.check]) { database in
      let context = try ask(database)
      guard let proof = try UpToDateProjections(checking: database) else { return nil }
      return try proof.read(database) { try body($0, context) }
    }
    if let answer { return answer }
    return try derived.read(views) { database in
      let context = try ask(database)
      return try body(database, context)
    }
  }

  /// Runs a statement of a user over all subscriptions, outside of a transaction of ours.
  package func withConnection<Value>(
    laying views: (_ names: [String]) -> [String], _ body: (Database) throws -> Value
  ) throws -> Value {
    try all.withConnection(views, body)
  }
}
