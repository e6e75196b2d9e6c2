internal import LedgerSchema

/// The statements of one transaction. Each is prepared when it is first needed.
final class StatementCache<Name: RawRepresentable & CaseIterable> where Name.RawValue == Int {
  private let prepare: (Name) throws -> BoundStatement
  private var made: [BoundStatement?] = Array(repeating: nil, count: Name.allCases.count)

  init(_ prepare: @escaping (Name) throws -> BoundStatement) { self.prepare = prepare }

  /// Returns the statement of a name, ready for its first value.
  func callAsFunction(_ name: Name) throws -> BoundStatement {
    if let statement = made[name.rawValue] { return statement }
    let statement = try prepare(name)
    made[name.rawValue] = statement
    return statement
  }
}
