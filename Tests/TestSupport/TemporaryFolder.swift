import Foundation

/// A folder of its own for one test, gone with it.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "/subledger-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}

/// The checkout, found from this file.
public enum Checkout {
  public static let path = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  public static func contents(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  public static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  /// All files below a folder with an ending, as paths from the checkout.
  public static func files(in folder: String, ending: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: path + "/" + folder)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
  }
}
