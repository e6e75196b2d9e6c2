import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerMaintenance
@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// Evidence is appended to and nothing else: triggers refuse every UPDATE, DELETE and replacement of a row.
///
/// Tables, columns and keys are read from the schema, so that a new table is tried without a change here. Each statement
/// is run twice: with all triggers, and with one trigger less. Only the trigger may make the difference.
@Suite struct AppendOnlyTests {
  /// The three ways in which a row could go, each with the trigger that refuses it.
  enum Way: String, CaseIterable {
    case update = "UPDATE"
    case delete = "DELETE"
    case replacement = "INSERT"
  }

  /// A guarded table, as the file describes it.
  struct Table {
    let name: String
    let columns: [String]
    /// Every set of columns that no two rows share: the primary key and what is unique beside it.
    let keys: [[String]]
    /// The column that is the row's number, where one is.
    let numberColumn: String?
    let triggers: [Way: String]

    init(_ database: Database, _ name: String) throws {
      self.name = name
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
      columns = rows.map { $0["name"] }
      let primary: [String] = rows.filter { $0["pk"] > 0 }.sorted { ($0["pk"] as Int) < $1["pk"] }.map { $0["name"] }
      let indexes = try String.fetchAll(
        database, sql: "SELECT name FROM pragma_index_list(?) WHERE \"unique\" = 1", arguments: [name])
      let unique = try indexes.map {
        try String.fetchAll(
          database, sql: "SELECT name FROM pragma_index_info(?) ORDER BY seqno", arguments: [$0])
      }
      let isNumbered = primary.count == 1 && !unique.contains(primary)
      numberColumn = isNumbered ? primary[0] : nil
      let isWithoutNumbers = try Bool.fetchOne(
        database, sql: "SELECT sql LIKE '%WITHOUT ROWID' FROM sqlite_schema WHERE type = 'table' AND name = ?",
        arguments: [name])
      // Where no column is the row's number and the rows have one all the same, that is a key too.
      let hidden = isNumbered || isWithoutNumbers == true ? [] : [["rowid"]]
      keys = (isNumbered ? [primary] : []) + unique + hidden
      let statements = try Row.fetchAll(
        database,
        sql: """
          SELECT name, sql FROM sqlite_schema
          WHERE type = 'trigger' AND tbl_name = ? AND name LIKE '%\\_refuses\\_%' ESCAPE '\\'
          """, arguments: [name])
      triggers = try Dictionary(
        statements.map { row in
          let sql: String = row["sql"]
          let way = try #require(Way.allCases.first { sql.contains(" BEFORE \($0.rawValue) ON ") }, "\(sql)")
          return (way, row["name"])
        }, uniquingKeysWith: { first, _ in first })
    }

    /// Finds one row: the first in the order of a key.
    var one: String {
      let key = keys[0].map { quoted($0) }.joined(separator: ", ")
      return "(\(key)) = (SELECT \(key) FROM \(quoted(name)) ORDER BY \(key) LIMIT 1)"
    }

    func quoted(_ name: String) -> String { name.quotedDatabaseIdentifier }
  }

  /// The tables that evidence or the ledger's own rules stand in.
  static func tables(_ database: Database) throws -> [Table] {
    try String.fetchAll(
      database,
      sql: """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN ('generated_schema', 'schema_migration')
        ORDER BY name
        """
    ).filter { name in
      SchemaRelations.current[name].map { !($0.isService || $0.isProjection) || $0.isAppendOnly } ?? true
    }
    .map { try Table(database, $0) }
  }

