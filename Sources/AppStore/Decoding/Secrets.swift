/// Replaces V1's `password`, the app's shared secret, before a payload is read, stored, logged or shown. It
/// also replaces a private key in PEM, which somebody may send by mistake.
///
/// It works on bytes, not on parsed JSON, because the quarantine also stores truncated texts and texts in other
/// formats. It is a state machine, because such a text may arrive in pieces. It recognises these forms:
///
/// | name | value |
/// |---|---|
/// | `"password":`, in any case, with escapes, also in nested texts | a string, number, word, array or object |
/// | `'password':` as Python and Ruby write it, `"password" =>` | a string, number, word, array or object |
/// | `password=`, `password%3D` as in forms | up to `&`, a space, a quote or a backslash |
/// | `password:`, `password =` before a quote | a string |
///
/// Quotes and brackets stay. A letter becomes `*`, and a digit of a number becomes `1`. So JSON stays JSON, unless the
/// secret itself contains escapes.
public struct SecretRedactor {
  private enum State {
    case text
    case key(matched: Int)
    /// After the name, with the quote that ended it, if any, and the number of backslashes before that quote.
    case afterKey(quote: UInt8?, depth: Int)
    /// After `%` or `%3` of an encoded `=`.
    case percent(seen: Int)
    case afterColon(quote: UInt8?, depth: Int)
    case afterEquals(quote: UInt8?, depth: Int)
    /// After a quote that may end the text around the name, or begin a value.
    case opened(quote: UInt8, depth: Int)
    case value(quote: UInt8, depth: Int)
    case scalar
    case form
    /// Inside an array or object, between its values.
    case container
  }

  /// The kind of an unquoted value, as far as it was read.
  private enum Scalar {
    case word(Int, matched: Int)
    case number(hasExponent: Bool)
    case foreign
  }

