import Foundation

/// A figure with its unit, as it is shown.
struct Figure: Codable {
  /// Of what or whom.
  var name: String
  /// The median of the runs.
  var value: Double
  /// Such as `notifications/s` or `ms`.
  var unit: String

  var words: String { "\(name): \(Figure.number(value)) \(unit)" }

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

/// One line of the table: ours, what it is measured against, and the ratio of the two.
struct Measurement: Codable {
  /// What was done.
  var name: String
  /// What subledger did.
  var ours: Figure
  /// The peer or the limit, in the same run.
  var against: Figure?
  /// What the ratio is.
  var ratio: Double?
  /// What the ratio should be, in words.
  var goal: String
  /// Whether it is.
  var isReached: Bool

  /// A measurement whose ratio should be at least so much.
  init(_ name: String, _ ours: Figure, against: Figure, ratio: Double, atLeast goal: Double) {
    self.init(
      name: name, ours: ours, against: against, ratio: ratio, goal: "at least \(Figure.number(goal))",
      isReached: ratio >= goal)
  }

  /// A measurement whose ratio should be at most so much.
  init(_ name: String, _ ours: Figure, against: Figure, ratio: Double, atMost goal: Double) {
    self.init(
      name: name, ours: ours, against: against, ratio: ratio, goal: "at most \(Figure.number(goal))",
      isReached: ratio <= goal)
  }

  /// A figure that should be at most so much by itself.
  init(_ name: String, _ ours: Figure, atMost goal: Double) {
    self.init(
      name: name, ours: ours, goal: "at most \(Figure.number(goal)) \(ours.unit)", isReached: ours.value <= goal)
  }

  /// A figure that is shown beside the others, and has no goal.
  init(_ name: String, _ ours: Figure, against: Figure, ratio: Double) {
    self.init(name: name, ours: ours, against: against, ratio: ratio, goal: "", isReached: true)
  }

  private init(
    name: String, ours: Figure, against: Figure? = nil, ratio: Double? = nil, goal: String, isReached: Bool
  ) {
    (self.name, self.ours, self.against) = (name, ours, against)
    (self.ratio, self.goal, self.isReached) = (ratio, goal, isReached)
  }
}

/// All that one run has to say.
struct Report: Codable {
  /// The machine and the versions.
  var machine: [String: String]
  /// What the data is.
  var data: [String: String] = [:]
  /// The lines of the table.
  var measurements: [Measurement] = []

  /// A table for people, as Markdown has it.
  var table: String {
    var lines = machine.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    lines += data.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    lines += ["", "| case | subledger | against | ratio | goal | |", "|---|---|---|---|---|---|"]
    for line in measurements {
      let ratio = line.ratio.map { Figure.number($0) } ?? ""
      let verdict = line.goal.isEmpty ? "" : line.isReached ? "reached" : "missed"
      lines.append(
        "| \(line.name) | \(Figure.number(line.ours.value)) \(line.ours.unit) | \(line.against?.words ?? "") | "
          + "\(ratio) | \(line.goal) | \(verdict) |")
    }
    return lines.joined(separator: "\n")
  }

  /// The same for programs.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
