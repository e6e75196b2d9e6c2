internal import GRDB
internal import LedgerSchema

/// Proof that the projections answer for every subscription that a connection was asked about. Only the check of their
/// freshness makes one, and nothing reads projections without it.
///
/// A projection answers when nothing was recorded about its subscription after the instant that is asked about
/// (`known_at`), and when all evidence is trusted as much as the question demands.
struct UpToDateProjections {
  /// The view that names the subscriptions for which no projection answers.
  static let check = "int_scope_derived"

  /// Checks the subscriptions in `temp.param_scope`.
  /// - Returns: `nil` when at least one has no projection that answers.
  init?(checking database: Database) throws {
    if try database.has("SELECT 1 FROM temp.\(Self.check)", []) { return nil }
  }

  /// Reads the projections, in the transaction of the check.
  func read<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value { try body(database) }
}