  private static let key = Array("password".utf8)
  private static let words = ["null", "true", "false"].map { Array($0.utf8) }
  /// The text after the backslash of an escaped quote, `\u0022` or `\u0027`. .NET writes every quote in this form.
  private static let quote = Array("u002".utf8)
  private static let (double, single, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"))
  private static let star = UInt8(ascii: "*")

  private var keys = PrivateKeyRedactor()
  private var state = State.text
  /// The number of backslashes before the current byte, or before the escape that contains it.
  private var backslashes = 0
  /// How many characters of a `\u` escape were read, and the value of its digits so far.
  private var escape = (count: 0, value: 0 as UInt32)
  private var scalar = Scalar.foreign
  /// The open brackets of a value, and the backslashes before the quote of its name. `isSure` states whether that quote
  /// was a double quote.
  private var brackets = (open: 0, depth: 0, isSure: true)

  /// Creates a redactor for the start of a text.
  public init() {}

  /// Returns whether a text may contain a password or a private key. This fast check avoids the slow one for nearly every payload. It
  /// also finds zero bytes and escapes, because either may stand between or replace the letters.
  static func mayContainSecret(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes {
      ByteSearch.containsPassword(in: $0) || ByteSearch.first(0, in: $0) != nil || ByteSearch.contains("\\u00", in: $0)
        || ByteSearch.contains(PrivateKeyRedactor.rareSuffix, in: $0)
    }
  }

  /// Returns a text without its secrets. A text without secrets is returned unchanged.
  public static func redacted(_ bytes: [UInt8]) -> [UInt8] {
    guard mayContainSecret(bytes) else { return bytes }
    var redactor = SecretRedactor()
    return redactor.next(bytes[...])
  }

  /// Returns the next piece of a text without its secrets. Each byte of a password's value becomes `*`, and a digit of
  /// a number becomes `1`. It ignores zero bytes, so it also handles UTF-16.
  /// - Parameter piece: the bytes that follow the piece of the previous call.
  /// - Returns: as many bytes as the piece has.
  public mutating func next(_ piece: ArraySlice<UInt8>) -> [UInt8] {
    var output = Array(piece)
    let letter = Self.key[0]
    for index in output.indices {
      let byte = keys.next(output[index])
      output[index] = byte
      guard byte != 0 else { continue }
      // Most bytes begin neither a key nor an escape.
      if backslashes == 0, case .text = state, byte | 0x20 != letter, byte != Self.backslash { continue }
      output[index] = step(byte)
    }
    return output
  }

  /// Returns the byte that replaces a byte.
  private mutating func step(_ byte: UInt8) -> UInt8 {
    if byte == Self.backslash {
      backslashes = escape.count > 0 ? 1 : backslashes + 1
      escape = (0, 0)
      switch state {
      case .form, .opened, .afterEquals: state = .text
      default: break
      }
      return byte
    }
    if backslashes > 0, continues(byte) {
      guard escape.count > Self.quote.count else { return byte }
      let value = UInt8(exactly: escape.value)
      if let value, value == Self.double || value == Self.single {
        return handleQuote(value, after: Self.backslashes(like: backslashes)) ? Self.star : byte
      }
      forgetEscape()
      if let value { _ = see(value) }
      return byte
    }
    if byte == Self.double || byte == Self.single { return handleQuote(byte, after: backslashes) ? Self.star : byte }
    // A backslash that does not begin an escape is not part of a key.
    if backslashes > 0, case .key = state { state = .text }
    forgetEscape()
    return see(byte)
  }

  private mutating func forgetEscape() { (backslashes, escape) = (0, (0, 0)) }

  /// Reads a `\u` escape. Inside a secret it reads only an escape that can be a quote, because the bytes of an escape
  /// stay visible.
  private mutating func continues(_ byte: UInt8) -> Bool {
    if isInside, escape.count == Self.quote.count ? byte != 0x32 && byte != 0x37 : byte != Self.quote[escape.count] {
      return false
    }
    if escape.count == 0 {
      guard byte == UInt8(ascii: "u") else { return false }
    } else {
      guard let digit = JSONValue.hexDigit(byte) else { return false }
      escape.value = escape.value << 4 | digit
    }
    escape.count += 1
    return true
  }

  /// Whether the current byte is inside a secret.
  private var isInside: Bool {
    switch state {
    case .value, .scalar, .form: true
    default: false
    }
  }

  /// Returns how many backslashes a plain escaped quote has at the depth of a `\u` escape with `count` backslashes.
  /// `\u0022` equals `\"`, and `\\u0022` equals `\\\"`.
  private static func backslashes(like count: Int) -> Int {
    count.isMultiple(of: 2) ? 2 * backslashes(like: count / 2) + 1 : count
  }
}

/// The transitions of the state machine.
extension SecretRedactor {
  private mutating func see(_ byte: UInt8) -> UInt8 {
    let isBlank = byte == 0x20 || byte == 0x09
    let isSpace = isBlank || byte == 0x0A || byte == 0x0D
    switch state {
    case .text: if byte | 0x20 == Self.key[0] { state = .key(matched: 1) }
    case .key(let matched) where matched == Self.key.count: seeAfterName(byte, isBlank)
    case .key(let matched):
      let isNext = byte | 0x20 == Self.key[matched]
      state = isNext ? .key(matched: matched + 1) : byte | 0x20 == Self.key[0] ? .key(matched: 1) : .text
    case .afterKey(let quote, let depth):
      if byte == UInt8(ascii: ":") {
        state = .afterColon(quote: quote, depth: depth)
      } else if byte == UInt8(ascii: "=") {
        state = .afterEquals(quote: quote, depth: depth)
      } else if quote == nil ? !isBlank : !isSpace {
        return seeText(byte)
      }
    case .percent(let seen):
      let isNext = seen == 1 ? byte == UInt8(ascii: "3") : byte | 0x20 == UInt8(ascii: "d")
      guard isNext else { return seeText(byte) }
      state = seen == 1 ? .percent(seen: 2) : .afterEquals(quote: nil, depth: 0)
    case .afterColon(let quote, let depth):
      if isSpace { return byte }
      guard let quote else { return seeText(byte) }
      return seeValue(byte, quote, depth)
    case .afterEquals(let quote, let depth):
      if isBlank || byte == UInt8(ascii: ">") { return byte }
      if let quote { return seeValue(byte, quote, depth) }
      state = .form
      return seeForm(byte, isSpace)
    case .opened(let quote, let depth):
      // After the quote that ends the text around a name, one of these characters follows.
      if isSpace || ",]}:".utf8.contains(byte) { return seeText(byte) }
      state = .value(quote: quote, depth: depth)
      return Self.star
    case .value:
      // A string does not continue after the end of a line. So the text is truncated.
      guard byte == 0x0A else { return Self.star }
      state = .text
    case .scalar: return seeScalar(byte, isSpace)
    case .form: return seeForm(byte, isSpace)
    case .container: return seeContainer(byte, isSpace)
    }
    return byte
  }

  private mutating func seeText(_ byte: UInt8) -> UInt8 {
    state = .text
    return see(byte)
  }

  private mutating func seeAfterName(_ byte: UInt8, _ isBlank: Bool) {
    state =
      switch byte {
      case UInt8(ascii: "="): .afterEquals(quote: nil, depth: 0)
      case UInt8(ascii: ":"): .afterColon(quote: nil, depth: 0)
      case UInt8(ascii: "%"): .percent(seen: 1)
      case Self.key[0], Self.key[0] ^ 0x20: .key(matched: 1)
      default: isBlank ? .afterKey(quote: nil, depth: 0) : .text
      }
  }

  /// Handles the first byte of a value without a quote.
  private mutating func seeValue(_ byte: UInt8, _ quote: UInt8, _ depth: Int) -> UInt8 {
    brackets = (0, depth, quote == Self.double)
    guard byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") else { return beginScalar(byte) }
    brackets.open = 1
    state = .container
    return byte
  }

