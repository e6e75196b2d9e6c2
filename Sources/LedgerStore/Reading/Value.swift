public import AppStore
package import GRDB
internal import LedgerSchema

/// A value of one column in a row of an answer.
public enum Value: Sendable, Equatable {
  /// No value: Apple did not state it, or it does not apply.
  case null
  /// An integer of 64 bits.
  case integer(Int64)
  /// A floating-point number. Only SQL of a user returns it.
  case real(Double)
  /// A text. Every id is a text.
  case text(String)
  /// A blob: bytes without an encoding.
  case blob([UInt8])
  /// An instant, in milliseconds since 1970.
  case instant(Instant)
  /// A truth value, yes or no.
  case flag(Bool)

  package init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .blob([UInt8](data))
    }
  }

  package init(_ text: String?) { self = text.map(Value.text) ?? .null }
  /// Creates the text of a value that has a name in the database.
  package init<Name: RawRepresentable<String>>(_ name: Name?) { self.init(name?.rawValue) }
  package init(_ instant: Instant?) { self = instant.map(Value.instant) ?? .null }
  package init(_ amount: Milliunits?) { self.init(amount?.rawValue) }
  package init(_ flag: Bool?) { self = flag.map(Value.flag) ?? .null }
  package init(_ number: Int64?) { self = number.map(Value.integer) ?? .null }
  package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
}

extension Row {
  /// Returns the value of a column that allows only known names.
  /// - Throws: ``LedgerError`` with `unknown_value` when this version does not know the value.
  package func value<Value: RawRepresentable>(_ column: String) throws -> Value where Value.RawValue == String {
    guard let value: Value = try valueIfPresent(column) else { throw LedgerError.unknownValue("NULL", of: column) }
    return value
  }

  /// Returns the value of a column that allows only known names, or `nil` for NULL.
  /// - Throws: ``LedgerError`` with `unknown_value` when this version does not know the value.
  package func valueIfPresent<Value: RawRepresentable>(_ column: String) throws -> Value?
  where Value.RawValue == String {
    guard let text: String = self[column] else { return nil }
    guard let value = Value(rawValue: text) else { throw LedgerError.unknownValue(text, of: column) }
    return value
  }

  /// Returns the environment in a column.
  /// - Throws: ``LedgerError`` with `unknown_value` when this version does not know its name.
  package func environment(_ column: String) throws -> Environment {
    guard let environment = try environmentIfPresent(column) else {
      throw LedgerError.unknownValue("NULL", of: column)
    }
    return environment
  }

  /// Returns the environment in a column, or `nil` for NULL.
  /// - Throws: ``LedgerError`` with `unknown_value` when this version does not know its name.
  package func environmentIfPresent(_ column: String) throws -> Environment? {
    guard let name: String = self[column] else { return nil }
    guard let environment = Environment.named(name) else { throw LedgerError.unknownValue(name, of: column) }
    return environment
  }

  /// Returns the instant in a column of milliseconds since 1970, or `nil` for NULL.
  package func instant(_ name: String) -> Instant? {
    (self[name] as Int64?).map { Instant(milliseconds: $0) }
  }

  /// Returns the amount of money in a column of milliunits, or `nil` for NULL.
  package func amount(_ name: String) -> Milliunits? { (self[name] as Int64?).map { Milliunits($0) } }
}
