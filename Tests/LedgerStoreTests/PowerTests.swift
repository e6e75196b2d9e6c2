import AppStore
import GRDB
import TestSupport
import Testing

@testable import LedgerSchema
@testable import LedgerStore

/// The three powers: to read, to record evidence, to maintain projections. The compiler refuses most mistakes; these tests
/// show that SQLite refuses the rest.
@Suite struct PowerTests {
  static let evidence = SchemaRelations.current.relations.filter { !$0.isView && !$0.isProjection && !$0.isService }
    .map(
      \.name)
  static let projections = SchemaRelations.current.relations.filter { !$0.isView && $0.isProjection }.map(\.name)

  @Test func `a reader writes nothing, whatever statement it is given`() throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    for table in Self.evidence + Self.projections {
      #expect(throws: LedgerError.self, "\(table)") {
        try ledger.reader.read { try $0.execute(sql: "DELETE FROM main.\(table)") }
      }
    }
  }

  @Test func `a projection transaction writes projections and temporary tables, and nothing else`() throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let connection = try ProjectionMaintainer(path: ledger.path).connection()
    defer { connection.close() }
    try connection.maintain { transaction in
      for table in Self.evidence {
        for statement in ["DELETE FROM main.\(table)", "DROP TABLE main.\(table)"] {
          #expect(throws: DatabaseError.self, "\(statement)") { try transaction.execute(statement) }
        }
      }
      #expect(throws: DatabaseError.self) { try transaction.execute("DROP TRIGGER payload_refuses_delete") }
      #expect(throws: DatabaseError.self) { try transaction.execute("UPDATE main.payload SET source = ''") }
      try transaction.execute("DELETE FROM temp.param_subscription")
      for table in Self.projections where !["original_transaction_identifier", "customer_link_target"].contains(table) {
        try transaction.execute("DELETE FROM main.\(table)")
      }
    }
  }

  @Test func `each step of an import writes what its power allows`() throws {
    let folder = try TemporaryFolder()
    let ledger = try EmptyLedger.make(in: folder)
    let connection = try ProjectionMaintainer(path: ledger.path).connection()
    defer { connection.close() }
    try connection.maintain { transaction in
      for statement in ProjectionStatement.allCases { _ = try transaction.statement(statement.source) }
      for statement in EvidenceStatement.allCases where statement.source.table != nil {
        #expect(throws: DatabaseError.self, "\(statement)") { try transaction.statement(statement.source) }
      }
    }
  }

  @Test func `canary: without a limit the same statements run`() throws {
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { database in
      try Schema.migrate(database)
      let authorizer = try WriteAuthorizer(database)
      _ = try database.makeStatement(sql: "DELETE FROM main.payload")
      #expect(throws: DatabaseError.self) {
        try authorizer.limitingToProjections { try database.makeStatement(sql: "DELETE FROM main.payload") }
      }
    }
  }
}
