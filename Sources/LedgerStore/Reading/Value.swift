public import AppStore
package import GRDB
internal import LedgerSchema

/// One cell of an answer.
public enum Value: Sendable, Equatable {
  /// Nothing: Apple did not say, or it does not apply.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number: only from SQL of a user's own.
  case real(Double)
  /// Text; every id is text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
  /// A point in time.
  case instant(Instant)
  /// Yes or no.
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
}

extension Row {
  /// Returns a value of a closed set.
  /// - Throws: ``LedgerError`` with `unknown_value` when this version does not know it.
  package func value<Value: RawRepresentable>(_ column: String) throws -> Value where Value.RawValue == String {
    let text: String = self[column]
    guard let value = Value(rawValue: text) else {
      throw LedgerError(
        .unknownValue, "The column \(column) holds a value that this version of subledger does not know.",
        "Use the version that wrote the file, or a later one.")
    }
    return value
  }

  /// Returns an instant, in milliseconds since 1970.
  package func instant(_ name: String) -> Instant? {
    (self[name] as Int64?).map { Instant(milliseconds: $0) }
  }
}
