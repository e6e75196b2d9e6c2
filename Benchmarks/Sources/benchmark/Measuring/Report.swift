import Foundation

/// Holds a figure with its unit, as it is shown.
struct Figure: Codable {
  /// Whose figure it is.
  var name: String
  /// The median of the runs.
  var value: Double
  /// Such as `notifications/s` or `ms`.
  var unit: String

  var text: String { "\(name): \(Figure.number(value)) \(unit)" }

  static func number(_ value: Double) -> String {
    switch abs(value) {
    case 1000...:
      value.formatted(.number.precision(.fractionLength(0)).locale(Locale(identifier: "en_US_POSIX")).grouping(.never))
    case 100...: String(format: "%.0f", value)
    case 10...: String(format: "%.1f", value)
    default: String(format: "%.2f", value)
    }
  }
}

/// States what a measurement should reach.
enum Goal {
  /// The ratio of ours to the peer's is at least so much: of speeds.
  case ratioAtLeast(Double)
  /// The ratio is at most so much: of times and sizes.
  case ratioAtMost(Double)
  /// Our own figure is at most so much.
  case valueAtMost(Double)
}

/// Holds one row of the table: ours, what it is measured against, and the ratio of the two.
struct Measurement: Codable {
  /// What was done.
  var name: String
  /// What subledger did.
  var ours: Figure
  /// The peer or the limit, in the same run.
  var against: Figure?
  /// Ours divided by the peer's.
  var ratio: Double?
  /// The goal as it is shown.
  var goal: String
  /// Whether the goal is reached.
  var isReached: Bool

  /// Compares two figures, and judges them by a goal.
  init(_ name: String, _ ours: Figure, against: Figure? = nil, goal: Goal) {
    (self.name, self.ours, self.against) = (name, ours, against)
    let ratio = against.map { ours.value / $0.value }
    self.ratio = ratio
    switch goal {
    case .ratioAtLeast(let least):
      (self.goal, isReached) = ("at least \(Figure.number(least))", (ratio ?? 0) >= least)
    case .ratioAtMost(let most):
      (self.goal, isReached) = ("at most \(Figure.number(most))", (ratio ?? .infinity) <= most)
    case .valueAtMost(let most):
      (self.goal, isReached) = ("at most \(Figure.number(most)) \(ours.unit)", ours.value <= most)
    }
  }
}

/// Holds everything that one run measured.
struct Report: Codable {
  /// The machine and the versions.
  var machine: [String: String]
  /// What the data is.
  var data: [String: String] = [:]
  /// The rows of the table.
  var measurements: [Measurement] = []

  /// The table, in Markdown.
  var table: String {
    var lines = machine.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    lines += data.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    lines += ["", "| case | subledger | against | ratio | goal | |", "|---|---|---|---|---|---|"]
    for row in measurements {
      let ratio = row.ratio.map { Figure.number($0) } ?? ""
      lines.append(
        "| \(row.name) | \(Figure.number(row.ours.value)) \(row.ours.unit) | \(row.against?.text ?? "") | "
          + "\(ratio) | \(row.goal) | \(row.isReached ? "reached" : "missed") |")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the report for programs.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
