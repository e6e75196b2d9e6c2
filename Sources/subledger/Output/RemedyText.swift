import Ledger

extension LedgerError.Remedy {
  /// What to do next, with this program's commands.
  var words: String {
    switch self {
    case .importOrNameAnother: "Import something first, or name it with --database."
    case .nameAnotherFile: "Name another file with --database."
    case .nameAnotherFileOrRestore:
      "Name another file; or, if this was a ledger, put a backup in its place with subledger restore."
    case .restoreBackup:
      "If it stays so, put a backup in its place with subledger restore, and import again what came since."
    case .audit: "See everything that is wrong with subledger audit; or restore a backup with subledger restore."
    case .nameAnotherOrReplace: "Name another, or say --replace."
    case .nameAnotherFolderOrExportFully: "Name another folder, or say --full to export everything."
    case .findCustomer: "Look it up with subledger show."
    case .readSchema: "See the tables and views, column by column, with subledger schema."
    case .advice(let text): text
    }
  }
}
