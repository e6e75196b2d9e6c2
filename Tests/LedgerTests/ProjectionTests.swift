import AppStore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Ledger

/// What is kept for speed can be dropped, and is derived again; and what is kept of texts gives them back.
@Suite struct ProjectionTests {
  private static let question = Question(asOf: day(20_000), knownAt: day(20_000))

  @Test func `a file whose projections were emptied has them again when it is next opened for recording`() async throws
  {
    let bench = try LawTests.Bench([await RandomHistory(seed: 1, count: 30).arrivals])
    let before = try bench.answers(Self.question)
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write {
      try $0.execute(sql: "DELETE FROM projection_original_transaction; DELETE FROM projection_renewal_info")
    }
    let again = try Ledger(path: bench.ledger.path, for: .recording)
    #expect(
      try await file.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM projection_original_transaction") } ?? 0 > 0
    )
    #expect(try await again.audit().filter { $0.code != .disagreement } == [])
    #expect(try bench.answers(Self.question) == before)
  }

  @Test func `SQL gives every text back: each unsigned statement and payload has the digest of its text`() async throws
  {
    let bench = try LawTests.Bench([await RandomHistory(seed: 2, count: 60).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let rows = try file.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT t.digest, t.source FROM transaction_info_text t JOIN transaction_info w USING (transaction_info_id)
          WHERE w.header_id IS NULL
          """)
    }
    #expect(rows.count > 20)
    for row in rows {
      #expect(Digest(sha256: Array((row["source"] as String).utf8)).hexadecimal == row["digest"])
    }
    let isTakenApart = try await file.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transaction_info WHERE form_id > 0")
    }
    #expect(isTakenApart ?? 0 > 20)
  }

  @Test func `no form holds what names a person`() async throws {
    let bench = try LawTests.Bench([await RandomHistory(seed: 3, count: 80).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let (forms, ids) = try await file.read { database in
      (
        try String.fetchAll(database, sql: "SELECT text FROM text_form"),
        try String.fetchAll(
          database,
          sql: """
            SELECT identifier FROM original_transaction_identifier WHERE length(identifier) > 8
            UNION SELECT transaction_id FROM store_transaction WHERE length(transaction_id) > 8
            """)
      )
    }
    for id in ids { #expect(!forms.contains { $0.contains("\"\(id)\"") }, "\(id)") }
  }
}
