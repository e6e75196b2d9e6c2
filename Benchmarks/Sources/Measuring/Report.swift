import Foundation

/// A figure with its unit, as the table shows it.
struct Figure: Codable {
  /// The program or limit that the figure belongs to.
  var name: String
  /// The median of all runs.
  var value: Double
  /// The unit, such as `notifications/s` or `ms`.
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

/// The value that a measurement should reach.
enum Goal {
  /// The least ratio of our figure to the peer's, for speeds.
  case ratioAtLeast(Double)
  /// The greatest ratio of our figure to the peer's, for times and sizes.
  case ratioAtMost(Double)
  /// The greatest value of our own figure.
  case valueAtMost(Double)
}

/// A row of the table: our figure, the figure to compare with, and the ratio of the two.
struct Measurement: Codable {
  /// The name of the measured operation.
  var name: String
  /// The figure of subledger.
  var ours: Figure
  /// The figure of the peer or the limit in this run.
  var against: Figure?
  /// Our figure divided by the peer's.
  var ratio: Double?
  /// The goal as the table shows it.
  var goal: String
  /// Whether the measurement reaches the goal.
  var isReached: Bool

  /// Creates a row from one or two figures, and compares them with a goal.
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

/// The results of one run.
struct Report: Codable {
  /// The machine, its load, and the versions of all compared programs.
  var machine: [String: String]
  /// The descriptions of the data, by name.
  var data: [String: String] = [:]
  /// The rows of the table.
  var measurements: [Measurement] = []

  /// The whole report as text, with the table in Markdown.
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

  /// Returns the report as JSON, for programs.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
