import AppStore
import ArgumentParser
import Foundation
import Ledger

/// The option `--reason` of the commands that show a person. The access log records who read what.
struct AccessLogOptions: ParsableArguments {
  @Option(help: "Why you read it, for the access log.") var reason: String?

  func validate() throws {
    if let reason, String.argument(reason).isEmpty { throw ValidationError("--reason is empty.") }
  }

  /// Who reads: the user of the system, and the name in SUBLEDGER_AUTHOR where several people share that user.
  private static var userName: String {
    let user = ProcessInfo.processInfo.userName
    let author = ProcessInfo.processInfo.environment[AuthorOption.variable] ?? ""
    return author.isEmpty || author == user ? user : "\(author) (user \(user))"
  }

  /// How long an answer waits for another program that writes the file.
  private static let timeout: Duration = .seconds(2)

  /// Returns an entry about what this command shows.
  func entry(_ operation: String, purchase: String? = nil, _ parameters: QueryParameters, count: Int) -> AccessLogEntry
  {
    var entry = entry(operation, count: count)
    (entry.originalTransactionID, entry.parameters) = (purchase, parameters)
    return entry
  }

  /// Returns an entry about several people, such as a search.
  func entry(_ operation: String, count: Int) -> AccessLogEntry {
    var entry = AccessLogEntry(
      .user(Self.userName), requestID: Self.requestID, operation: operation, enteredAt: .commandStart)
    (entry.reason, entry.resultCount) = (reason, count)
    return entry
  }

  /// One command is one request.
  private static let requestID = UUID().uuidString.lowercased()

  /// Records who reads, before the answer is printed. A file that cannot be written still answers, and a message says that
  /// the access log lacks it.
  func record(_ entries: [AccessLogEntry], in database: DatabaseOption) {
    do {
      let recorder = try LedgerRecorder(path: database.path, busyTimeout: min(database.busyTimeout, Self.timeout))
      defer { recorder.close() }
      try recorder.log(entries)
    } catch {
      let cause = (error as? LedgerError)?.message ?? "\(error)"
      Terminal.note("The access log does not have this answer. \(cause)")
    }
  }
}
