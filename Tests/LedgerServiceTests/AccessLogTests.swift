import AppStore
import Foundation
import GRDB
import Ledger
import LedgerService
import LedgerStore
import TestSupport
import Testing

/// The access log: who read about whom.
@Suite struct AccessLogTests {
  @Test func `an erasure replaces the person in the access log and in what was written about tokens`() async throws {
    let bench = try LedgerBench([])
    let person = "ada@example.com"
    try bench.ledger.link(person, to: "t1", CustomerFixture.staffAction(1))
    let staffAction = StaffAction(author: "for \(person)", reason: "asked by \(person), by mail", enteredAt: day(1))
    let token = try bench.ledger.createToken("web", scopes: [.support], staffAction)
    _ = try bench.ledger.rotateToken(token.id, formerUntil: day(2), staffAction)
    try bench.ledger.revokeToken(token.id, staffAction)
    try bench.ledger.record { transaction in
      for customer in [person, person.uppercased(), "bob"] {
        var entry = AccessLogEntry(
          .token(token.id), requestID: "r", operation: "showCustomer", enteredAt: day(1))
        (entry.customer, entry.reason) = (customer, "ticket of \(person)")
        try transaction.log(entry)
      }
    }
    try bench.ledger.log([
      AccessLogEntry(.user("root for \(person)"), requestID: "s", operation: "search", enteredAt: day(1))
    ])
    let erasure = try bench.ledger.erase(person, as: "forgotten-1", CustomerFixture.staffAction(3))
    #expect(erasure.remainders == [])
    let texts = try await DatabaseQueue(path: bench.ledger.path).read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT customer || ' ' || reason FROM access_log_entry WHERE reason IS NOT NULL
          UNION ALL SELECT user_name FROM access_log_entry WHERE user_name IS NOT NULL
          UNION ALL SELECT author || ' ' || reason FROM api_token
          UNION ALL SELECT author FROM api_token_secret
          UNION ALL SELECT author || ' ' || reason FROM api_token_revocation
          """)
    }
    #expect(
      texts.filter { $0.contains("forgotten-1") }.count == texts.count && texts.count == 8
        && !texts.contains { $0.lowercased().contains(person) }, "\(texts)")
    bench.ledger.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file(name)))
      for trace in [person, person.uppercased()] { #expect(data.range(of: Data(trace.utf8)) == nil, "\(name)") }
    }
    #expect(try await LedgerReader(path: bench.ledger.path).audit() == [])
  }
}
