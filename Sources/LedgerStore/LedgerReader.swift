internal import AppStore
internal import Foundation
package import GRDB
internal import LedgerSchema

/// A reader of one ledger. It cannot write, because its connections to the file are read-only.
///
/// Any number of programs can read while one records. All functions can be called from any thread. Calls that use the
/// same connection take turns.
public final class LedgerReader: Sendable {
  /// The path of the ledger's file.
  public let path: String
  /// The connection for questions about all subscriptions.
  private let all: ReadConnection
  /// The connection for questions about the given subscriptions, answered from evidence.
  private let derived: ReadConnection
  /// The connection for questions about the given subscriptions, answered from the projections.
  private let projected: ReadConnection

  /// Opens a ledger for reading.
  /// - Parameter path: the path of a file that a ``LedgerRecorder`` has made.
  /// - Throws: ``LedgerError``: `no_such_file` when the file does not exist; `older_schema` when an older version wrote
  ///   it and no ``LedgerRecorder`` has opened it since.
  public convenience init(path: String) throws {
    try LedgerFile.requirePath(path)
    guard FileManager.default.fileExists(atPath: path) else {
      throw LedgerError(.noSuchFile, "No ledger exists at \(path).", .importOrNameAnother)
    }
    try LedgerFile.requirePlainFile(path)
    self.init(recordedAt: path)
    // Opens one connection now, so that this function reports a file that cannot be read.
    try LedgerError.wrapping(path, isWriting: false) { _ = try projected.queue() }
  }

  /// Creates the reader of a file that a recorder has just opened.
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
  /// Runs a closure that reads about all subscriptions, in one transaction.
  /// - Parameters:
  ///   - views: the views that its statements name as `temp.…`.
  ///   - body: the closure that reads.
  package func read<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try all.read(views, body)
  }

  /// Runs a closure that reads ids, products, entries or texts, which no projection stores.
  /// - Parameters:
  ///   - views: views that do not read ``ReadConnection/projectedViews``.
  ///   - body: the closure that reads.
  package func lookUp<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try lookUp(views, body)
  }

  /// Runs a closure that reads what no projection stores, with a list of views.
  package func lookUp<Value>(_ views: [String], _ body: (Database) throws -> Value) throws -> Value {
    // This check costs a tenth of the time of a look-up, so only debug builds do it.
    assert(!ReadConnection.readProjections(views), "\(views) read projections, and nobody checked these")
    return try projected.read(views, body)
  }

  /// Runs a closure that reads about the given subscriptions, from their evidence.
  package func readEvidence<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try derived.read(views, body)
  }

  /// Reads about the given subscriptions from the projections. If a projection is out of date, it reads the evidence
  /// instead.
  /// - Parameters:
  ///   - views: the views that the statements name as `temp.…`.
  ///   - ask: writes the question's parameters to the connection, and returns what `body` needs. It may be called
  ///     twice.
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

  /// Runs a user's statement over all subscriptions, outside of a transaction.
  /// - Parameters:
  ///   - views: the views that the statement needs.
  ///   - body: the closure that runs the statement.
  package func withConnection<Value>(
    overlaying views: [String], _ body: (Database) throws -> Value
  ) throws -> Value {
    try all.withConnection(views, body)
  }
}
