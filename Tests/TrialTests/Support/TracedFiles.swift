import Foundation
import TestSupport

/// What a program did to its files, call by call, and what a loss of power would have left of it.
struct TracedFiles {
  enum Call {
    case write(name: String, offset: Int, bytes: [UInt8])
    case sync(name: String)
    case truncate(name: String, size: Int)
    case remove(name: String)

    var name: String {
      switch self {
      case .write(let name, _, _), .sync(let name), .truncate(let name, _), .remove(let name): name
      }
    }
  }

  private(set) var calls: [Call] = []

  /// Reads what `faults.c` wrote.
  init(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var byteOffset = 0
    while let end = bytes[byteOffset...].firstIndex(of: UInt8(ascii: "\n")) {
      let words = String(decoding: bytes[byteOffset..<end], as: UTF8.self).split(separator: " ").map(String.init)
      byteOffset = end + 1
      guard words.count == 4, let offset = Int(words[2]), let length = Int(words[3]) else {
        throw CocoaError(.coderInvalidValue)
      }
      switch words[0] {
      case "W":
        calls.append(.write(name: words[1], offset: offset, bytes: Array(bytes[byteOffset..<(byteOffset + length)])))
        byteOffset += length
      case "S": calls.append(.sync(name: words[1]))
      case "T": calls.append(.truncate(name: words[1], size: offset))
      default: calls.append(.remove(name: words[1]))
      }
    }
  }

  /// A disk writes so many bytes whole or not at all.
  private static let sector = 512

  /// The files when power was lost after some calls: what had been synced is there; of what was written since, some
  /// sectors are and others are not, in any order. Where no power was lost all of it is there, as when a program is killed.
  func files(after count: Int, _ random: inout SplitMix, isPowerLost: Bool) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var synced: [String: Int] = [:]
    for (index, call) in calls.prefix(count).enumerated() {
      if case .sync(let name) = call { synced[name] = index }
    }
    for (index, call) in calls.prefix(count).enumerated() {
      let isDurable = !isPowerLost || index < synced[call.name] ?? -1
      switch call {
      case .write(let name, let offset, let bytes):
        if isDurable {
          Self.put(bytes[...], at: offset, into: &files[name, default: []])
          continue
        }
        var done = 0
        while done < bytes.count {
          let end = min(bytes.count, (offset + done) / Self.sector * Self.sector + Self.sector - offset)
          if Bool.random(using: &random) {
            Self.put(bytes[done..<end], at: offset + done, into: &files[name, default: []])
          }
          done = end
        }
      case .truncate(let name, let size):
        if isDurable || Bool.random(using: &random) {
          let file = files[name, default: []]
          files[name] = file.prefix(size) + [UInt8](repeating: 0, count: max(0, size - file.count))
        }
      case .remove(let name): files[name] = nil
      case .sync(let name): files[name, default: []] += []
      }
    }
    return files
  }

  private static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, into file: inout [UInt8]) {
    if file.count < offset + bytes.count { file += [UInt8](repeating: 0, count: offset + bytes.count - file.count) }
    file.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }
}
