internal import LedgerSchema

/// The statements of one transaction. Each is prepared when it is first needed.
final class PreparedSteps<Name: RawRepresentable & CaseIterable> where Name.RawValue == Int {
  private let prepare: (Name) throws -> Step
  private var made: [Step?] = Array(repeating: nil, count: Name.allCases.count)

  init(_ prepare: @escaping (Name) throws -> Step) { self.prepare = prepare }

  /// Returns the statement of a name, ready for its first value.
  func callAsFunction(_ name: Name) throws -> Step {
    if let step = made[name.rawValue] { return step }
    let step = try prepare(name)
    made[name.rawValue] = step
    return step
  }
}
