import Foundation

/// A case that measures verifyReceipt responses about subscriptions with 24 renewals. It compares recording with a
/// plain Python script. It also measures a second import, and the size of the file.
struct ReceiptCase {
  let workshop: Workshop
  let count: Int

  /// The size of a receipt in the ledger before the redesign, in KB of 1000 bytes.
  private static let kilobytesBefore = 19.8

  func run(_ report: inout Report) throws {
    let file = workshop.path("receipts-\(count).ndjson")
    if !FileManager.default.fileExists(atPath: file) {
      workshop.progress("simulating \(count) receipts")
      try workshop.write(Workshop.generator(count, seed: 2, after: "25"), to: file)
    }
    report.data["receipts"] = "\(count) answers of 24 renewals, \(workshop.size(file) / count) bytes each"
    let (ledger, database) = (workshop.path("receipts.sqlite"), workshop.path("receipts-python.sqlite"))
    var (ours, python, again) = ([Double](), [Double](), [Double]())
    for _ in 0..<workshop.runs {
      workshop.progress("importing \(count) receipts")
      workshop.remove(ledger)
      workshop.remove(database)
      ours.append(Double(count) / (try workshop.importing(file, into: ledger).seconds))
      again.append(Double(count) / (try workshop.importing(file, into: ledger).seconds))
      let peer = try workshop.runPeer("import_receipts.py", [file, database])
      python.append((peer["payloads"] ?? 0) / (peer["seconds"] ?? 1))
    }
    let kilobytes = Double(try workshop.sizeAfterCheckpoint(ledger)) / Double(count) / 1000
    let unit = "receipts/s"
    report.measurements += [
      Measurement(
        "verifyReceipt answers of 24 renewals, import", Figure(name: "subledger", value: ours.median, unit: unit),
        against: Figure(name: "a plain script in Python, one table", value: python.median, unit: "/s"),
        goal: .ratioAtLeast(3)),
      Measurement(
        "the same again: all duplicates", Figure(name: "subledger", value: again.median, unit: unit),
        against: Figure(name: "first import", value: ours.median, unit: "/s"), goal: .ratioAtLeast(3)),
      Measurement(
        "bytes of file a receipt of 24 renewals", Figure(name: "subledger", value: kilobytes, unit: "KB"),
        against: Figure(name: "before the redesign", value: Self.kilobytesBefore, unit: "KB"), goal: .valueAtMost(12)),
    ]
    try BeforeCase(workshop: workshop, name: "receipts", file: file, count: count).run(&report)
  }
}
