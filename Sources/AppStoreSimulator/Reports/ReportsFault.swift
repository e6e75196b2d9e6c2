/// A fault in simulated reports, or between reports and messages. A reconciliation must name its class.
public enum ReportsFault: String, Sendable, CaseIterable {
  /// The reports count customers of whom no message arrives.
  case lostNotification = "lost-notification"
  /// The days of the reports are days in UTC.
  case wrongZone = "wrong-zone"
  /// A file of each type was downloaded twice.
  case duplicate
  /// The reports count customers whose messages are from the sandbox.
  case sandbox
  /// A file of each type is missing.
  case missingFile = "missing-file"
  /// A file of each type was published with a row too few, and again with all rows.
  case restated
}
