import AppStore
import LedgerPresentation
import Logging
import ProgramSupport

/// Writes each log message as one JSON object in one line.
struct JSONLogHandler: LogHandler {
  let queue: LogQueue
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }).map { ($0.key, "\($0.value)") }
    fields += [("level", event.level.rawValue), ("message", "\(event.message)"), ("time", Instant.now.description)]
    // JSON escapes line ends, so that no caller's byte can begin a line.
    let members = fields.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\(JSONText.string($0.1))" }
    queue.write("{\(members.joined(separator: ","))}\n")
  }
}
