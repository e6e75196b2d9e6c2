internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// A folder of exports. Each export is a subfolder, named by its number, and gets its name when it is complete.
final class ExportFolder {
  let path: String
  /// The numbers of the exports in the folder, in order.
  private(set) var numbers: [Int]
  private let lock: Int32

  private static let unfinished = ".unfinished"
  static let schemaName = "schema.json"

  /// Creates the folder, or opens one that is empty or has exports.
  init(_ path: String) throws {
    self.path = path
    try Self.make(path, mayExist: true)
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else {
      throw LedgerError(.cannotCreate, "\(path) cannot be opened as a folder.", "Name a new folder.")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw LedgerError(
        .busy, "Another program is writing an export into \(path).", "Export again when it is done.")
    }
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      numbers = names.compactMap(Self.number).filter { Self.isOurs("\(path)/\(Self.name($0))") }.sorted()
      guard !numbers.isEmpty || names.allSatisfy({ $0 == Self.unfinished }) else {
        throw LedgerError(
          .cannotCreate, "\(path) contains other files, and nothing was written.",
          "Name a new folder, or an empty one.")
      }
    } catch let error as LedgerError {
      close(lock)
      throw error
    } catch {
      close(lock)
      throw LedgerError(.cannotRead, "\(path) cannot be read.", "Check that you may read and write it.")
    }
  }

  deinit { close(lock) }

  /// Creates a folder that only its owner can open.
  static func make(_ path: String, mayExist: Bool) throws {
    guard mkdir(path, 0o700) != 0, !mayExist || errno != EEXIST else { return }
    throw LedgerError(
      .cannotCreate, "\(path) cannot be created: \(String(cString: strerror(errno))).",
      "Check that the folder above it exists and that you may write there.")
  }

  private static func number(_ name: String) -> Int? {
    name.utf8.count == 6 && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? Int(name) : nil
  }

  private static func name(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// Returns whether a subfolder contains an export. Nothing behind a symbolic link counts, because it could be
  /// removed.
  private static func isOurs(_ path: String) -> Bool {
    struct Marked: Decodable { var format: String }
    guard kind(path) == S_IFDIR, kind("\(path)/\(schemaName)") == S_IFREG else { return false }
    guard let data = FileManager.default.contents(atPath: "\(path)/\(schemaName)") else { return false }
    return (try? JSONDecoder().decode(Marked.self, from: data))?.format == ExportManifest.mark
  }

  /// Returns the type of the file at a path, without following a link; 0 when there is none.
  private static func kind(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  /// Returns the path of an export.
  func path(of number: Int) -> String { "\(path)/\(Self.name(number))" }

  /// The number of the next export.
  var next: Int { (numbers.last ?? 0) + 1 }

  /// Returns the manifest of the last export; `nil` when there is none.
  func last() throws -> ExportManifest? {
    guard let number = numbers.last else { return nil }
    let file = "\(path(of: number))/\(Self.schemaName)"
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let data = FileManager.default.contents(atPath: file),
      let manifest = try? decoder.decode(ExportManifest.self, from: data)
    else {
      throw LedgerError(
        .cannotRead, "\(file) is not a schema file that this version of subledger can read.",
        .nameAnotherFolderOrExportFully)
    }
    return manifest
  }

  /// Begins an export, and removes what an interrupted one left.
  /// - Returns: the path of its folder, under a temporary name.
  func begin() throws -> String {
    guard next < 1_000_000 else {
      throw LedgerError(.cannotCreate, "\(path) contains a million exports.", "Name a new folder.")
    }
    discard()
    let unfinishedPath = "\(path)/\(Self.unfinished)"
    try Self.make(unfinishedPath, mayExist: false)
    return unfinishedPath
  }

  /// Removes the unfinished export.
  func discard() { try? Self.remove("\(path)/\(Self.unfinished)") }

  static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  /// Writes the schema file, and gives the export its name.
  /// - Returns: the path of the export.
  func finish(_ manifest: ExportManifest) throws -> String {
    let unfinished = "\(path)/\(Self.unfinished)"
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let file = try PartFile("\(unfinished)/\(Self.schemaName)", header: [], isMarking: false)
    do { file.row.append(Array(try encoder.encode(manifest)) + [UInt8(ascii: "\n")]) } catch {
      throw LedgerError(.cannotWrite, "\(path): the schema file cannot be written.")
    }
    try file.endRow(of: 0)
    _ = try file.finish()
    for relation in manifest.relations where !relation.files.isEmpty { try Self.sync("\(unfinished)/\(relation.name)") }
    try Self.sync(unfinished)
    let name = path(of: manifest.number)
    guard rename(unfinished, name) == 0 else { throw LedgerError.cannotWriteExport(name) }
    guard fsync(lock) == 0 else { throw LedgerError.cannotWriteExport(name) }
    numbers.append(manifest.number)
    return name
  }

  /// Writes a folder to disk. The names of its files are safe only then.
  private static func sync(_ folder: String) throws {
    let handle = open(folder, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { throw LedgerError.cannotWriteExport(folder) }
    defer { close(handle) }
    guard fsync(handle) == 0 else { throw LedgerError.cannotWriteExport(folder) }
  }

  /// Removes the exports before one that contains everything.
  /// - Throws: ``LedgerError`` with `cannotWrite` where one stays: it may contain what was erased since.
  func removeAll(before number: Int) throws {
    for old in numbers where old < number {
      do { try Self.remove(path(of: old)) } catch {
        throw LedgerError(
          .cannotWrite,
          "\(path(of: number)) is complete, but the earlier export \(path(of: old)) cannot be removed. It may "
            + "contain what was erased since.", "Remove the earlier exports of this folder.")
      }
    }
    numbers.removeAll { $0 < number }
  }
}
