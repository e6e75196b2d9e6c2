import Foundation

/// verifyReceipt responses of customers whose subscription was renewed 24 times, beside a plain Python script.
struct ReceiptCase {
  let workshop: Workshop
  let count: Int

  func run(_ report: inout Report) throws {
    let file = workshop.path("receipts-\(count).ndjson")
    if !FileManager.default.fileExists(atPath: file) {
      workshop.tell("simulating \(count) receipts")
      try workshop.generate(count, seed: 2, after: "25").output.write(toFile: file, atomically: true, encoding: .utf8)
    }
    report.data["receipts"] = "\(count) responses, \(workshop.size(file) / count) bytes each"
    let (ledger, database) = (workshop.path("receipts.sqlite"), workshop.path("receipts-python.sqlite"))
    var (ours, python, again) = ([Double](), [Double](), [Double]())
    for _ in 0..<workshop.runs {
      workshop.tell("importing \(count) receipts")
      workshop.remove(ledger)
      workshop.remove(database)
      ours.append(Double(count) / (try workshop.importing(file, into: ledger).seconds))
      again.append(Double(count) / (try workshop.importing(file, into: ledger).seconds))
      let peer = try workshop.ask(
        "import_receipts.py", [file, database, workshop.checkout.appending(path: "Migrations").path])
      python.append((peer["payloads"] ?? 0) / (peer["seconds"] ?? 1))
    }
    let unit = "receipts/s"
    report.measurements += [
      Measurement(
        "verifyReceipt responses", Figure(name: "subledger", value: ours.median, unit: unit),
        against: Figure(name: "Python json + sqlite3", value: python.median, unit: "/s"),
        ratio: ours.median / python.median, atLeast: 3),
      Measurement(
        "the same again: all duplicates", Figure(name: "subledger", value: again.median, unit: unit),
        against: Figure(name: "first import", value: ours.median, unit: "/s"), ratio: again.median / ours.median,
        atLeast: 3),
    ]
  }
}
