public import AppStore
internal import GRDB

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

  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .blob([UInt8](data))
    }
  }

  init(_ text: String?) { self = text.map(Value.text) ?? .null }
  init(_ instant: Instant?) { self = instant.map(Value.instant) ?? .null }
  init(_ flag: Bool?) { self = flag.map(Value.flag) ?? .null }
}

extension Row {
  func instant(_ name: String) -> Instant? {
    (self[name] as Int64?).map { Instant(milliseconds: $0) }
  }
}