  private mutating func beginScalar(_ byte: UInt8) -> UInt8 {
    if ",]}".utf8.contains(byte) { return seeText(byte) }
    state = .scalar
    if let word = Self.words.firstIndex(where: { $0[0] == byte }) {
      scalar = .word(word, matched: 1)
      return byte
    }
    let isDigit = (0x30...0x39).contains(byte)
    scalar = isDigit || byte == UInt8(ascii: "-") ? .number(hasExponent: false) : .foreign
    return isDigit ? UInt8(ascii: "1") : byte == UInt8(ascii: "-") ? byte : Self.star
  }

  private mutating func seeScalar(_ byte: UInt8, _ isSpace: Bool) -> UInt8 {
    if isSpace || ",]}&".utf8.contains(byte) {
      if brackets.open == 0 { return seeText(byte) }
      state = .container
      return seeContainer(byte, isSpace)
    }
    switch scalar {
    case .word(let word, let matched)
    where matched < Self.words[word].count && byte == Self.words[word][matched]:
      scalar = .word(word, matched: matched + 1)
      return byte
    case .number(let hasExponent):
      if (0x30...0x39).contains(byte) { return UInt8(ascii: "1") }
      if "+-.".utf8.contains(byte) { return byte }
      guard byte | 0x20 == UInt8(ascii: "e"), !hasExponent else { break }
      scalar = .number(hasExponent: true)
      return byte
    default: break
    }
    scalar = .foreign
    return Self.star
  }

  private mutating func seeForm(_ byte: UInt8, _ isSpace: Bool) -> UInt8 {
    guard isSpace || byte == UInt8(ascii: "&") else { return Self.star }
    state = .text
    return byte
  }

  private mutating func seeContainer(_ byte: UInt8, _ isSpace: Bool) -> UInt8 {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"): brackets.open += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      brackets.open -= 1
      if brackets.open <= 0 { state = .text }
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "&"): break
    default: if !isSpace { return beginScalar(byte) }
    }
    return byte
  }

  /// Handles a quote, and returns whether it is part of a secret.
  private mutating func handleQuote(_ quote: UInt8, after count: Int) -> Bool {
    forgetEscape()
    switch state {
    case .text: break
    case .key(let matched): state = matched == Self.key.count ? .afterKey(quote: quote, depth: count) : .text
    case .afterKey, .percent, .form, .scalar: state = .text
    case .opened(let first, _):
      // Two equal quotes enclose an empty value.
      state = quote == first && brackets.open > 0 ? .container : .text
    case .afterColon(let name, let depth), .afterEquals(let name, let depth):
      brackets = (0, depth, name == Self.double)
      open(quote, after: count)
    case .value(let first, let depth):
      if first == Self.single, quote == Self.double {
        // The text around it ends, so it is truncated. A secret from Apple contains no quotes.
        state = .text
        return false
      }
      guard quote == first, quote == Self.single ? count <= depth : Self.ends(count, depth: depth) else { return true }
      state = brackets.open > 0 ? .container : .text
    case .container:
      guard count >= brackets.depth else {
        state = .text
        break
      }
      open(quote, after: count)
    }
    return false
  }

  /// Begins a quoted value. Only a name in double quotes is certainly a key. Any other name may be a word of a sentence
  /// that this quote ends.
  private mutating func open(_ quote: UInt8, after count: Int) {
    let isSure = brackets.isSure && count >= brackets.depth
    state = isSure ? .value(quote: quote, depth: count) : .opened(quote: quote, depth: count)
  }

  /// Returns whether a quote with `count` backslashes before it ends a value. The first quote of the value has `depth`
  /// backslashes: 0 in a text, 1 in a text inside a text, 3 one level deeper. Each level doubles the backslashes and
  /// adds one for the quote.
  private static func ends(_ count: Int, depth: Int) -> Bool {
    var (count, depth) = (count, depth)
    while depth > 0 {
      // If a text around this one does not escape the quote, the quote ends that text, and so this one too.
      if count.isMultiple(of: 2) { return true }
      (count, depth) = (count / 2, depth / 2)
    }
    return count.isMultiple(of: 2)
  }
}

/// Replaces each letter and digit of a private key in PEM, and of what follows it. An escape of JSON stays.
package struct PrivateKeyRedactor {
  /// How the first line of such a key ends.
  package static let mark: StaticString = "PRIVATE KEY-----"
  /// The end of the mark from its space on. A search for a space passes over signed texts, which contain none.
  static let rareSuffix: StaticString = " KEY-----"
  private static let bytes = mark.withUTF8Buffer { Array($0) }

  /// How many bytes of the mark were read.
  private var matched = 0
  private var isEscaped = false

  /// Returns the byte that replaces the next byte of a text.
  mutating func next(_ byte: UInt8) -> UInt8 {
    guard matched == Self.bytes.count else {
      // The first letter of the mark occurs nowhere else in it.
      matched = byte == Self.bytes[matched] ? matched + 1 : byte == Self.bytes[0] ? 1 : 0
      return byte
    }
    let isPart = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
    return isPart && !isEscaped ? UInt8(ascii: "*") : byte
  }
}
