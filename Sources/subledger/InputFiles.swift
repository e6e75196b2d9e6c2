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

  private let files: [String]
  /// The bytes of all files together; 0 where standard input is among them.
  let byteCount: Int

  private static let pieceSize = 1 << 20

  /// - Throws: an exit code after telling of a path that is not there: before anything is recorded.
  init(_ paths: [String]) throws {
    var files: [String] = []
    for path in paths {
      if path == "-" {
        files.append(path)
        continue
      }
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        Terminal.complain("\(path): no such file or folder. Nothing was imported.")
        throw ExitCode(66)
      }
      guard FileManager.default.isReadableFile(atPath: path) else {
        Terminal.complain("\(path): may not be read. Nothing was imported.")
        throw ExitCode(66)
      }
      files += isFolder.boolValue ? Self.contents(of: path) : [path]
    }
    self.files = files
    let sizes = files.map { path -> Int? in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return path == "-" ? nil : (attributes?[.size] as? Int) ?? 0
    }
    byteCount = sizes.contains(nil) ? 0 : sizes.compactMap(\.self).reduce(0, +)
  }

  /// Files whose names begin with a dot, and folders that do, are left out: they belong to other programs.
  private static func contents(of folder: String) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
    var found: [String] = []
    for case let name as String in names where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
      let path = folder + (folder.hasSuffix("/") ? "" : "/") + name
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
        found.append(path)
      }
    }
    return found.sorted()
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
    var names = files.makeIterator()
    return AnyIterator {
      names.next().map { name in
        var handle: FileHandle?
        return ImportSource(name: name, refusesEmptiness: name != "-") {
          do {
            if handle == nil {
              handle = name == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: name))
            }
            guard let open = handle else { return nil }
            let piece = try Self.piece(of: open.fileDescriptor)
            if piece.isEmpty { try open.close() }
            return piece.isEmpty ? nil : piece
          } catch {
            throw Unreadable(path: name, reason: "cannot be read")
          }
        }
      }
    }
  }
}
