import ArgumentParser
import Foundation
import LedgerPresentation
import ProgramSupport

/// The output of pages and drawings.
enum PageOutput {
  /// Writes a page or a drawing into the file of `--out`, else to standard output.
  static func write(_ text: String, to out: String?) throws {
    guard let out else { return Terminal.write(text) }
    do {
      try OutputFile.write(Data(text.utf8), to: out)
    } catch let error as CocoaError {
      Terminal.complain("\(out) cannot be written: \(error.localizedDescription). Name another file.")
      throw ExitCode(73)
    }
    Terminal.print("Written to \(Printable.text(out)).")
  }
}
