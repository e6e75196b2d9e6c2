import Foundation
import Logging

/// Writes each log message as one JSON object in one line on standard error.
struct JSONLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  func log(event: LogEvent) {
    var fields: [String: String] = [:]
    for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) { fields[key] = "\(value)" }
    fields["time"] = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    (fields["level"], fields["message"]) = (event.level.rawValue, "\(event.message)")
    // JSON escapes line ends, so that no caller's byte can begin a line.
    guard let line = try? Self.encoder.encode(fields) else { return }
    FileHandle.standardError.write(line + Data("\n".utf8))
  }
}
