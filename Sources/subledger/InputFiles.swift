import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation

/// The files that the given paths name, with the files inside folders, in a stable order.
///
/// Each file is read piece by piece.
struct InputFiles: Sequence {
  /// The error that a file existed at the start and cannot be read now.
  struct Unreadable: Error {
    let path: String
    let reason: String
  }

  /// One file, and whether it was found in a folder or named by the user.
  private struct File {
    let path: String
    var isFound = false
    /// The size in bytes; `nil` for a pipe and for standard input.
    var size: Int?
  }

  private let files: [File]
  /// The total size of all files in bytes; 0 if one size is not known.
  var byteCount: Int {
    let sizes = files.map(\.size)
    return sizes.contains(nil) ? 0 : sizes.compactMap(\.self).reduce(0, +)
  }

  private static let pieceSize = 1 << 20
  private static let noticeLimit = 5

  /// Lists the files of the given paths, before anything is recorded.
  /// - Parameters:
  ///   - paths: the files and folders. `-` is standard input.
  ///   - part: the part of a simulation's folder that is read, where a path names such a folder.
  /// - Throws: exit code 66 after a message, if a path does not exist or cannot be read.
  init(_ paths: [String], ofSimulation part: SimulationFolder.Part = .payloads) throws {
    var files: [File] = []
    var skipped: [String] = []
    for path in paths {
      if path == "-" {
        files.append(File(path: path))
        continue
      }
      // A link that the user names is followed: the user means the file behind it.
      var status = stat()
      guard stat(path, &status) == 0 else {
        Terminal.complain("There is no file or folder \(path). Nothing was imported. Check the path.")
        throw ExitCode(66)
      }
      guard access(path, R_OK) == 0 else {
        Terminal.complain("You may not read \(path). Nothing was imported. Check its permissions.")
        throw ExitCode(66)
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: files += Self.contents(of: SimulationFolder.folder(of: part, in: path) ?? path, &skipped)
      case S_IFREG where Self.isDatabase(path):
        Terminal.complain(
          "\(path) is a SQLite database, which cannot be imported. Nothing was imported. Name files of payloads.")
        throw ExitCode(66)
      case S_IFREG: files.append(File(path: path, size: Int(status.st_size)))
      case S_IFIFO: files.append(File(path: path))
      case let kind:
        Terminal.complain(
          "\(path) is a \(Self.word(kind)), which cannot be imported. Nothing was imported. "
            + "Name a file, a folder, a named pipe, or - for standard input.")
        throw ExitCode(66)
      }
    }
    self.files = files
    Self.writeError(skipped)
  }

  /// Returns the plain files in a folder and in the folders below it, and adds the others to `skipped`.
  ///
  /// Names that begin with a dot are left out, because those files belong to other programs. Only plain files are read:
  /// a pipe can block, a device may have no end, and a link may lead anywhere. Databases are left out, for the ledger
  /// itself may be in the folder.
  private static func contents(of folder: String, _ skipped: inout [String]) -> [File] {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
    var found: [File] = []
    for case let name as String in names where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
      let path = folder + (folder.hasSuffix("/") ? "" : "/") + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG where isPartOfDatabase(path): skipped.append("\(Printable.text(path)) (SQLite database)")
      case S_IFREG where isKey(path): skipped.append("\(Printable.text(path)) (key or certificate)")
      case S_IFREG: found.append(File(path: path, isFound: true, size: Int(status.st_size)))
      case S_IFDIR: continue
      case let kind: skipped.append("\(Printable.text(path)) (\(word(kind)))")
      }
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Whether a file is a SQLite database, by its first bytes. No payload begins with them. Only plain files are opened,
  /// and of these only the few whose size is that of whole pages.
  private static func isDatabase(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, status.st_size % 512 == 0,
      let file = FileHandle(forReadingAtPath: path)
    else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  /// Whether a file is a SQLite database, or a log that SQLite keeps beside one.
  private static func isPartOfDatabase(_ path: String) -> Bool {
    if isDatabase(path) { return true }
    return ["-wal", "-shm", "-journal", "-lock"].contains {
      path.hasSuffix($0) && isDatabase(String(path.dropLast($0.count)))
    }
  }

  /// Whether the name of a file is that of a key or a certificate. No payload is in such a file.
  private static func isKey(_ path: String) -> Bool {
    [".pem", ".p8", ".key", ".p12", ".pfx", ".cer", ".crt", ".der"].contains { path.lowercased().hasSuffix($0) }
  }

  private static func word(_ kind: mode_t) -> String {
    switch kind {
    case S_IFIFO: "named pipe"
    case S_IFLNK: "symbolic link"
    case S_IFSOCK: "socket"
    default: "device"
    }
  }

  private static func writeError(_ skipped: [String]) {
    guard !skipped.isEmpty else { return }
    let more = skipped.count > noticeLimit ? " … and \(skipped.count - noticeLimit) more" : ""
    let shown = skipped.sorted().prefix(noticeLimit).joined(separator: ", ")
    Terminal.note(
      "Skipped, because import reads only plain files of payloads in a folder: \(shown)\(more). "
        + "To import a pipe or what a link leads to, name it on the command line.")
  }

  private static func open(_ file: File) throws -> FileHandle {
    guard file.path != "-" else { return .standardInput }
    // Somebody may have replaced a found file with a link, a pipe or a device since.
    let descriptor = Foundation.open(
      file.path, O_RDONLY | O_CLOEXEC | (file.isFound ? O_NOFOLLOW | O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard !file.isFound || (fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG) else {
      throw CocoaError(.fileReadUnknown)
    }
    return handle
  }

  /// Returns the next bytes, read into the array without a copy; an empty array at the end.
  private static func piece(of descriptor: Int32) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, count in
      while true {
        let got = read(descriptor, buffer.baseAddress, pieceSize)
        if got < 0, errno == EINTR { continue }
        if got < 0 { throw CocoaError(.fileReadUnknown) }
        count = got
        return
      }
    }
  }

  func makeIterator() -> AnyIterator<ImportSource> {
    var files = files.makeIterator()
    return AnyIterator {
      files.next().map { file in
        var handle: FileHandle?
        return ImportSource(name: file.path, refusesEmptiness: file.path != "-") {
          do {
            let open = try handle ?? Self.open(file)
            handle = open
            let piece = try Self.piece(of: open.fileDescriptor)
            if piece.isEmpty { try open.close() }
            if piece.withUnsafeBytes({ ByteSearch.contains(PrivateKeyRedactor.mark, in: $0) }) {
              throw Unreadable(path: file.path, reason: "contains a private key, and no ledger stores one")
            }
            return piece.isEmpty ? nil : piece
          } catch let error as Unreadable {
            throw error
          } catch {
            throw Unreadable(path: file.path, reason: "cannot be read")
          }
        }
      }
    }
  }
}
