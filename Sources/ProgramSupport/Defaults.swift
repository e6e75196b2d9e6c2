import AppStore
import Foundation

/// What both programs assume where nobody says otherwise.
package enum Defaults {
  /// The name of the environment variable that names the ledger file.
  package static let databaseVariable = "SUBLEDGER_DATABASE"
  /// The ledger file, in the present folder.
  package static let database = "subledger.sqlite"

  /// Returns the path of the ledger file: the given one, else the environment's, else the one in the present folder.
  package static func path(_ given: String?) -> String {
    if let given { return given }
    let named = ProcessInfo.processInfo.environment[databaseVariable] ?? ""
    return named.isEmpty ? database : named
  }
}

extension Instant {
  /// The present instant of this machine's clock. Only programs read it.
  package static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
