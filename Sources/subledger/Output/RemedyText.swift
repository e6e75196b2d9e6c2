import Ledger

extension LedgerError.Remedy {
  /// The advice what to do next, with this program's commands.
  var text: String {
    switch self {
    case .importOrNameAnother: "Import something first, or name another file with --database."
    case .nameAnotherFile: "Name another file with --database."
    case .nameAnotherFileOrRestore:
      "Name another file. If this was a ledger, replace it by a backup with subledger restore."
    case .restoreBackup:
      "If this happens again, replace the file by a backup with subledger restore. Then import again what came since."
    case .audit: "List everything that is wrong with subledger audit, or restore a backup with subledger restore."
    case .nameAnotherOrReplace: "Name another file, or add --replace."
    case .nameAnotherFolderOrExportFully: "Name another folder, or add --full to export everything."
    case .findCustomer: "Look it up with subledger show."
    case .readSchema: "See the tables, views and columns with subledger schema."
    case .advice(let text): text
    }
  }
}
