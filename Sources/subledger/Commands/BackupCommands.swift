import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the ledger into one file while imports continue, and check the copy.",
    discussion: """
      The copy is the ledger of this moment, readable by its owner only. It gets its name after the check. If a file \
      has this name already, the command writes nothing and exits with 73, unless you add --replace.

      Store the printed digest somewhere else. subledger audit --against then proves that nobody changed the ledger or \
      the copy since.
      """)

  @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
  var file: String

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Replace a file that has this name already.")
  var replace = false

  func validate() throws {
    if file == "-" { throw ValidationError("A backup cannot be written to standard output. Name a file.") }
  }

  func run() throws {
    let ledger = try database.reader()
    Interruption.watch("No backup was written. The ledger is unchanged.")
    let summary = try reporting {
      try ProgressLine.during { try ledger.backUp(to: file, isReplacing: replace, progress: $0.show) }
    }
    Terminal.print("\(Printable.text(file)) holds \(summary.text).")
    if summary.revokedTokens > 0 {
      let tokens = summary.revokedTokens == 1 ? "1 token is" : "\(summary.revokedTokens) tokens are"
      Terminal.note("\(tokens) revoked, because they may have been revoked after the backup. Make new ones.")
    }
  }
}

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Check a backup, and put it in the ledger's place.",
    discussion: """
      The command copies and checks the backup first. A backup that is damaged or was changed is refused, and the \
      ledger does not change. If a ledger exists already, the command writes nothing and exits with 73, unless you add \
      --replace.

      --replace exchanges the ledger in one transaction, so other programs see the old one or the new one. Afterwards \
      import again what came since the backup. The importer counts known payloads as duplicates.
      """)

  @Argument(help: ArgumentHelp("A file that subledger backup wrote.", valueName: "file"))
  var file: String

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Replace the ledger that exists already. Its contents are lost.")
  var replace = false

  func run() throws {
    let isThere = FileManager.default.fileExists(atPath: database.path)
    let relation = isThere ? try? Backup.relation(of: file, to: database.path) : nil
    if isThere, !replace { printFinding(relation, "would be lost") }
    Interruption.watch("The ledger is unchanged, or is the backup. The exchange is one step.")
    let summary = try reporting {
      try ProgressLine.during {
        try Backup.restore(
          file, to: database.path, isReplacing: replace, at: .now, busyTimeout: database.busyTimeout,
          progress: $0.show)
      }
    }
    if isThere { printFinding(relation, "is gone") }
    Terminal.print("\(Printable.text(database.path)) holds \(summary.text).")
  }

  /// Prints what the replaced ledger contains that the backup does not.
  private func printFinding(_ relation: BackupRelation?, _ outcome: String) {
    let name = database.path
    switch relation {
    case .complete: Terminal.note("\(name) and the backup have the same contents.")
    case .earlier(let count):
      let recordings = count == 1 ? "recording" : Messages.count(Int(count), "recording")
      Terminal.note("\(name) is newer than the backup. The data of its last \(recordings) \(outcome).")
    case .unrelated: Terminal.note("\(name) is not related to the backup, or cannot be read. It \(outcome).")
    case nil: break
    }
  }
}

extension ProgressLine {
  /// Shows the progress of a copy.
  fileprivate func show(_ progress: CopyProgress) {
    switch progress {
    case .copying(let share): show("Copying", share: share)
    case .checking(let share): show("Checking the copy", share: share)
    case .replacing(let share): show("Replacing the ledger", share: share)
    }
  }
}

extension BackupSummary {
  fileprivate var text: String {
    let end = anchor.map { ", sealed by \($0.digest.hexadecimal)" } ?? ""
    return Messages.count(payloads, "payload") + end
  }
}
