import AppStore
import ArgumentParser
import Foundation
import LedgerPresentation
import ProgramSupport

/// A table in CSV that the owner of a ledger writes.
enum TableFile {
  /// Returns the rows of a table. If the file cannot be read, or a line is wrong, it says so and throws the exit code.
  static func rows<Row>(of path: String, _ read: ([UInt8]) throws(TableError) -> [Row]) throws -> [Row] {
    guard let data = FileManager.default.contents(atPath: path) else {
      Terminal.complain("Cannot read \(path). Nothing was imported. Check the path.")
      throw ExitCode(66)
    }
    do throws(TableError) { return try read([UInt8](data)) } catch {
      Terminal.complain("\(path), line \(error.line): \(error.message). Nothing was imported. Correct the line.")
      throw ExitCode(65)
    }
  }
}
