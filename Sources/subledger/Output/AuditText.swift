import Ledger

/// The report of an audit as text and as JSON.
enum AuditText {
  /// Returns the progress text of a check while it runs.
  static func work(_ check: AuditCheck) -> String {
    switch check {
    case .anchor: "Checking the anchor"
    case .structure, .references: "Checking the file's structure"
    case .schema: "Checking the schema"
    case .seals: "Comparing rows with their seals"
    case .texts: "Comparing texts with their digests"
    case .projections, .metrics, .status: "Deriving subscriptions"
    case .signatures: "Verifying signatures"
    }
  }

  /// Returns one line with the checks, their counts and the time that they took.
  static func summary(_ report: AuditReport) -> String {
    let parts = report.checks.filter { $0.count > 0 }.map { check in
      "\(check.check.rawValue) (\(check.count.formatted(.number.locale(.init(identifier: "en")))) \(check.unit))"
    }
    let time = report.checks.map(\.duration).reduce(.zero, +)
    return "Checked \(parts.joined(separator: ", ")) in \(seconds(time)) s."
  }

  /// Returns what the checks left out, once for each reason.
  static func gaps(_ report: AuditReport) -> [String] {
    var gaps: [String] = []
    for gap in report.checks.compactMap(\.gap) where !gaps.contains(gap) { gaps.append(gap) }
    return gaps
  }

  private static func seconds(_ duration: Duration) -> String {
    duration.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))).filter {
      "0123456789.".contains($0)
    }
  }

  /// Returns the whole report as JSON, with the members `sound`, `checks` and `findings`.
  /// - Parameter rows: the finding, place and detail of each row.
  static func json(_ report: AuditReport, _ rows: [(String, String, String)], isSound: Bool) -> String {
    let checks = report.checks.map { check in
      JSONTree.object([
        ("check", .text(check.check.rawValue)), ("count", .number(check.count)), ("unit", .text(check.unit)),
        ("milliseconds", .number(Int(check.duration / .milliseconds(1)))), ("findings", .number(check.findingCount)),
        ("gap", check.gap.map(JSONTree.text) ?? .null),
      ])
    }
    let findings = rows.map { row in
      JSONTree.object([("finding", .text(row.0)), ("location", .text(row.1)), ("detail", .text(row.2))])
    }
    return JSONTree.object([("sound", .flag(isSound)), ("checks", .list(checks)), ("findings", .list(findings))]).text()
  }
}
