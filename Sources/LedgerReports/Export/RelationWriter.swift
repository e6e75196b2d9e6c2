internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema
internal import LedgerStore

/// Writes the rows of one relation into its files.
///
/// Values go from SQLite's memory into the bytes of the files without a Swift object each. So an export is as fast as
/// SQLite finds the rows.
final class RelationWriter {
  private let relation: ExportRelation
  private let folder: String
  private let formats: [ExportFormat]
  private let isRawCSV: Bool
  private let isMarking: Bool
  private var parts: [[PartFile?]]
  private let keyColumn: CInt?
  /// The bytes before each value in JSON, with the name of the column.
  private let names: [[UInt8]]
  /// Whether a column counts in the digest of a subscription. The instants of the query do not.
  private let isCounted: [Bool]
  private(set) var digests: SubscriptionDigests?
  private var rowCount = 0
  private let parquetWriter: ParquetWriter?

  /// What the rows of a Parquet file are written into first.
  private static let sourceEnding = ".ndjson"

  /// Prepares the files of a relation.
  /// - Parameters:
  ///   - folder: the folder of the export. The folder of the relation is created in it.
  ///   - isMarking: whether the rows of unchanged original transactions will be removed at the end.
  init(
    _ relation: ExportRelation, in folder: String, _ options: ExportOptions, _ partitions: SubscriptionPartitions,
    isMarking: Bool
  ) throws {
    (self.relation, formats, isRawCSV, self.isMarking) = (relation, options.formats, options.isRawCSV, isMarking)
    parquetWriter = options.parquetWriter
    self.folder = "\(folder)/\(relation.name)"
    parts = formats.map { _ in
      [PartFile?](repeating: nil, count: relation.owner == .nobody ? 1 : partitions.count)
    }
    keyColumn = relation.columnIndex(of: "original_transaction_key").map(CInt.init)
    names = relation.columns.enumerated().map { index, column in
      Array("\(index == 0 ? "{" : ",")\"\(column.name)\":".utf8)
    }
    isCounted = relation.columns.map { $0.name != "as_of" && $0.name != "known_at" }
    digests = relation.isByOriginalTransaction ? SubscriptionDigests(count: partitions.originalTransactionCount) : nil
  }

  /// Writes every row that a statement finds.
  /// - Parameter progress: called after each thousand rows, with how many rows were written so far.
  func write(
    _ statement: GRDB.Statement, _ partitions: SubscriptionPartitions, progress: (_ rows: Int) throws -> Void = { _ in }
  ) throws {
    let handle = statement.sqliteStatement
    defer { sqlite3_reset(handle) }
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW:
        try writeRow(handle, partitions)
        rowCount += 1
        if rowCount.isMultiple(of: 1000) { try progress(rowCount) }
      case SQLITE_DONE: return
      case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: statement.sql)
      }
    }
  }

  private func writeRow(_ handle: OpaquePointer, _ partitions: SubscriptionPartitions) throws {
    let key = keyColumn.map { sqlite3_column_int64(handle, $0) } ?? 0
    let partition = relation.owner == .originalTransaction ? partitions.ofOriginalTransaction(key) : 0
    if digests != nil { digests?.add(hash(handle), to: Int(key)) }
    for index in formats.indices {
      let part = try part(index, partition)
      switch formats[index] {
      case .csv: writeCSV(handle, part.row)
      case .ndjson, .parquet: writeJSON(handle, part.row)
      }
      try part.endRow(of: key)
    }
  }

  private func part(_ format: Int, _ partition: Int) throws -> PartFile {
    if let part = parts[format][partition] { return part }
    try ExportFolder.make(folder, mayExist: true)
    let header =
      formats[format] == .csv ? Array((relation.columns.map(\.name).joined(separator: ",") + "\n").utf8) : []
    let ending = formats[format] == .parquet ? Self.sourceEnding : ""
    let part = try PartFile("\(folder)/\(name(format, partition))\(ending)", header: header, isMarking: isMarking)
    parts[format][partition] = part
    return part
  }

  private func name(_ format: Int, _ partition: Int) -> String {
    let ending = formats[format].rawValue
    return relation.owner == .nobody ? "all.\(ending)" : "part-\(partition < 10 ? "0" : "")\(partition).\(ending)"
  }

  // MARK: - Values

  private func hash(_ handle: OpaquePointer) -> UInt64 {
    var hash = RowHash()
    for index in isCounted.indices where isCounted[index] {
      switch sqlite3_column_type(handle, CInt(index)) {
      case SQLITE_INTEGER: hash.add(UInt64(bitPattern: sqlite3_column_int64(handle, CInt(index))))
      case SQLITE_NULL: hash.add(0x2545_F491_4F6C_DD1D)
      default: Self.withText(handle, CInt(index)) { hash.add($0, $1) }
      }
    }
    return hash.value
  }

  private func writeCSV(_ handle: OpaquePointer, _ row: RowBytes) {
    for index in relation.columns.indices {
      if index > 0 { row.append(UInt8(ascii: ",")) }
      let column = CInt(index)
      switch sqlite3_column_type(handle, column) {
      case SQLITE_NULL: continue
      case SQLITE_INTEGER: row.append(sqlite3_column_int64(handle, column))
      case SQLITE_BLOB: Self.withBlob(handle, column) { row.append(hexadecimal: $0, $1) }
      // A number is not a formula, even when it begins with a sign.
      case SQLITE_FLOAT: Self.withText(handle, column) { row.append(csv: $0, $1, isRaw: true) }
      default: Self.withText(handle, column) { row.append(csv: $0, $1, isRaw: isRawCSV) }
      }
    }
    row.append(UInt8(ascii: "\n"))
  }

  private func writeJSON(_ handle: OpaquePointer, _ row: RowBytes) {
    for index in relation.columns.indices {
      row.append(names[index])
      let column = CInt(index)
      switch sqlite3_column_type(handle, column) {
      case SQLITE_NULL: row.append(Self.null)
      case SQLITE_INTEGER: row.append(sqlite3_column_int64(handle, column))
      case SQLITE_BLOB:
        row.append(UInt8(ascii: "\""))
        Self.withBlob(handle, column) { row.append(hexadecimal: $0, $1) }
        row.append(UInt8(ascii: "\""))
      default: Self.withText(handle, column) { row.append(json: $0, $1) }
      }
    }
    row.append(Self.rowEnd)
  }

  private static let null = Array("null".utf8)
  private static let rowEnd = Array("}\n".utf8)

  @inline(__always)
  private static func withText(_ handle: OpaquePointer, _ index: CInt, _ body: (UnsafePointer<UInt8>, Int) -> Void) {
    guard let text = sqlite3_column_text(handle, index) else { return }
    body(text, Int(sqlite3_column_bytes(handle, index)))
  }

  @inline(__always)
  private static func withBlob(_ handle: OpaquePointer, _ index: CInt, _ body: (UnsafePointer<UInt8>, Int) -> Void) {
    guard let bytes = sqlite3_column_blob(handle, index) else { return }
    body(bytes.assumingMemoryBound(to: UInt8.self), Int(sqlite3_column_bytes(handle, index)))
  }

  // MARK: - The end

  /// Removes the rows of the original transactions that did not change.
  func keep(_ isChanged: [Bool]) throws {
    for part in parts.joined() {
      try part?.keep { isChanged.indices.contains(Int($0)) && isChanged[Int($0)] }
    }
  }

  /// Writes all files to disk.
  /// - Returns: the files that have rows.
  func finish() throws -> [ExportManifest.File] {
    var files: [ExportManifest.File] = []
    for (index, format) in formats.enumerated() {
      let first = files.count
      for (partition, part) in parts[index].enumerated() {
        guard let part, let digest = try part.finish() else { continue }
        files.append(
          ExportManifest.File(
            path: "\(relation.name)/\(name(index, partition))", format: format.rawValue,
            partition: relation.owner == .nobody ? nil : partition, rows: part.rowCount, bytes: part.byteCount,
            sha256: digest))
      }
      if format == .parquet { try convert(&files[first...]) }
    }
    parts = []
    return files
  }

  /// Writes the Parquet files of the rows that wait as NDJSON.
  private func convert(_ files: inout ArraySlice<ExportManifest.File>) throws {
    guard let parquetWriter, !files.isEmpty else { return }
    let folder = (folder as NSString).deletingLastPathComponent
    let jobs = files.map { file in
      ParquetWriter.File(source: "\(folder)/\(file.path)\(Self.sourceEnding)", target: "\(folder)/\(file.path)")
    }
    try parquetWriter.write(jobs, relation.columns.map { ParquetWriter.Column(name: $0.name, isInteger: $0.isInteger) })
    for (index, job) in zip(files.indices, jobs) {
      unlink(job.source)
      (files[index].bytes, files[index].sha256) = try PartFile.secure(job.target)
    }
  }
}
