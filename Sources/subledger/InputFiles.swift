import ArgumentParser
import Foundation
import Ledger

/// The files that paths name, folders opened up, in a stable order; read piece by piece.
struct InputFiles: Sequence {
  /// A file that was there at first and cannot be read now.
  struct Unreadable: Error {
    let path: String
    let reason: String
  }

  /// One file, and whether its path was given or found in a folder.
  private struct File {
    let path: String
    var isFound = false
    /// `nil` where it cannot be told: of a pipe, and of standard input.
    var size: Int?
  }

  private let files: [File]
  /// The bytes of all files together; 0 where that cannot be told.
  var byteCount: Int {
    let sizes = files.map(\.size)
    return sizes.contains(nil) ? 0 : sizes.compactMap(\.self).reduce(0, +)
  }

  private static let pieceSize = 1 << 20
  private static let noticeLimit = 5

  /// - Throws: an exit code after telling of a path that is not there or cannot be read, before anything is recorded.
  init(_ paths: [String]) throws {
    var files: [File] = []
    var skipped: [String] = []
    for path in paths {
      if path == "-" {
        files.append(File(path: path))
        continue
      }
      // A path that was given is followed: the user means what is there.
      var status = stat()
      guard stat(path, &status) == 0 else {
        Terminal.complain("\(path): no such file or folder. Nothing was imported.")
        throw ExitCode(66)
      }
      guard access(path, R_OK) == 0 else {
        Terminal.complain("\(path): may not be read. Nothing was imported.")
        throw ExitCode(66)
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: files += Self.contents(of: path, &skipped)
      case S_IFREG: files.append(File(path: path, size: Int(status.st_size)))
      case S_IFIFO: files.append(File(path: path))
      case let kind:
        Terminal.complain(
          "\(path): a \(Self.word(kind)) is not read. Nothing was imported. "
            + "Name a file, a folder, a named pipe, or - for standard input.")
        throw ExitCode(66)
      }
    }
    self.files = files
    Self.tell(skipped)
  }

  /// Files whose names begin with a dot, and folders that do, are left out: they belong to other programs. A pipe would
  /// be waited for, a device may have no end, and a link may lead anywhere: only plain files are read.
  private static func contents(of folder: String, _ skipped: inout [String]) -> [File] {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
    var found: [File] = []
    for case let name as String in names where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
      let path = folder + (folder.hasSuffix("/") ? "" : "/") + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG: found.append(File(path: path, isFound: true, size: Int(status.st_size)))
      case S_IFDIR: continue
      case let kind: skipped.append("\(Terminal.printable(path)) (\(word(kind)))")
      }
    }
    return found.sorted { $0.path < $1.path }
  }

  private static func word(_ kind: mode_t) -> String {
    switch kind {
    case S_IFIFO: "named pipe"
    case S_IFLNK: "symbolic link"
    case S_IFSOCK: "socket"
    default: "device"
    }
  }

  private static func tell(_ skipped: [String]) {
    guard !skipped.isEmpty else { return }
    let more = skipped.count > noticeLimit ? " … and \(skipped.count - noticeLimit) more" : ""
    let shown = skipped.sorted().prefix(noticeLimit).joined(separator: ", ")
    Terminal.note(
      "Not read, because only plain files of a folder are: \(shown)\(more). Name one by itself to import it.")
  }

  /// Opens a file.
  private static func open(_ file: File) throws -> FileHandle {
    guard file.path != "-" else { return .standardInput }
    // What was found may have been exchanged since for something that is not read.
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

  /// The next bytes, read to where they are needed; none at the end.
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
            return piece.isEmpty ? nil : piece
          } catch {
            throw Unreadable(path: file.path, reason: "cannot be read")
          }
        }
      }
    }
  }
}
