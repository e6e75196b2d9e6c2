/// Reads the members of one object and tolerates the variations in real payloads. Ids and instants may be text or
/// numbers, flags have four spellings, and empty texts and zeros mean absent. A value that cannot be used is noted as a
/// problem and read as absent.
struct FieldReader {
  let object: JSONValue
  var problems: [Problem] = []

  init(_ object: JSONValue) { self.object = object }

  /// Returns the value at a key; `nil` if there is none, or it is null.
  func member(_ key: StaticString) -> JSONValue? {
    guard let value = object[key], !value.isNull else { return nil }
    return value
  }

  mutating func note(_ code: Problem.Code, at value: JSONValue) {
    problems.append(Problem(code: code, path: value.path, value: value.source))
  }

  /// Returns a text, or the digits of a number. An empty text means absent. A text with a NUL byte is a problem:
  /// programs in C end the text there, and would read another text.
  mutating func text(_ key: StaticString) -> String? {
    guard let value = member(key) else { return nil }
    if let text = value.string, !text.utf8.contains(0) { return text.isEmpty ? nil : text }
    if let digits = value.numberText { return digits }
    note(.unreadableText, at: value)
    return nil
  }

  /// Returns one of Apple's ids. An id that a log has redacted (`***`, `1000000...`) is a problem, and read as absent.
  /// All redacted ids look alike, and would join the purchases of different customers.
  mutating func identifier(_ key: StaticString) -> String? {
    guard let text = text(key) else { return nil }
    guard !RedactedIdentifier.matches(text) else {
      if let value = member(key) { note(.redactedID, at: value) }
      return nil
    }
    return text
  }

  /// Returns a whole number, also from a text. An empty text means absent.
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

  /// Returns an amount of money, which Apple states in milliunits.
  mutating func amount(_ key: StaticString) -> Milliunits? { integer(key).map { Milliunits($0) } }

  /// The greatest number of items: Apple's quantities are int32.
  static let greatestQuantity = Int64(Int32.max)

  /// Returns a number of items. One outside of the range is a problem, and read as absent.
  mutating func quantity(_ key: StaticString, in range: ClosedRange<Int64> = 1...greatestQuantity) -> Int64? {
    guard let number = integer(key) else { return nil }
    if range.contains(number) { return number }
    if let value = member(key) { note(.impossibleQuantity, at: value) }
    return nil
  }

  /// Returns a flag from `true`, `1`, `"1"`, `"true"` or their opposites.
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

  /// Returns an instant from milliseconds since 1970, without the fraction. Zero, an empty text and a date before 1970
  /// (Apple's year 1) mean absent.
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

  /// Returns a receipt's date: the milliseconds if there are any, else the first text that can be read. If another key
  /// states a different second, or a text that is not a date, it notes a problem with both values (rules §6). Apple writes
  /// all of them from one instant.
  mutating func receiptInstant(_ keys: ReceiptDateKeys) -> Instant? {
    if let value = member(keys.milliseconds) {
      let before = problems.count
      if let instant = instant(keys.milliseconds) {
        noteContradiction(of: instant, at: value, keys, isStrict: true)
        return instant
      }
      guard problems.count == before else { return nil }
    }
    for key in keys.texts {
      guard let value = member(key), let instant = receiptInstant(value) else { continue }
      noteContradiction(of: instant, at: value, keys)
      return instant
    }
    return nil
  }

  /// Returns a receipt's date from a value that may be milliseconds or text.
  private mutating func receiptInstant(_ value: JSONValue) -> Instant? {
    if case .value(let number) = Self.number(value) { return checked(number, value) }
    guard let words = value.string, !words.isEmpty else { return nil }
    if let instant = Instant(receiptText: words) { return instant }
    note(.unreadableInstant, at: value)
    return nil
  }

