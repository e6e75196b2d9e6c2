internal import BuildVersion
internal import Crypto
package import GRDB

/// The part of a file's schema that the program generates: its views and its guards. The table `generated_schema` states
/// whose they are. Another version of the program has other ones, and may use the same file.
extension Schema {
  /// A digest that changes when the text of a view or of a guard changes.
  package static let viewDigest: String = {
    var hash = SHA256()
    for text in viewTexts + [dataDictionary.sql] { hash.update(data: Array(text.utf8)) }
    let guards = AppendOnlyTriggers.triggers(
      of: "t", keys: [true, false].map { AppendOnlyTriggers.Key(columns: ["a", "b"], isRowNumber: $0) })
    for guardText in guards { hash.update(data: Array(guardText.utf8)) }
    return hash.finalize().prefix(16).hexadecimal
  }()

  /// A digest that changes when the stored answers of this program would be others.
  package static let answerDigest = digest(of: answerViews)

  /// The views whose rows are stored by subscription. The views that read the stored rows do not name them.
  static let answerViews = [
    "int_entitlement_period", "int_original_transaction_evidence", "int_transaction_version_interval",
    "int_renewal_info_instant",
  ]

  /// A digest that changes when the stored metric deltas of this program would be others.
  package static let metricDigest = digest(of: answerViews + ["metric_delta_derived"])

  /// Returns a digest of the statements of views, and of all views that they read. Comments do not count.
  private static func digest(of names: [String]) -> String {
    var hash = SHA256()
    for name in derivation(of: names).sorted() {
      for line in view(name)?.body.split(separator: "\n") ?? [] {
        let code = line.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)[0]
        for word in code.split(separator: " ") { hash.update(data: Array(word.utf8) + [32]) }
      }
    }
    return hash.finalize().prefix(16).hexadecimal
  }

  /// Returns whether this program's views derived the answers that a file stores.
  package static func hasCurrentAnswers(_ database: Database) throws -> Bool {
    try String.fetchOne(database.cachedStatement(sql: "SELECT answer_digest FROM main.generated_schema"))
      == answerDigest
  }

  /// Returns whether this program's views derived the metric deltas that a file stores.
  package static func hasCurrentMetrics(_ database: Database) throws -> Bool {
    try String.fetchOne(database, sql: "SELECT metric_digest FROM main.generated_schema") == metricDigest
  }

  /// Returns whether the file's views have the text of this program. They nearly always do, and then opening writes
  /// nothing.
  package static func hasCurrentViews(_ database: Database) throws -> Bool {
    try String.fetchOne(database, sql: "SELECT digest FROM generated_schema") == viewDigest
  }

  /// Returns the version of the program that generated a file's views, if that program is newer than this one.
  package static func newerProgramVersion(_ database: Database) throws -> String? {
    // A file of an older version has no such column.
    guard let row = try Row.fetchOne(database, sql: "SELECT * FROM main.generated_schema"),
      let version = row["program_version"] as String?, isNewer(version, than: BuildVersion.number)
    else { return nil }
    return version
  }

  /// Returns whether this program replaces the views and guards of a file by its own. It leaves those of a newer program
  /// as they are, because it reads its own views.
  package static func shouldGenerate(_ database: Database) throws -> Bool {
    try !hasCurrentViews(database) && newerProgramVersion(database) == nil
  }

  /// Returns whether a version, such as 1.10.0, comes after another one.
  static func isNewer(_ version: String, than other: String) -> Bool {
    let (numbers, others) = (version.split(separator: "."), other.split(separator: "."))
    for index in 0..<max(numbers.count, others.count) {
      func number(_ parts: [Substring]) -> Int { index < parts.count ? Int(parts[index]) ?? 0 : 0 }
      if number(numbers) != number(others) { return number(numbers) > number(others) }
    }
    return false
  }

  /// Replaces the views and guards of a file by those of this program, inside the transaction of its caller.
  package static func generate(_ database: Database, _ relations: SchemaRelations = .current) throws {
    try dropViews(database)
    // This comes after the old views are dropped and before the new ones exist. While views exist, SQLite's list of
    // tables computes the columns of all of them.
    try AppendOnlyTriggers.generate(database, relations)
    for view in views { try database.execute(sql: view.sql) }
    if try !hasCurrentMetrics(database) { try database.execute(sql: "DELETE FROM main.projection_metric_coverage") }
    // Without these rows, the program derives all answers again.
    if try !hasCurrentAnswers(database) {
      try database.execute(sql: "DELETE FROM main.projection_original_transaction")
    }
    try database.execute(sql: "DELETE FROM generated_schema")
    try database.execute(
      sql: """
        INSERT INTO generated_schema (digest, answer_digest, metric_digest, program_version) VALUES (?, ?, ?, ?)
        """,
      arguments: [viewDigest, answerDigest, metricDigest, BuildVersion.number])
  }
}
