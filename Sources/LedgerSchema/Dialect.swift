/// A database engine other than SQLite that can run the ledger's views over exported evidence.
///
/// The views use SQL that all four engines share. `DialectRenderer` rewrites the remaining differences. These are the
/// division of integers, the names of types, the position of NULL in an order, and the sum of integers.
public enum Dialect: String, Sendable, CaseIterable {
  /// The SQL dialect of Apache Spark.
  case spark
  /// The SQL dialect of PostgreSQL.
  case postgresql
  /// The SQL dialect of DuckDB.
  case duckdb

  /// The column type for SQLite's integers: instants, money, keys and flags.
  var integerType: String { "BIGINT" }

  /// The column type for text, which must compare by bytes. A digest is stored as lowercase hexadecimal digits, which
  /// sort like its bytes.
  var textType: String {
    switch self {
    case .spark: "STRING"
    // PostgreSQL would otherwise compare ids by the rules of the database's language.
    case .postgresql: "TEXT COLLATE \"C\""
    case .duckdb: "TEXT"
    }
  }

  /// The name of the text type inside a CAST.
  var castTextType: String { self == .spark ? "STRING" : "TEXT" }

  /// The operator that divides an integer by an integer and rounds towards zero.
  var division: String {
    switch self {
    case .spark: "DIV"
    case .postgresql: "/"
    case .duckdb: "//"
    }
  }

  /// Whether ORDER BY must state the position of NULL. SQLite and Spark sort NULL before everything else by default.
  var needsNullOrdering: Bool { self != .spark }

  /// The name of an aggregate that sums integers to an integer. `nil` where SUM itself returns an integer.
  var integerSum: String? { self == .postgresql ? "integer_sum" : nil }

  /// The text that ends the list of columns in CREATE TABLE.
  var tableEnding: String { self == .spark ? ") USING parquet" : ")" }

  /// SQL that the engine runs before it creates the views.
  var preamble: String {
    guard self == .postgresql else { return "" }
    return """
      -- PostgreSQL's own sum of integers is a decimal, and divided gives fractions.
      CREATE AGGREGATE integer_sum (BIGINT) (SFUNC = int8pl, STYPE = BIGINT, COMBINEFUNC = int8pl, PARALLEL = SAFE);


      """
  }
}
