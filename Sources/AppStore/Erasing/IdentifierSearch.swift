/// Finds the ids of one person in any text: in any case, percent-encoded, with JSON escapes, and in Base 64.
///
/// It finds more than ``IdentifierEraser`` replaces, to report what an erasure has left. How certainly an id belongs
/// to the person decides what may be done:
///
/// | id | found | may be erased |
/// |---|---|---|
/// | unmistakable: a token, an address, or a long id that is not a number | anywhere | anywhere |
/// | likely: five bytes or more, not a number | as a word, in Base 64 | in people's words; in long Base 64, anywhere |
/// | a number of five digits or more | as a word | nowhere: Apple's ids look like it |
/// | shorter | where it is a whole value | nowhere |
public struct IdentifierSearch: Sendable {
  /// The origin of a text, which decides how much may be replaced in it.
  public enum TextKind: Sendable {
    /// A text from Apple or from the app. It keeps its length, because byte positions refer to it.
    case text
    /// A text that people wrote, or a description of a problem.
    case words
  }

  private struct Pattern {
    let bytes: [UInt8]
    /// Whether capital and small letters count as equal.
    var isFolded = true
    /// Whether the id must stand between characters that are not letters or digits.
    var isWord = false
    /// Whether the id must be the whole value.
    var isWhole = false
    var isErasableInText = false
    var isErasableInWords = false
    var isEncoded = false

    func isErasable(in kind: TextKind) -> Bool { kind == .text ? isErasableInText : isErasableInWords }
  }

  private var patterns: [Pattern] = []
  /// The needles for each pair of first bytes. At most positions of a text, no needle begins.
  private var beginnings: [UInt16: [Int]] = [:]
  private var canBegin = [Bool](repeating: false, count: 1 << 16)
  private let pseudonym: [UInt8]

  /// The length of the longest form that the search finds, in bytes. It assumes that every byte is escaped in a text
  /// inside a text.
  public var longest: Int { 8 * (patterns.map(\.bytes.count).max() ?? 0) }

  /// Creates a search for the ids of one person.
  /// - Parameters:
  ///   - ids: all ids of the person. An empty list finds nothing.
  ///   - pseudonym: the text that replaces an id.
  public init(ids: [String], pseudonym: String) {
    self.pseudonym = Array(pseudonym.utf8)
    for id in ids where !id.isEmpty { add(id) }
    for (index, pattern) in patterns.enumerated() where !pattern.isWhole {
      for pair in Self.beginnings(of: pattern) {
        beginnings[pair, default: []].append(index)
        canBegin[Int(pair)] = true
      }
    }
  }

  /// Returns the pairs of bytes with which a needle can begin.
  private static func beginnings(of pattern: Pattern) -> Set<UInt16> {
    let (percent, backslash) = (UInt8(ascii: "%"), UInt8(ascii: "\\"))
    let (first, second) = (cases(pattern.bytes[0], pattern.isFolded), cases(pattern.bytes[1], pattern.isFolded))
    var pairs = first.flatMap { one in second.map { (one, $0) } }
    if !pattern.isEncoded {
      // UTF-16 has zero bytes between letters.
      for byte in first {
        let digit = digits[Int(byte >> 4)]
        pairs += [percent, backslash, 0].map { (byte, $0) } + [(percent, digit), (percent, digit & 0xDF)]
      }
      pairs += [UInt8(ascii: "u"), backslash, UInt8(ascii: "/")].map { (backslash, $0) }
    }
    return Set(pairs.map { UInt16($0.0) << 8 | UInt16($0.1) })
  }

  private mutating func add(_ id: String) {
    let (isUnmistakable, isNumber) = (IdentifierEraser.isUnmistakable(id), id.allSatisfy(\.isNumber))
    guard isUnmistakable || id.utf8.count >= 5 else {
      patterns.append(Pattern(bytes: Self.folded(Array(id.utf8)), isWhole: true))
      return
    }
    // Letters beyond ASCII also have capital and small forms.
    for text in Set([id, id.lowercased(), id.uppercased()].map { Self.folded(Array($0.utf8)) }) {
      patterns.append(
        Pattern(
          bytes: text, isWord: !isUnmistakable, isErasableInText: isUnmistakable, isErasableInWords: !isNumber))
    }
    if isNumber { return }
    for text in Set([id, id.lowercased(), id.uppercased()]) {
      // Fewer Base 64 letters occur in any text by chance.
      for form in Self.base64(Array(text.utf8)) where form.count >= 6 {
        patterns.append(
          Pattern(
            bytes: form, isFolded: false, isErasableInText: form.count >= 8, isErasableInWords: form.count >= 8,
            isEncoded: true))
      }
    }
  }

  // MARK: - Forms

  private static func folded(_ bytes: [UInt8]) -> [UInt8] { bytes.map(folded) }

  private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static func cases(_ byte: UInt8, _ isFolded: Bool) -> [UInt8] {
    isFolded && (0x61...0x7A).contains(byte) ? [byte, byte ^ 0x20] : [byte]
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// Returns the Base 64 letters that depend on an id alone, for each of the three possible offsets of the id.
  private static func base64(_ bytes: [UInt8]) -> Set<[UInt8]> {
    var forms: Set<[UInt8]> = []
    for shift in 0..<3 {
      let encoded = Base64URL.encode([UInt8](repeating: 0, count: shift) + bytes)
      let form = Array(encoded[((8 * shift + 5) / 6)..<(8 * (shift + bytes.count) / 6)])
      forms.insert(form)
      forms.insert(
        form.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 })
    }
    return forms
  }

