public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A statement about tax or commission, and the time for which it is valid.
public struct ValidProceedsTerm: Sendable, Equatable {
  /// The statement, from the first day for which it is valid.
  public var term: ProceedsTerm
  /// The first instant at which another statement is valid; `nil`: this is the last one.
  public var endsAt: Instant?
  /// Whether it comes with the program.
  public var isDefault: Bool
}

extension LedgerReader {
  /// Returns the statements about tax and commission that come with the program or were imported by the query's
  /// `knownAt`. They are in the order of their kinds, storefronts and apps, those of the latest day first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func proceedsTerms(_ parameters: QueryParameters) throws -> [ValidProceedsTerm] {
    try lookUp("proceeds_term") { database in
      try parameters.write(to: database)
      let rows = try database.rows(
        """
        SELECT term, country, bundle_id, begins_at, ends_at, rate, source, is_default FROM temp.proceeds_term
        ORDER BY country, bundle_id, begins_at DESC
        """)
      let terms = rows.compactMap { row in
        ProceedsTerm(row).map { term in
          ValidProceedsTerm(term: term, endsAt: row.instant("ends_at"), isDefault: row["is_default"] == 1)
        }
      }
      return ProceedsTerm.Kind.allCases.flatMap { kind in terms.filter { $0.term.kind == kind } }
    }
  }
}
