import AppStore
import ArgumentParser
import Foundation
import Ledger

/// `subledger backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the ledger into one file, while imports go on, and check the copy.",
    discussion: """
      The copy is the ledger as it is at this moment, readable by its owner only. It gets its name when it was checked, and \
      no file is written over unless you say --replace. Keep the digest that is printed elsewhere: subledger audit --against \
      proves by it, for the ledger and for the copy, that nothing was changed since.
      """)

  @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
  var file: String

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Where there is a file of this name, put the copy in its place.")
  var replace = false

  func validate() throws {
    if file == "-" { throw ValidationError("A backup is a file, and cannot be written to standard output.") }
  }

  func run() throws {
    let ledger = try database.reader()
    Interruption.watch("No backup was written. The ledger is as it was.")
    let summary = try reporting {
      try ProgressLine.during { try ledger.backUp(to: file, isReplacing: replace, progress: $0.show) }
    }
    Terminal.print("\(Terminal.printable(file)) holds \(summary.words).")
  }
}

/// `subledger restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the ledger's place, after checking it.",
    discussion: """
      The backup is copied and checked first; one that is damaged, or not as it was recorded, changes nothing. Where there is \
      a ledger already, --replace exchanges it in one transaction: programs that have it open see the one or the other. \
      Import again what came since the backup was made: what is known is counted as known.
      """)

  @Argument(help: ArgumentHelp("A file that subledger backup wrote.", valueName: "file"))
  var file: String

  @OptionGroup var database: DatabaseOption

  @Flag(help: "Where there is a ledger already, give it up.")
  var replace = false

  func run() throws {
    let isThere = FileManager.default.fileExists(atPath: database.path)
    let relation = isThere ? try? Backup.relation(of: file, to: database.path) : nil
    if isThere, !replace { tell(relation, "would be lost") }
    Interruption.watch("The ledger is as it was, or as the backup: the exchange is one step.")
    let summary = try reporting {
      try ProgressLine.during {
        try Backup.restore(file, to: database.path, isReplacing: replace, busyTimeout: database.busyTimeout, progress: $0.show)
      }
    }
    if isThere { tell(relation, "is gone") }
    Terminal.print("\(Terminal.printable(database.path)) holds \(summary.words).")
  }

  /// What the ledger has, or had, that the backup has not.
  private func tell(_ relation: BackupRelation?, _ fate: String) {
    let name = database.path
    switch relation {
    case .complete: Terminal.note("\(name) and the backup hold the same.")
    case .earlier(let count):
      let recordings = count == 1 ? "recording" : Messages.count(Int(count), "recording")
      Terminal.note("\(name) goes on where the backup ends: what came in its last \(recordings) \(fate).")
    case .unrelated: Terminal.note("\(name) has another history than the backup, or cannot be read: it \(fate).")
    case nil: break
    }
  }
}

extension ProgressLine {
  /// Shows how far a copy is.
  fileprivate func show(_ progress: CopyProgress) {
    switch progress {
    case .copying(let share): show("Copying", share: share)
    case .checking(let share): show("Checking the copy", share: share)
    case .replacing(let share): show("Replacing the ledger", share: share)
    }
  }
}

extension BackupSummary {
  /// In words.
  fileprivate var words: String {
    let end = anchor.map { ", sealed by \($0.digest.hexadecimal)" } ?? ""
    return Messages.count(payloads, "payload") + end
  }
}
