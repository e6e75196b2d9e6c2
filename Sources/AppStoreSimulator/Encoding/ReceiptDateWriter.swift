import AppStore

/// The dates of receipts, each in three forms.
enum ReceiptDateWriter {
  /// Adds a date as `name`, `name_ms` and `name_pst`.
  static func add(_ name: String, _ instant: Instant, to text: inout JSONWriter) {
    text.add(name, Self.text(instant, zone: "Etc/GMT"))
    text.add(name + "_ms", String(instant.milliseconds))
    text.add(name + "_pst", Self.text(instant + PacificTime.offset(at: instant), zone: "America/Los_Angeles"))
  }

  /// Returns an instant in the form `2016-06-09 13:59:40 Etc/GMT`.
  static func text(_ instant: Instant, zone: String) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone)"
  }
}
