import AppStore
import Foundation

/// The signed texts of a file of notifications, as Apple would send them.
enum SignedTexts {
  /// Returns the compact text of each line `{"payload": {"signedPayload": …}}`.
  static func texts(in path: String) throws -> [[UInt8]] {
    let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
    let (start, end) = (Array("\"signedPayload\":\"".utf8), UInt8(ascii: "\""))
    return try lines.map { line in
      guard let key = line.firstRange(of: start) else { throw BenchmarkError("a line of \(path) has no signedPayload") }
      return Array(line[key.upperBound...].prefix { $0 != end })
    }
  }

  /// Returns the length of a notification's three decoded objects in bytes. They are the notification without the two
  /// signed texts inside it, and these two.
  static func decodedByteCount(_ text: [UInt8]) -> Int {
    let outer = payload(text)
    let inner = String(decoding: outer, as: UTF8.self).split(separator: "\"").filter { $0.hasPrefix("eyJ") }
    return outer.count - inner.map(\.utf8.count).reduce(0, +) + inner.map { payload($0.utf8).count }.reduce(0, +)
  }

  /// Returns the signed part of a compact text, and the signature's bytes.
  static func parts(_ text: [UInt8]) -> (signed: Data, signature: Data) {
    let dot = text.lastIndex(of: UInt8(ascii: ".")) ?? 0
    return (Data(text[..<dot]), decoded(String(decoding: text[(dot + 1)...], as: UTF8.self)))
  }

  private static func payload(_ text: some Collection<UInt8>) -> Data {
    let segments = text.split(separator: UInt8(ascii: "."))
    return segments.count == 3 ? decoded(String(decoding: segments[1], as: UTF8.self)) : Data()
  }

  private static func decoded(_ segment: String) -> Data {
    let standard = segment.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)) ?? Data()
  }
}
