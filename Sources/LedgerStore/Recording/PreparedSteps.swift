internal import LedgerSchema

/// The statements of one transaction, each prepared when it is first needed.
final class PreparedSteps<Name: RawRepresentable & CaseIterable> where Name.RawValue == Int {
  private let prepare: (Name) throws -> Step
  private var made: [Step?] = Array(repeating: nil, count: Name.allCases.count)

  init(_ prepare: @escaping (Name) throws -> Step) { self.prepare = prepare }

  /// The step of this name, ready for its first value.
  func callAsFunction(_ name: Name) throws -> Step {
    if let step = made[name.rawValue] { return step }
    let step = try prepare(name)
    made[name.rawValue] = step
    return step
  }
}
