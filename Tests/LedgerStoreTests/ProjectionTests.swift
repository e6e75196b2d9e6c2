import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

import LedgerSchema
import LedgerStore

/// What is kept for speed can be dropped, and is derived again; and what is kept of texts gives them back.
@Suite struct ProjectionTests {
  private static let parameters = QueryParameters(asOf: day(20_000), knownAt: day(20_000))

  @Test func `a file whose projections were emptied has them again when it is next opened for recording`() async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 1, count: 30).arrivals])
    let before = try bench.answers(Self.parameters)
    let file = try DatabaseQueue(path: bench.ledger.path)
    try await file.write {
      try $0.execute(sql: "DELETE FROM projection_original_transaction; DELETE FROM projection_renewal_info")
    }
    let again = try LedgerRecorder(path: bench.ledger.path)
    #expect(
      try await file.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM projection_original_transaction") } ?? 0 > 0
    )
    #expect(try await again.reader.audit().filter { $0.code != .disagreement } == [])
    #expect(try bench.answers(Self.parameters) == before)
  }

  @Test func `the tables with stored answers are those that the manifest marks, with their views`() {
    let marked = SchemaRelations.current.relations.compactMap { relation in
      relation.derived.map { [relation.name, $0] }
    }
    #expect(Set(DerivedAnswers.stored.map { [$0.name, $0.derived] }) == Set(marked))
    #expect(DerivedAnswers.stored.allSatisfy { Schema.view($0.derived)?.key != nil })
  }

  @Test func `SQL gives the words of every instant back`() async throws {
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    // Around the changes of the clocks in Cupertino, and where the words do not follow.
    let dates = [
      ("2024-03-10 09:59:59", "1710064799000", "2024-03-10 01:59:59"),
      ("2024-03-10 10:00:00", "1710064800000", "2024-03-10 03:00:00"),
      ("2024-11-03 08:59:59", "1730624399000", "2024-11-03 01:59:59"),
      ("2024-11-03 09:00:00", "1730624400000", "2024-11-03 01:00:00"),
      ("2025-01-01 00:00:00", "1735689600000", "2024-12-31 16:00:00"),
      ("2025-01-01 00:00:00", "1735689600000", "2025-01-01 00:00:00"),
    ]
    let rows = dates.enumerated().map { index, date in
      "{\"product_id\":\"p\",\"transaction_id\":\"\(index)\",\"original_transaction_id\":\"0\","
        + "\"purchase_date\":\"\(date.0) Etc/GMT\",\"purchase_date_ms\":\"\(date.1)\","
        + "\"purchase_date_pst\":\"\(date.2) America/Los_Angeles\"}"
    }
    let text =
      "{\"status\":0,\"environment\":\"Production\",\"receipt\":{\"bundle_id\":\"b\",\"request_date\":"
      + "\"2025-02-01 00:00:00 Etc/GMT\",\"request_date_ms\":\"1738368000000\","
      + "\"in_app\":[\(rows.joined(separator: ","))]}}"
    let item = await PayloadDecoder.permissive(acceptsUnverified: true).decode(Array(text.utf8))
    _ = try ledger.record(
      item.outcomes.map { Arrival(outcome: $0, receivedAt: day(20_500), isExplicit: false, origin: "test") })
    #expect(try ledger.reader.arrival(ContentDigest(sha256: Array(text.utf8))) == Array(text.utf8))
    let (whole, values) = try await DatabaseQueue(path: ledger.path).read { database in
      (
        try String.fetchAll(database, sql: "SELECT source FROM payload_text"),
        try String.fetchAll(database, sql: "SELECT source FROM transaction_info ORDER BY transaction_info_id")
      )
    }
    #expect(whole == [text])
    #expect(values.count == dates.count && values.filter { $0.contains("America") }.count == 1)
  }

  @Test func `SQL gives every text back: each unsigned statement and payload has the digest of its text`() async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 2, count: 60).arrivals])
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
      #expect(ContentDigest(sha256: Array((row["source"] as String).utf8)).hexadecimal == row["digest"])
    }
    let isTakenApart = try await file.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM transaction_info WHERE template_id > 0")
    }
    #expect(isTakenApart ?? 0 > 20)
  }

  @Test func `no template has what names a person`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 3, count: 80).arrivals])
    let file = try DatabaseQueue(path: bench.ledger.path)
    let (templates, ids) = try await file.read { database in
      (
        try String.fetchAll(database, sql: "SELECT text FROM text_template"),
        try String.fetchAll(
          database,
          sql: """
            SELECT identifier FROM original_transaction_identifier WHERE length(identifier) > 8
            UNION SELECT transaction_id FROM transaction_info WHERE length(transaction_id) > 8
            """)
      )
    }
    for id in ids { #expect(!templates.contains { $0.contains("\"\(id)\"") }, "\(id)") }
  }
}
