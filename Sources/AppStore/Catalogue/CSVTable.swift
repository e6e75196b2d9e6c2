internal import SwiftCSV

/// A table in CSV whose first line names the columns, in any order.
struct CSVTable {
  /// The rows that are not blank: the number of the line, and the value of each column, without spaces around it. The
  /// columns are those that the reader names, in its order. A missing optional column has empty values.
  let rows: [(line: Int, values: [String])]

  /// Reads a table of its owner.
  /// - Parameters:
  ///   - text: UTF-8 bytes.
  ///   - required: the columns that the table must have.
  ///   - optional: the columns that it may have, which come after the required ones.
  /// - Throws: ``TableError`` with the first line that is not valid.
  init(_ text: [UInt8], required: [String], optional: [String] = []) throws(TableError) {
    let names = required + optional
    let wanted = "the first line must be \(names.joined(separator: ","))"
    let csv: EnumeratedCSV
    do { csv = try EnumeratedCSV(string: String(decoding: text, as: UTF8.self), delimiter: .comma) } catch {
      throw TableError(line: 1, message: "this is not a table; \(wanted)")
    }
    let header = csv.header.map { $0.lowercased().filter { !$0.isWhitespace && $0 != "\u{FEFF}" } }
    if header.count == 1, header[0].contains(";") {
      throw TableError(
        line: 1, message: "semicolons separate the columns; separate them with commas, and write decimals with a point")
    }
    for name in required where !header.contains(name) {
      throw TableError(line: 1, message: "the column \(name) is missing; \(wanted)")
    }
    for name in header where !names.contains(name) {
      throw TableError(line: 1, message: "the column \(name) is not known; \(wanted)")
    }
    let indices = names.map { header.firstIndex(of: $0) }
    var rows: [(line: Int, values: [String])] = []
    for (number, row) in csv.rows.enumerated() where row.contains(where: { !$0.allSatisfy(\.isWhitespace) }) {
      guard row.count == header.count else {
        throw TableError(line: number + 2, message: "it has \(row.count) columns, and not \(header.count)")
      }
      rows.append((number + 2, indices.map { $0.map { row[$0].trimmingSpace } ?? "" }))
    }
    self.rows = rows
  }
}

/// Why a table of its owner was refused.
public struct TableError: Error, Sendable, Equatable {
  /// The line of the table, counted from 1.
  public let line: Int
  /// A description in plain words, without a full stop.
  public let message: String
}
