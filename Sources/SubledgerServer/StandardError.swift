import Foundation

/// What a command says beside its result.
enum StandardError {
  /// Writes a line to standard error.
  static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
