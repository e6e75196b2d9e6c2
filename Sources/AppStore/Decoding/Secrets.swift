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
  private var state = State.text
  private var backslashes = 0

  /// A redactor at the beginning of a text.
  public init() {}

  /// Whether a text names a password at all: the quick look that spares nearly every payload the slow one.
  static func mayHold(_ bytes: [UInt8]) -> Bool {
    let mustBeRead = bytes.withUnsafeBytes {
      ByteSearch.contains("password", in: $0) || ByteSearch.first(0, in: $0) != nil
    }
    guard mustBeRead else { return false }
    let key = Self.key
    var matched = 0
    for byte in bytes where byte != 0 {
      if byte == key[matched] {
        matched += 1
        if matched == key.count { return true }
      } else {
        matched = byte == key[0] ? 1 : 0
      }
    }
    return false
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
    for place in output.indices where output[place] != 0 {
      if step(output[place]) { output[place] = UInt8(ascii: "*") }
    }
    return output
  }

  /// Whether this byte is part of a secret.
  private mutating func step(_ byte: UInt8) -> Bool {
    let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    switch state {
    case .text:
      if byte == Self.key[0] { state = .key(matched: 1) }
    case .key(let matched):
      if matched < Self.key.count {
        state = byte == Self.key[matched] ? .key(matched: matched + 1) : byte == Self.key[0] ? .key(matched: 1) : .text
      } else if byte == UInt8(ascii: "\"") {
        state = .afterKey
      } else if byte != UInt8(ascii: "\\") {
        state = byte == Self.key[0] ? .key(matched: 1) : .text
      }
    case .afterKey:
      if byte == UInt8(ascii: ":") { state = .afterColon } else if !isSpace { state = .text }
    case .afterColon:
      if byte == UInt8(ascii: "\"") {
        state = .value(depth: backslashes)
      } else if byte == UInt8(ascii: "\\") {
        backslashes += 1
        return false
      } else if !isSpace {
        state = .text
      }
      backslashes = 0
    case .value(let depth):
      return value(byte, depth: depth)
    }
    return false
  }

  /// A value ends at a quote that is escaped exactly as its opening quote was: texts inside texts carry backslashes.
  private mutating func value(_ byte: UInt8, depth: Int) -> Bool {
    if byte == UInt8(ascii: "\\") {
      backslashes += 1
      return false
    }
    if byte == 0x0A {
      (state, backslashes) = (.text, 0)
      return false
    }
    if byte == UInt8(ascii: "\""), backslashes <= depth {
      (state, backslashes) = (.text, 0)
      return false
    }
    backslashes = 0
    return true
  }
}
