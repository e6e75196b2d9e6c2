internal import GRDB
internal import LedgerSchema

/// A proof that projections can answer for every subscription of a connection's question. Only the check in
/// ``init(checking:)`` creates it, and nothing reads projections without it.
///
/// A projection can answer if no evidence about its subscription was recorded after the question's `known_at`. All its
/// evidence must also be trusted as much as the question demands.
struct UpToDateProjections {
  /// The view of subscriptions that no projection can answer for.
  static let check = "int_scope_derived"

  /// Checks the subscriptions in `temp.param_scope`.
  /// - Returns: `nil` when at least one of them has no projection that can answer.
  init?(checking database: Database) throws {
    if try database.has("SELECT 1 FROM temp.\(Self.check)", []) { return nil }
  }

  /// Runs a closure that reads the projections, in the transaction of the check.
  func read<Value>(_ database: Database, _ body: (Database) throws -> Value) throws -> Value { try body(database) }
}
