public import LedgerStore

/// One row of a list of answers. Its fields are the columns of a table, and the keys of a JSON object.
public protocol AnswerRow {
  /// The fields, in the order in which every output has them.
  static var fields: [AnswerField<Self>] { get }
}

/// One field of a row: its name, and its value.
public struct AnswerField<Row>: Sendable {
  /// The name of the column, which is also the key in JSON.
  public let name: String
  /// Returns the value that a row has in it.
  public let value: @Sendable (Row) -> Value

  /// Creates a field from its name and a function.
  /// - Parameters:
  ///   - name: the name of the column.
  ///   - value: returns the value that a row has in it.
  public init(_ name: String, _ value: @escaping @Sendable (Row) -> Value) {
    (self.name, self.value) = (name, value)
  }
}

extension AnswerRow {
  /// The names of the fields, in their order.
  public static var columns: [String] { fields.map(\.name) }

  /// The values of the fields, in their order.
  public var values: [Value] { Self.fields.map { $0.value(self) } }
}