  // MARK: - Searching

  /// Returns whether bytes contain an id.
  public func finds(in bytes: UnsafeRawBufferPointer) -> Bool {
    patterns.contains { $0.isWhole && $0.bytes.count == bytes.count && Self.end(of: $0, in: bytes, at: 0) != nil }
      || next(in: bytes, from: 0) { _ in true } != nil
  }

  /// Replaces the ids that may be erased.
  /// - Returns: the new bytes; `nil` if there was nothing to replace.
  public func erased(_ bytes: [UInt8], in kind: TextKind) -> [UInt8]? {
    bytes.withUnsafeBytes { buffer in
      var output: [UInt8] = []
      var copied = 0
      while let found = next(in: buffer, from: copied, where: { $0.isErasable(in: kind) }) {
        output += buffer[copied..<found.range.lowerBound]
        if found.isEncoded {
          output += [UInt8](repeating: UInt8(ascii: "A"), count: found.range.count)
        } else {
          output += kind == .words ? pseudonym : (0..<found.range.count).map { pseudonym[$0 % pseudonym.count] }
        }
        copied = found.range.upperBound
      }
      return copied == 0 ? nil : output + buffer[copied...]
    }
  }

  /// Returns the first id from a position on. If several begin there, it returns the longest.
  private func next(
    in bytes: UnsafeRawBufferPointer, from start: Int, where isWanted: (Pattern) -> Bool
  ) -> (range: Range<Int>, isEncoded: Bool)? {
    guard !patterns.isEmpty else { return nil }
    var offset = start
    while offset + 1 < bytes.count {
      let pair = UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
      if canBegin[Int(pair)], let candidates = beginnings[pair] {
        var best: (range: Range<Int>, isEncoded: Bool)?
        for pattern in candidates where isWanted(patterns[pattern]) {
          guard let end = Self.end(of: patterns[pattern], in: bytes, at: offset), end > best?.range.upperBound ?? 0
          else {
            continue
          }
          best = (offset..<end, patterns[pattern].isEncoded)
        }
        if let best { return best }
      }
      offset += 1
    }
    return nil
  }

  /// Returns the end of a needle that begins at a position; `nil` if the needle is not there.
  private static func end(of pattern: Pattern, in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
    var (end, matched) = (offset, 0)
    while matched < pattern.bytes.count {
      guard end < bytes.count else { return nil }
      if pattern.bytes[matched] == (pattern.isFolded ? folded(bytes[end]) : bytes[end]) {
        (end, matched) = (end + 1, matched + 1)
        continue
      }
      if bytes[end] == 0, end > offset, !pattern.isEncoded {
        end += 1
        continue
      }
      guard !pattern.isEncoded, let character = escape(in: bytes, at: end) else { return nil }
      for byte in character.bytes {
        guard matched < pattern.bytes.count, pattern.bytes[matched] == folded(byte) else { return nil }
        matched += 1
      }
      end = character.end
    }
    guard pattern.isWord else { return end }
    return (end < bytes.count && isLetterOrDigit(bytes[end])) || isAdjoined(bytes, before: offset) ? nil : end
  }

  /// Decodes an escape: `%2D`, `\u002d` or `\/`, also with the backslashes of a text inside a text.
  private static func escape(in bytes: UnsafeRawBufferPointer, at offset: Int) -> (bytes: [UInt8], end: Int)? {
    func number(_ start: Int, _ count: Int) -> UInt32? {
      guard start + count <= bytes.count else { return nil }
      return bytes[start..<start + count].reduce(0 as UInt32?) { value, byte in
        value.flatMap { value in JSONValue.hexDigit(byte).map { value << 4 | $0 } }
      }
    }
    if bytes[offset] == UInt8(ascii: "%") { return number(offset + 1, 2).map { ([UInt8($0)], offset + 3) } }
    var end = offset
    while end < bytes.count, bytes[end] == UInt8(ascii: "\\") { end += 1 }
    guard end > offset, end < bytes.count else { return nil }
    if bytes[end] == UInt8(ascii: "/") { return ([bytes[end]], end + 1) }
    guard bytes[end] == UInt8(ascii: "u"), let scalar = number(end + 1, 4).flatMap(Unicode.Scalar.init) else {
      return nil
    }
    return (Array(String(scalar).utf8), end + 5)
  }

  /// Returns whether a letter or digit stands before a position and is not the end of an escape.
  private static func isAdjoined(_ bytes: UnsafeRawBufferPointer, before offset: Int) -> Bool {
    guard offset > 0, isLetterOrDigit(bytes[offset - 1]) else { return false }
    let backslash = UInt8(ascii: "\\")
    if offset > 1, bytes[offset - 2] == backslash { return false }
    if offset > 2, bytes[offset - 3] == UInt8(ascii: "%") { return false }
    return !(offset > 5 && bytes[offset - 6] == backslash && bytes[offset - 5] == UInt8(ascii: "u"))
  }
}
