import GRDB
import Testing

@testable import LedgerStore

/// Each value of an inserted row names its column.
@Suite struct StepTests {
  /// Inserts a row with its values under two names.
  private static func insert(_ first: StaticString, _ second: StaticString) throws -> [Int64] {
    try DatabaseQueue().write { database in
      try database.execute(sql: "CREATE TABLE pair (one INTEGER, other INTEGER)")
      try BoundStatement(database, .insertion(into: "pair")).column(first).bind(1).column(second).bind(2).run()
      return try Row.fetchAll(database, sql: "SELECT one, other FROM pair").flatMap { [$0["one"], $0["other"]] }
    }
  }

  @Test func `a row gets its values by the names of the columns`() throws {
    #expect(try Self.insert("one", "other") == [1, 2])
  }

  @Test func `a value for another column than the next one stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = try Self.insert("other", "one") }
    await #expect(processExitsWith: .failure) { _ = try Self.insert("one", "othe") }
  }

  @Test func `a value without a name, and a missing value, stop the program`() async {
    await #expect(processExitsWith: .failure) {
      try DatabaseQueue().write { database in
        try database.execute(sql: "CREATE TABLE pair (one INTEGER, other INTEGER)")
        try BoundStatement(database, .insertion(into: "pair")).column("one").bind(1).bind(2).run()
      }
    }
    await #expect(processExitsWith: .failure) {
      try DatabaseQueue().write { database in
        try database.execute(sql: "CREATE TABLE pair (one INTEGER, other INTEGER)")
        try BoundStatement(database, .insertion(into: "pair")).column("one").bind(1).run()
      }
    }
  }
}