  /// Opens a file in which nothing but the triggers and the rows' own constraints refuses changes.
  private static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let file = try DatabaseQueue(path: path, configuration: configuration)
    // SQLite reads the schema again after each dropped trigger. Most of it is views, which refuse nothing.
    try file.writeWithoutTransaction { database in
      LedgerFile.stopTracking(database)
      try database.execute(
        sql: """
          PRAGMA writable_schema = ON;
          DELETE FROM sqlite_schema WHERE type = 'view';
          PRAGMA writable_schema = RESET;
          """)
    }
    return file
  }

  /// How a statement ended.
  private enum Outcome: Equatable {
    /// It changed as many rows.
    case done(Int)
    /// A trigger refused it, with these words.
    case refused(String)
    /// Another constraint was in its way.
    case impossible
  }

  /// Runs a statement, and undoes it.
  private static func outcome(_ database: Database, _ sql: String) throws -> Outcome {
    var outcome = Outcome.impossible
    try database.inSavepoint {
      do {
        try database.execute(sql: sql)
        outcome = .done(database.changesCount)
      } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER {
        outcome = .refused(error.message ?? "")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        outcome = .impossible
      }
      return .rollback
    }
    return outcome
  }

  /// The values that a column may be changed to: one of them will do.
  private static func values(_ database: Database, _ table: Table, _ column: String) throws -> [String] {
    let (name, column) = (table.quoted(table.name), table.quoted(column))
    let others = try String.fetchAll(
      database, sql: "SELECT DISTINCT quote(\(column)) FROM \(name) WHERE NOT \(table.one) LIMIT 3")
    return others + [
      "\(column) + 1000000", "1 - \(column)", "\(column) || 'x'", "'x'", "CAST(\(column) || 'x' AS BLOB)",
      "randomblob(32)",
      "7", "NULL",
    ]
  }

  /// Statements that would change one column of one row: to what it is, and to something else.
  private static func updates(_ database: Database, _ table: Table, _ column: String) throws -> [String] {
    let (name, quoted) = (table.quoted(table.name), table.quoted(column))
    func update(_ value: String, _ rest: String = "") -> String {
      "UPDATE \(name) SET \(quoted) = \(value) WHERE \(table.one)" + rest
    }
    func isOther(_ value: String) -> String { update(value, " AND \(quoted) IS NOT (\(value))") }
    let real = try values(database, table, column).map(isOther).first {
      try outcome(database, $0) == .done(1)
    }
    return [update(quoted)] + [real].compactMap(\.self)
  }

  /// A statement that puts another row in the place of the one with the same key, and shares no other key with it.
  private static func replacement(_ database: Database, _ table: Table, _ key: [String]) throws -> String? {
    let name = table.quoted(table.name)
    let others = Set(table.keys.filter { $0 != key }.flatMap(\.self)).subtracting(key)
    let isHidden = key == ["rowid"]
    // What else must be unique is new; of the other values any that the constraints allow.
    func statement(_ fresh: [String: String]) -> String {
      let columns = (isHidden ? ["rowid"] : []) + table.columns
      let values = columns.map { fresh[$0] ?? table.quoted($0) }
      return "INSERT OR REPLACE INTO \(name) (\(columns.map { table.quoted($0) }.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(name) WHERE \(table.one)"
    }
    var choices: [[String: String]] = [[:]]
    for column in others.sorted() {
      var values = ["\(table.quoted(column)) + 1000000", "'new'", "CAST(randomblob(32) AS BLOB)", "randomblob(32)"]
      if column == table.numberColumn { values = ["NULL"] }
      choices = choices.flatMap { choice in values.map { choice.merging([column: $0]) { $1 } } }
    }
    for choice in choices.prefix(64) {
      // One row goes and one comes: the table holds as many as before, and the key's row is the new one.
      let sql = statement(choice)
      var isReplaced = false
      try database.inSavepoint {
        let count = "SELECT COUNT(*) FROM \(name)"
        let before = try Int.fetchOne(database, sql: count)
        do { try database.execute(sql: sql) } catch is DatabaseError { return .rollback }
        isReplaced = try database.changesCount == 1 && Int.fetchOne(database, sql: count) == before
        return .rollback
      }
      if isReplaced { return sql }
    }
    return nil
  }

  /// The triggers that keep tables up to date for look-ups.
  private static let keepers: Set = [
    "customer_link_entry_finds_targets", "notification_becomes_target",
    "original_transaction_identifier_becomes_target", "transaction_info_becomes_target",
  ]

  @Test func `every table but projections has one trigger for each way in which a row could go`() async throws {
    let (ledger, folder) = try await SealTests.recordedLedger()
    try await Self.open(ledger.path).read { database in
      let tables = try Self.tables(database)
      #expect(tables.count > 40)
      #expect(Set(tables.map(\.name)).isSuperset(of: try SealedTable.all(database).map(\.name)))
      for table in tables { #expect(table.triggers.count == Way.allCases.count, "\(table.name)") }
      let guards = Set(tables.flatMap(\.triggers.values))
      let all = try String.fetchSet(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      #expect(all.subtracting(guards) == Self.keepers, "no table has any other trigger")
    }
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: Way.allCases)
  func `only the trigger refuses a change to a row, in every guarded table, column and key`(way: Way) async throws {
    let (ledger, folder) = try await SealTests.recordedLedger()
    let file = try Self.open(ledger.path)
    let tried = try await file.writeWithoutTransaction { database in
      var tried = 0
      for table in try Self.tables(database) {
        let trigger = try #require(table.triggers[way], "\(table.name)")
        // With one trigger less, each of these changes a row.
        var statements: [String] = []
        try database.inTransaction {
          try database.execute(sql: "DROP TRIGGER \(table.quoted(trigger))")
          switch way {
          case .delete: statements = ["DELETE FROM \(table.quoted(table.name)) WHERE \(table.one)"]
          case .update:
            let updates = try table.columns.map { try Self.updates(database, table, $0) }
            #expect(updates.contains { $0.count == 2 }, "\(table.name): no value of it can be changed")
            statements = updates.flatMap(\.self)
          case .replacement:
            for key in table.keys {
              let sql = try Self.replacement(database, table, key)
              statements.append(try #require(sql, "\(table.name): nothing takes the place of \(key)"))
            }
          }
          for sql in statements { #expect(try Self.outcome(database, sql) == .done(1), "\(sql)") }
          return .rollback
        }
        // With it, none does.
        for sql in statements {
          guard case .refused(let words) = try Self.outcome(database, sql) else {
            Issue.record("not refused: \(sql)")
            continue
          }
          #expect(words.hasPrefix(table.name), "\(words): \(sql)")
          tried += 1
        }
      }
      return tried
    }
    #expect(tried > (way == .update ? 400 : 40))
    withExtendedLifetime(folder) {}
  }
}
