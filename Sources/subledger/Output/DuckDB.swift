import Foundation
import Ledger

/// The program `duckdb` of this machine, which writes Parquet.
struct DuckDB {
  private let path: String

  /// Finds the program on the path of the environment; `nil` where it is not installed.
  init?() {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let folder = folders.first(where: { access("\($0)/duckdb", X_OK) == 0 }) else { return nil }
    path = "\(folder)/duckdb"
  }

  /// The writer of Parquet that runs the program.
  var parquetWriter: ParquetWriter { ParquetWriter { try run(Self.script($0, $1)) } }

  /// The longest row, in bytes. A row with the text of a payload is as long as the text.
  private static let longestRow = 1 << 26

  /// Returns the statements that write files.
  static func script(_ files: [ParquetWriter.File], _ columns: [ParquetWriter.Column]) -> String {
    let types = columns.map { "\(text($0.name)): '\($0.isInteger ? "BIGINT" : "VARCHAR")'" }.joined(separator: ", ")
    // Without these settings it could look for an extension on the network, and rows could change their order.
    let settings = "SET autoinstall_known_extensions = false; SET preserve_insertion_order = true;\n"
    return files.reduce(into: settings) { script, file in
      script += """
        COPY (SELECT * FROM read_json(\(text(file.source)), format = 'newline_delimited', \
        maximum_object_size = \(longestRow), columns = {\(types)})) TO \(text(file.target)) (FORMAT parquet);

        """
    }
  }

  private static func text(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

  /// Runs statements, and waits for their end.
  private func run(_ script: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    // No settings of the user apply, and the first error ends it.
    process.arguments = ["-init", "/dev/null", "-bail", "-batch", ":memory:"]
    let (input, errors) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (input, FileHandle.nullDevice, errors)
    do { try process.run() } catch {
      throw LedgerError(.cannotWrite, "\(path) could not be started.", .advice("Export as CSV or NDJSON instead."))
    }
    // A program that ends before it has read everything has an exit code that says so.
    signal(SIGPIPE, SIG_IGN)
    try? input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
    try? input.fileHandleForWriting.close()
    let complaint = String(decoding: (try? errors.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus != 0 || process.terminationReason != .exit else { return }
    // The rest of its message may quote a row.
    let kind = complaint.split(whereSeparator: { $0 == ":" || $0.isNewline }).first.map { " (\($0))" } ?? ""
    throw LedgerError(
      .cannotWrite, "DuckDB could not write Parquet\(kind).",
      .advice("Check the free space and the version of \(path), or export as CSV or NDJSON."))
  }
}
