import Foundation
import Ledger

/// A new ledger for a test, copied from one that is made once. Making the schema takes longer than copying it.
package enum EmptyLedger {
  private static let contents = Result {
    let folder = try TemporaryFolder()
    try LedgerRecorder(path: folder.file("l.sqlite")).close()
    return try Data(contentsOf: URL(fileURLWithPath: folder.file("l.sqlite")))
  }

  /// Makes the file `l.sqlite` in a folder and opens it for recording.
  package static func make(in folder: TemporaryFolder) throws -> LedgerRecorder {
    let path = folder.file("l.sqlite")
    try contents.get().write(to: URL(fileURLWithPath: path))
    // A ledger gives its own file these permissions too.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return try LedgerRecorder(path: path)
  }
}
