internal import Foundation

/// Secrets that nobody can guess.
enum RandomSecret {
  /// Returns random bytes of the system.
  static func bytes(_ count: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Returns 32 random bytes in Base64 for URLs: 43 characters.
  static func text() -> String {
    Data(bytes(32)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
