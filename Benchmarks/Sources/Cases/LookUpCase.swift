import AppStore
import Foundation
import GRDB
import Ledger
import LedgerStore

/// A case that measures the look-up of one subscription: by a whole process, and in process.
struct LookUpCase {
  let workshop: Workshop
  let ledger: String

  func run(_ report: inout Report) throws {
    try show(&report)
    try entitlement(&report)
    try derivation(&report)
    try shell(&report)
  }

  private struct Subscription {
    var key: Int64
    var id: String
  }

  /// Returns a number of subscriptions, spread over the whole file.
  private func subscriptions(_ count: Int) throws -> [Subscription] {
    try DatabaseQueue(path: ledger, configuration: .readOnly).read { database in
      let last = try Int64.fetchOne(database, sql: LedgerSQL.lastKey) ?? 1
      return try (0..<count).compactMap { index in
        try Row.fetchOne(
          database, sql: LedgerSQL.subscriptionFromKey, arguments: [Int64(index) * last / Int64(count)])
      }.map { Subscription(key: $0["key"], id: $0["id"]) }
    }
  }

  /// Measures `show` and the `sqlite3` shell in turn.
  private func show(_ report: inout Report) throws {
    workshop.progress("showing subscriptions")
    var (ours, shell) = ([Double](), [Double]())
    for subscription in try subscriptions(workshop.runs * 8) {
      ours.append(try Child.run([workshop.subledger, "show", subscription.id, "--database", ledger]).seconds * 1000)
      shell.append(try Child.run(["sqlite3", ledger, LedgerSQL.rowByID(subscription.id)]).seconds * 1000)
    }
    report.measurements.append(
      Measurement(
        "show ID, whole process", Figure(name: "subledger", value: ours.median, unit: "ms"),
        against: Figure(name: "sqlite3 with one indexed SELECT", value: shell.median, unit: "ms"),
        goal: .ratioAtMost(3)))
  }

  /// Measures public views in the `sqlite3` shell, in turn with a row by its id.
  private func shell(_ report: inout Report) throws {
    workshop.progress("asking in the sqlite3 shell")
    try workshop.entitleAll(ledger)
    let tokens = try DatabaseQueue(path: ledger, configuration: .readOnly).read { database in
      let last = try Int64.fetchOne(database, sql: LedgerSQL.lastKey) ?? 1
      return try (0..<workshop.runs * 8).compactMap { index in
        try Row.fetchOne(
          database, sql: LedgerSQL.tokenFromKey, arguments: [Int64(index) * last / Int64(workshop.runs * 8)])
      }.map { (token: $0["token"] as String, id: $0["id"] as String) }
    }
    let views = [
      ("entitlement", 2.0), ("state_history", 2), ("entitlement_period", 2), ("customer_entitlement", 5),
    ]
    var least: [Double] = []
    var times: [String: [Double]] = [:]
    for one in tokens {
      least.append(try Child.run(["sqlite3", ledger, LedgerSQL.rowByID(one.id)]).seconds * 1000)
      for (view, _) in views {
        let parameters = LedgerSQL.rows(of: view, about: view == "customer_entitlement" ? one.token : one.id)
        let answer = try Child.run(["sqlite3", ledger, parameters])
        guard !answer.output.isEmpty else { throw BenchmarkError("\(view) has no row about \(one)") }
        times[view, default: []].append(answer.seconds * 1000)
      }
    }
    for (view, goal) in views {
      report.measurements.append(
        Measurement(
          "\(view) in the sqlite3 shell, beyond a row by its id",
          Figure(name: "subledger", value: (times[view] ?? []).median - least.median, unit: "ms"),
          goal: .valueAtMost(goal)))
    }
  }

  /// Measures how long the stored periods of one subscription take, as a webhook about it derives them.
  private func derivation(_ report: inout Report) throws {
    workshop.progress("deriving one subscription after the other")
    let keys = try subscriptions(1000).map(\.key)
    let connection = try ProjectionMaintainer(path: ledger).derivingConnection()
    defer { connection.close() }
    var times: [Double] = []
    for _ in 0..<workshop.runs {
      try connection.maintain { transaction in
        let forAll = try seconds {
          for key in keys {
            try EntitlementPeriods.update(transaction, [OriginalTransactionKey(key)], deferringMany: false)
          }
        }
        times.append(forAll / Double(keys.count) * 1e6)
      }
    }
    report.measurements.append(
      Measurement(
        "deriving one subscription", Figure(name: "subledger", value: times.median, unit: "µs"),
        goal: .valueAtMost(300)))
  }

  private func entitlement(_ report: inout Report) throws {
    let subscriptions = try subscriptions(4000)
    let reader = try LedgerReader(path: ledger)
    let database = try DatabaseQueue(path: ledger, configuration: .readOnly)
    var (ours, peer) = ([Double](), [Double]())
    for _ in 0..<workshop.runs {
      let forAll = try seconds {
        for subscription in subscriptions { _ = try reader.entitlement(of: subscription.id, StatesCase.now) }
      }
      ours.append(forAll / Double(subscriptions.count) * 1e6)
      let forRows = try seconds {
        for subscription in subscriptions {
          _ = try database.read { database in
            try Row.fetchOne(database.cachedStatement(sql: LedgerSQL.rowByKey), arguments: [subscription.key])
          }
        }
      }
      peer.append(forRows / Double(subscriptions.count) * 1e6)
    }
    reader.close()
    report.measurements.append(
      Measurement(
        "one entitlement, in process", Figure(name: "subledger", value: ours.median, unit: "µs"),
        against: Figure(name: "GRDB, one row by its key", value: peer.median, unit: "µs"), goal: .ratioAtMost(3)))
  }
}
