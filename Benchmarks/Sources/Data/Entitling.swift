import Foundation
import GRDB
import Ledger

extension Workshop {
  /// Records that every product grants an entitlement.
  func entitleAll(_ ledger: String) throws {
    let products = try DatabaseQueue(path: ledger, configuration: .readOnly).read { database in
      try Row.fetchAll(database, sql: LedgerSQL.products).map { ($0[0] as String, $0[1] as String) }
    }
    let recorder = try LedgerRecorder(path: ledger)
    defer { recorder.close() }
    for (bundleID, owned) in Dictionary(grouping: products, by: \.1) {
      _ = try recorder.entitle("pro", products: owned.map(\.0), of: bundleID, now: StatesCase.now.knownAt)
    }
  }
}
