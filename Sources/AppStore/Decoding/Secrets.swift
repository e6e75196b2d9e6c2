/// Blanks out V1's `password`, the app's shared secret, before a payload is read, stored, logged or shown.
///
/// It works on bytes and not on parsed JSON, because torn and foreign texts are kept too, in quarantine; and it is a
/// state machine, because such a text may come in pieces.
public struct SecretRedactor {
  private enum State {
    case text
    case key(matched: Int)
    case afterKey
    case afterColon
    case value(depth: Int)
  }

  private static let key = Array("password".utf8)
  /// After a backslash, a quote in another spelling: .NET writes every quote so.
  private static let quote = Array("u0022".utf8)
  private var state = State.text
  /// How many backslashes stand before the present byte, or before the escape that it belongs to.
  private var backslashes = 0
  /// How much of a `\u` escape was read, and what its digits say so far.
  private var escape = (count: 0, value: 0 as UInt32)

  /// A redactor at the beginning of a text.
  public init() {}

  /// Whether a text may name a password at all: the quick look that spares nearly every payload the slow one. Zero bytes
  /// and escapes may stand between its letters or for them.
  static func mayHold(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes {
      ByteSearch.contains("password", in: $0) || ByteSearch.first(0, in: $0) != nil
        || ByteSearch.contains("\\u00", in: $0)
    }
  }

  /// A text without its secrets; the same text where it holds none.
  public static func redacted(_ bytes: [UInt8]) -> [UInt8] {
    guard mayHold(bytes) else { return bytes }
    var redactor = SecretRedactor()
    return redactor.next(bytes[...])
  }

  /// The next piece of a text without its secrets: each byte of a password's value becomes `*`.
  /// Zero bytes are passed over, so that UTF-16 is understood too.
  public mutating func next(_ piece: ArraySlice<UInt8>) -> [UInt8] {
    var output = Array(piece)
    let (letter, backslash) = (Self.key[0], UInt8(ascii: "\\"))
    for place in output.indices where output[place] != 0 {
      // Most bytes begin neither a key nor an escape.
      if backslashes == 0, case .text = state, output[place] != letter, output[place] != backslash { continue }
      if step(output[place]) { output[place] = UInt8(ascii: "*") }
    }
    return output
  }

  /// Whether this byte is part of a secret.
  private mutating func step(_ byte: UInt8) -> Bool {
    if byte == UInt8(ascii: "\\") {
      backslashes = escape.count > 0 ? 1 : backslashes + 1
      escape = (0, 0)
      return false
    }
    if backslashes > 0, continues(byte) {
      guard escape.count == Self.quote.count else { return false }
      if escape.value == 0x22 { return seeQuote(after: Self.backslashes(like: backslashes)) }
      let letter = UInt8(exactly: escape.value)
      forgetEscape()
      if let letter { _ = see(letter) }
      return false
    }
    if byte == UInt8(ascii: "\"") { return seeQuote(after: backslashes) }
    // A backslash that begins no escape is in no key.
    if backslashes > 0, case .key = state { state = .text }
    forgetEscape()
    return see(byte)
  }

  private mutating func forgetEscape() { (backslashes, escape) = (0, (0, 0)) }

  /// Reads a `\u` escape. Of a secret's own no more is read, and so left to be seen, than could be a quote's.
  private mutating func continues(_ byte: UInt8) -> Bool {
    if case .value = state, byte != Self.quote[escape.count] { return false }
    if escape.count == 0 {
      guard byte == UInt8(ascii: "u") else { return false }
    } else {
      guard let digit = JSONValue.hexDigit(byte) else { return false }
      escape.value = escape.value << 4 | digit
    }
    escape.count += 1
    return true
  }

  /// `\u0022` is a quote with one backslash before it; and so on for texts inside texts.
  private static func backslashes(like count: Int) -> Int {
    count.isMultiple(of: 2) ? 2 * backslashes(like: count / 2) + 1 : count
  }

  private mutating func see(_ byte: UInt8) -> Bool {
    let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    switch state {
    case .text:
      if byte == Self.key[0] { state = .key(matched: 1) }
    case .key(let matched):
      let isNext = matched < Self.key.count && byte == Self.key[matched]
      state = isNext ? .key(matched: matched + 1) : byte == Self.key[0] ? .key(matched: 1) : .text
    case .afterKey:
      if byte == UInt8(ascii: ":") { state = .afterColon } else if !isSpace { state = .text }
    case .afterColon:
      if !isSpace { state = .text }
    case .value:
      // No string goes on after a line's end: the text is torn.
      guard byte == 0x0A else { return true }
      state = .text
    }
    return false
  }

  private mutating func seeQuote(after count: Int) -> Bool {
    forgetEscape()
    switch state {
    case .text: break
    case .key(let matched): state = matched == Self.key.count ? .afterKey : .text
    case .afterKey: state = .text
    case .afterColon: state = .value(depth: count)
    case .value(let depth):
      guard Self.ends(count, depth: depth) else { return true }
      state = .text
    }
    return false
  }

  /// Whether a quote after so many backslashes ends a value whose first quote had `depth` of them: 0 in a text, 1 in a text
  /// inside a text, 3 inside that. Each text around it doubles them, and adds one for the quote.
  private static func ends(_ count: Int, depth: Int) -> Bool {
    var (count, depth) = (count, depth)
    while depth > 0 {
      // A quote that a text around this one does not escape ends that text, and this with it.
      if count.isMultiple(of: 2) { return true }
      (count, depth) = (count / 2, depth / 2)
    }
    return count.isMultiple(of: 2)
  }
}
