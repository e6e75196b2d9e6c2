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
  package init(_ instant: Instant?) { self = instant.map(Value.instant) ?? .null }
  package init(_ flag: Bool?) { self = flag.map(Value.flag) ?? .null }
  package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
}

extension Row {
  /// Returns the value of a column that allows only known names.
  /// - Throws: ``LedgerError`` with `unknown_value` when this version does not know the value.
  package func value<Value: RawRepresentable>(_ column: String) throws -> Value where Value.RawValue == String {
    let text: String = self[column]
    guard let value = Value(rawValue: text) else {
      throw LedgerError.unknownValue(of: column)
    }
    return value
  }

  /// Returns the instant in a column of milliseconds since 1970, or `nil` for NULL.
  package func instant(_ name: String) -> Instant? {
    (self[name] as Int64?).map { Instant(milliseconds: $0) }
  }
}
