/// Reads the members of one object as tolerantly as the wild demands (`app-store.md` §9): ids and instants as text or
/// numbers, flags in four spellings, empty text and zeros as absence. What is there but cannot be used is noted as a
/// problem and read as absent.
struct FieldReader {
  let object: JSONValue
  var problems: [Problem] = []

  init(_ object: JSONValue) { self.object = object }

  private func member(_ key: StaticString) -> JSONValue? {
    guard let value = object[key], !value.isNull else { return nil }
    return value
  }

  mutating func note(_ code: Problem.Code, at value: JSONValue) {
    problems.append(Problem(code: code, path: value.path, value: value.source))
  }

  /// Text, or a number as its digits; an empty text is absence.
  mutating func text(_ key: StaticString) -> String? {
    guard let value = member(key) else { return nil }
    if let text = value.string { return text.isEmpty ? nil : text }
    if let digits = value.numberText { return digits }
    note(.unreadableText, at: value)
    return nil
  }

  /// A whole number, or text that is one; an empty text is absence.
  mutating func integer(_ key: StaticString) -> Int64? {
    guard let value = member(key) else { return nil }
    switch Self.number(value) {
    case .value(let number): return number
    case .absent: return nil
    case .unreadable:
      note(.unreadableNumber, at: value)
      return nil
    }
  }

  /// `true`, `1`, `"1"`, `"true"` and their opposites.
  mutating func flag(_ key: StaticString) -> Bool? {
    guard let value = member(key) else { return nil }
    if let flag = value.boolean { return flag }
    switch value.string ?? value.numberText {
    case "1", "true", "True", "TRUE", "YES": return true
    case "0", "false", "False", "FALSE", "NO": return false
    case "": return nil
    default:
      note(.unreadableFlag, at: value)
      return nil
    }
  }

  /// Milliseconds since 1970. A fraction is cut off; zero, an empty text and a date before 1970 (Apple's year 1)
  /// mean absent.
  mutating func instant(_ key: StaticString) -> Instant? {
    guard let value = member(key) else { return nil }
    switch Self.number(value) {
    case .value(let number): return checked(number, value)
    case .absent: return nil
    case .unreadable:
      note(.unreadableInstant, at: value)
      return nil
    }
  }

  private mutating func checked(_ number: Int64, _ value: JSONValue) -> Instant? {
    guard number > 0 else { return nil }
    guard number <= Instant.latest.milliseconds else {
      note(.unreadableInstant, at: value)
      return nil
    }
    return Instant(milliseconds: number)
  }

  /// A receipt's date under its three keys: `…_ms` wins; else the key itself, which holds milliseconds or text.
  mutating func receiptInstant(milliseconds: StaticString, text: StaticString) -> Instant? {
    if member(milliseconds) != nil {
      let before = problems.count
      if let instant = instant(milliseconds) { return instant }
      guard problems.count == before else { return nil }
    }
    guard let value = member(text) else { return nil }
    if case .value(let number) = Self.number(value) { return checked(number, value) }
    guard let words = value.string, !words.isEmpty else { return nil }
    if let instant = Instant(receiptText: words) { return instant }
    note(.unreadableInstant, at: value)
    return nil
  }

  /// A nested value's exact text, where the question can be left to whoever reads it.
  mutating func sourceText(_ key: StaticString) -> String? {
    member(key).map { String(decoding: $0.source, as: UTF8.self) }
  }

  private enum Number { case value(Int64), absent, unreadable }

  private static func number(_ value: JSONValue) -> Number {
    guard let text = value.string ?? value.numberText else { return .unreadable }
    let trimmed = text.trimmingSpace
    if trimmed.isEmpty { return .absent }
    if let number = Int64(trimmed) { return .value(number) }
    guard let number = Double(trimmed), number.isFinite, abs(number) < 9e15 else { return .unreadable }
    return .value(Int64(number.rounded(.down)))
  }
}
