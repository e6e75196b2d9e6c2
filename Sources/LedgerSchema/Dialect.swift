/// The engines beside SQLite that run the ledger's views over exported evidence.
///
/// The views are written in the SQL that all four share. What is left to differ is rewritten by ``DialectRenderer``, and
/// nothing else: how integers are divided, how types are called, where NULL stands in an order, what a sum of integers is.
public enum Dialect: String, Sendable, CaseIterable {
  /// Apache Spark SQL.
  case spark
  /// PostgreSQL.
  case postgresql
  /// DuckDB.
  case duckdb

  /// What holds an integer of SQLite's: instants, money, keys, flags.
  var integerType: String { "BIGINT" }

  /// What holds a text, in the order of its bytes. A digest is its lowercase hexadecimal digits: these come in the order of
  /// its bytes.
  var textType: String {
    switch self {
    case .spark: "STRING"
    // Elsewhere a language's own order would decide between ids.
    case .postgresql: "TEXT COLLATE \"C\""
    case .duckdb: "TEXT"
    }
  }

  /// The type's name in a CAST.
  var castTextType: String { self == .spark ? "STRING" : "TEXT" }

  /// What divides an integer by an integer, towards zero.
  var division: String {
    switch self {
    case .spark: "DIV"
    case .postgresql: "/"
    case .duckdb: "//"
    }
  }

  /// Whether NULL has to be told its place: SQLite has it before everything else, and so does Spark.
  var tellsNullsPlace: Bool { self != .spark }

  /// The sum of integers that is one; `nil` where SUM is that.
  var integerSum: String? { self == .postgresql ? "integer_sum" : nil }

  /// What follows the columns of a table.
  var tableEnding: String { self == .spark ? ") USING parquet" : ")" }

  /// What the views need before all else.
  var preamble: String {
    guard self == .postgresql else { return "" }
    return """
      -- PostgreSQL's own sum of integers is a decimal, and divided gives fractions.
      CREATE AGGREGATE integer_sum (BIGINT) (SFUNC = int8pl, STYPE = BIGINT, COMBINEFUNC = int8pl, PARALLEL = SAFE);


      """
  }
}
