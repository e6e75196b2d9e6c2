internal import AppStore
internal import Foundation
package import GRDB
internal import LedgerSchema
internal import Synchronization

/// A reader of one ledger. It cannot write, because its connections to the file are read-only.
///
/// Any number of programs can read while one records. All functions can be called from any thread. Calls that use the
/// same connection take turns.
public final class LedgerReader: Sendable {
  /// The path of the ledger's file.
  public let path: String
  private let connections = Mutex<[ReadConnection.Scope: ReadConnection]>([:])

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
    self.init(ofOpenFile: path)
    // Opens one connection now, so that this function reports a file that cannot be read.
    try LedgerError.wrapping(path, isWriting: false) { _ = try connection(.some).queue() }
  }

  /// Creates the reader of a file that this program has just opened.
  package init(ofOpenFile path: String) { self.path = path }

  /// Closes the connections. Later calls open them again.
  public func close() {
    let all = connections.withLock { connections in
      defer { connections = [:] }
      return connections.values
    }
    for connection in all { connection.close() }
  }

  /// Returns the connection of a scope, which is opened at its first use.
  private func connection(_ scope: ReadConnection.Scope) -> ReadConnection {
    connections.withLock { connections in
      if let connection = connections[scope] { return connection }
      let connection = ReadConnection(path: path, scope: scope)
      connections[scope] = connection
      return connection
    }
  }
}

// MARK: - Read transactions

extension LedgerReader {
  /// Runs a closure that reads what does not depend on a query, in one transaction.
  /// - Parameters:
  ///   - views: the views that its statements name as `temp.…`.
  ///   - body: the closure that reads.
  package func read<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try connection(.all).read(views, body)
  }

  /// Runs a closure that reads the answers of a query about all subscriptions, in one transaction.
  /// - Parameters:
  ///   - views: the views that its statements name as `temp.…`.
  ///   - parameters: the instants, and the evidence that counts.
  ///   - body: the closure that reads.
  package func readAll<Value>(
    _ views: [String], _ parameters: QueryParameters, _ body: (Database) throws -> Value
  ) throws -> Value {
    var needed: DerivedAnswers.Basis?
    let stored: Value? = try connection(.all).read(views) { database in
      try parameters.write(to: database)
      needed = try DerivedAnswers.needed(parameters, database)
      return needed == nil ? try body(database) : nil
    }
    if let stored { return stored }
    let connection = connection(.allDerived(needed ?? parameters.basis))
    return try connection.read(views) { database in
      try parameters.write(to: database)
      try connection.derive(views, on: database)
      return try body(database)
    }
  }

  /// Runs a user's statement about all subscriptions. SQLite's own errors reach the caller.
  /// - Parameters:
  ///   - views: the views that the statement needs.
  ///   - parameters: the instants, and the evidence that counts.
  ///   - body: the closure that runs the statement.
  package func runStatement<Value>(
    _ views: [String], _ parameters: QueryParameters, _ body: (Database) throws -> Value
  ) throws -> Value {
    var needed: DerivedAnswers.Basis?
    let stored: Value? = try connection(.all).withConnection(views) { database in
      try parameters.write(to: database)
      needed = try DerivedAnswers.needed(parameters, database)
      return needed == nil ? try body(database) : nil
    }
    if let stored { return stored }
    let connection = connection(.allDerived(needed ?? parameters.basis))
    return try connection.withConnection(views) { database in
      try parameters.write(to: database)
      // What others record meanwhile must not be among the stored rows.
      var value: Value?
      try database.inTransaction(.deferred) {
        try connection.derive(views, on: database)
        value = try body(database)
        return .commit
      }
      guard let value else { throw LedgerError(.cannotRead, "\(path) could not be read.") }
      return value
    }
  }

  /// Runs a closure that reads ids, products, entries or texts, which are not answers of the rules.
  /// - Parameters:
  ///   - views: views that read no stored answer.
  ///   - body: the closure that reads.
  package func lookUp<Value>(_ views: String..., body: (Database) throws -> Value) throws -> Value {
    try lookUp(views, body)
  }

  /// Runs a closure that reads ids, products, entries or texts, with a list of views.
  package func lookUp<Value>(_ views: [String], _ body: (Database) throws -> Value) throws -> Value {
    // This check costs a tenth of the time of a look-up, so only debug builds do it.
    assert(
      Schema.closure(of: views).isDisjoint(with: DerivedAnswers.readers),
      "\(views) read stored answers, and nobody checked these")
    return try connection(.some).read(views, body)
  }

  /// Reads the answers of a query about the given subscriptions. They are derived if a stored one is not right.
  /// - Parameters:
  ///   - views: the views that the statements name as `temp.…`.
  ///   - setParameters: writes the query's parameters to the connection, and returns what `body` needs. It may be called
  ///     twice.
  ///   - body: reads the answers.
  package func readSubscriptions<Context, Value>(
    _ views: String..., settingParameters setParameters: (Database) throws -> Context,
    body: (Database, Context) throws -> Value
  ) throws -> Value {
    var needed: DerivedAnswers.Basis?
    let stored: Value? = try connection(.some).read(views + [DerivedAnswers.check]) { database in
      let context = try setParameters(database)
      needed = try DerivedAnswers.needed(database)
      return needed == nil ? try body(database, context) : nil
    }
    if let stored { return stored }
    let connection = connection(.derived(needed ?? .payloads))
    return try connection.read(views) { database in
      let context = try setParameters(database)
      try connection.derive(views, on: database)
      return try body(database, context)
    }
  }
}