  /// - Parameter isStrict: whether a text that is not a date contradicts too. If a text states the instant, the unreadable
  ///   texts before it are problems already.
  private mutating func noteContradiction(
    of instant: Instant, at value: JSONValue, _ keys: ReceiptDateKeys, isStrict: Bool = false
  ) {
    for key in keys.statements {
      guard let other = member(key), let bytes = other.stringBytes, !bytes.isEmpty else { continue }
      // Old receipts have milliseconds under these keys.
      if case .value = Self.number(other) { continue }
      guard !(instant.agrees(withReceiptText: bytes) ?? !isStrict) else { continue }
      problems.append(
        Problem(code: .contradictoryDate, path: other.path, value: other.source + Array(" and ".utf8) + value.source))
      return
    }
  }

  /// Returns a reader of the object at a key. A value of another kind is a problem, and read as absent.
  mutating func inner(_ key: StaticString) -> FieldReader? {
    guard let value = member(key) else { return nil }
    if value.isObject { return FieldReader(value) }
    note(.unexpectedShape, at: value)
    return nil
  }

  /// Returns the elements of the list at a key. A value of another kind is a problem, and read as absent.
  mutating func elements(_ key: StaticString) -> [JSONValue] {
    guard let value = member(key) else { return [] }
    if value.isArray { return value.elements }
    note(.unexpectedShape, at: value)
    return []
  }

  /// Returns the exact text of a nested value, for a reader that interprets it later.
  mutating func sourceText(_ key: StaticString) -> String? {
    member(key).map { String(decoding: $0.source, as: UTF8.self) }
  }

  private enum Number { case value(Int64), absent, unreadable }

  private static func number(_ value: JSONValue) -> Number {
    if let number = value.plainDigits { return .value(number) }
    guard let text = value.string ?? value.numberText else { return .unreadable }
    let trimmed = text.trimmingSpace
    if trimmed.isEmpty { return .absent }
    if let number = Int64(trimmed) { return .value(number) }
    guard let number = Double(trimmed), number.isFinite, abs(number) < 9e15 else { return .unreadable }
    return .value(Int64(number.rounded(.down)))
  }
}

/// The keys under which a receipt states one date (Apple, "responseBody.Latest_receipt_info").
struct ReceiptDateKeys: Sendable {
  /// The key for milliseconds since 1970.
  let milliseconds: StaticString
  /// The keys for text in GMT. In iOS 6 receipts their values may also be milliseconds.
  let texts: [StaticString]
  /// All keys that state the date as text, also those in Pacific time.
  let statements: [StaticString]

  init(_ milliseconds: StaticString, _ texts: [StaticString], pacific: [StaticString]) {
    (self.milliseconds, self.texts, statements) = (milliseconds, texts, texts + pacific)
  }

  static let request = Self("request_date_ms", ["request_date"], pacific: ["request_date_pst"])
  static let receiptCreation = Self(
    "receipt_creation_date_ms", ["receipt_creation_date"], pacific: ["receipt_creation_date_pst"])
  static let purchase = Self("purchase_date_ms", ["purchase_date"], pacific: ["purchase_date_pst"])
  static let originalPurchase = Self(
    "original_purchase_date_ms", ["original_purchase_date"], pacific: ["original_purchase_date_pst"])
  /// In iOS 6 receipts, `expires_date` contains milliseconds, and `expires_date_formatted` contains the text.
  static let expires = Self(
    "expires_date_ms", ["expires_date", "expires_date_formatted"],
    pacific: ["expires_date_pst", "expires_date_formatted_pst"])
  static let cancellation = Self("cancellation_date_ms", ["cancellation_date"], pacific: ["cancellation_date_pst"])
  static let gracePeriodExpires = Self(
    "grace_period_expires_date_ms", ["grace_period_expires_date"], pacific: ["grace_period_expires_date_pst"])
  static let autoRenewStatusChange = Self(
    "auto_renew_status_change_date_ms", ["auto_renew_status_change_date"],
    pacific: ["auto_renew_status_change_date_pst"])
}
