import GRDB

/// Another program that has the file locked for writing.
package struct LockHolder: @unchecked Sendable {
  private let queue: DatabaseQueue

  /// Locks a file, after who writes to it now.
  package init(_ path: String) throws {
    var configuration = Configuration()
    // A server that has just started still writes for itself.
    configuration.busyMode = .timeout(Eventually.limit / .seconds(1))
    configuration.allowsUnsafeTransactions = true
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
  }

  /// Lets other programs write again.
  package func release() throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try queue.close()
  }
}
