import Foundation

/// A case that compares an import, and the file that it makes, with those of an earlier program. It does nothing when the
/// run names no such program.
struct BeforeCase {
  let workshop: Workshop
  /// What the payloads are.
  let name: String
  /// The payloads, one for each line.
  let file: String
  /// How many there are.
  let count: Int
  /// More arguments of the imports.
  var arguments: [String] = []

  func run(_ report: inout Report) throws {
    guard let before = workshop.before else { return }
    let (ours, theirs) = (workshop.path("now.sqlite"), workshop.path("before.sqlite"))
    var (now, earlier) = ([Double](), [Double]())
    for _ in 0..<workshop.runs {
      workshop.progress("importing \(name) by both programs")
      for ledger in [ours, theirs] { workshop.remove(ledger) }
      now.append(try workshop.importing(file, into: ours, arguments: arguments).seconds)
      earlier.append(try workshop.importing(file, into: theirs, arguments: arguments, by: before).seconds)
    }
    let sizes = try (workshop.sizeAfterCheckpoint(ours), workshop.sizeAfterCheckpoint(theirs))
    for (program, ledger) in [(workshop.subledger, ours), (before, theirs)] {
      _ = try Child.run([
        program, "report", "active_subscriptions", "--from", "2024-01-01", "--to", "2025-01-01", "--every", "month",
        "--database", ledger,
      ])
    }
    let reported = try (workshop.sizeAfterCheckpoint(ours), workshop.sizeAfterCheckpoint(theirs))
    func size(_ bytes: Int, _ name: String) -> Figure {
      Figure(name: name, value: Double(bytes) / 1_000_000, unit: "MB")
    }
    report.measurements += [
      Measurement(
        "import of \(name)", Figure(name: "subledger", value: Double(count) / now.median, unit: "/s"),
        against: Figure(name: "the earlier program", value: Double(count) / earlier.median, unit: "/s"),
        goal: .ratioAtLeast(0.9)),
      Measurement(
        "file after an import of \(name)", size(sizes.0, "subledger"), against: size(sizes.1, "the earlier program"),
        goal: .ratioAtMost(1.15)),
      Measurement(
        "the same after a first report", size(reported.0, "subledger"),
        against: size(reported.1, "the earlier program"), goal: .ratioAtMost(1)),
    ]
  }
}
