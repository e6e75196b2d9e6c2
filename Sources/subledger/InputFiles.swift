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
            let data = try handle?.read(upToCount: Self.pieceSize)
            guard let data, !data.isEmpty else {
              try handle?.close()
              return nil
            }
            return [UInt8](data)
          } catch {
            throw Unreadable(path: name, reason: "cannot be read")
          }
        }
      }
    }
  }
}
