import Foundation
import GRDB

/// A case that measures the backfill of a server from a local App Store, against the import of the same notifications
/// from a file.
struct BackfillCase {
  let workshop: Workshop
  let customers: Int

  func run(_ report: inout Report) throws {
    // The server's clock is the real one, and Apple's history has 180 days.
    let (format, now) = (ISO8601DateFormatter(), Date())
    let shop = try LocalAppStoreProcess(
      workshop, folder: "backfill-shop",
      [
        "--customers", "\(customers)", "--from", format.string(from: now.addingTimeInterval(-170 * 86_400)),
        "--to", format.string(from: now),
      ])
    defer { shop.stop() }
    for (name, value) in shop.settings { setenv(name, value, 1) }
    let (walked, count) = try backfill()
    workshop.progress("\(count) notifications after \(walked) s")
    let ledger = workshop.path("backfill-import.sqlite")
    workshop.remove(ledger)
    let imported = try Child.run([
      workshop.subledger, "import", shop.folder + "/notifications-production.ndjson", "--database", ledger,
      "--trust", shop.folder + "/root.pem",
    ])
    report.data["backfill"] = "\(count) notifications of \(customers) customers; pacing is off"
    report.measurements.append(
      Measurement(
        "notifications of Apple's history", Figure(name: "backfill", value: Double(count) / walked, unit: "/s"),
        against: Figure(name: "import from a file", value: Double(count) / imported.seconds, unit: "/s"),
        goal: .ratioAtLeast(0.4)))
  }

  /// Lets a server walk the whole history and derive its answers, and returns how long that takes and how many
  /// notifications it has.
  private func backfill() throws -> (seconds: Double, count: Int) {
    let ledger = workshop.path("backfill.sqlite")
    workshop.remove(ledger)
    let start = ContinuousClock.now
    let server = try ServerProcess(
      workshop, ledger: ledger, log: "backfill.log", ["--apple-rate-limit", "off", "--reconciler", "off"])
    let database = try DatabaseQueue(path: ledger)
    while true {
      let row = try database.read {
        try Row.fetchOne(
          $0,
          sql: """
            SELECT notification_count FROM notification_history_walk
            WHERE environment = 'Production' AND walked_until IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM entitlement_period_gap)
            """)
      }
      if let row {
        let seconds = start.duration(to: .now) / .seconds(1)
        try database.close()
        try server.stop()
        return (seconds, row["notification_count"])
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }
}
