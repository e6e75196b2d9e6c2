/// Replaces a person's ids with a pseudonym in texts from Apple and from the app. It changes nothing else.
///
/// An id counts only where a text names a person: a customer with the id `1` is not the quantity 1. These places are
/// `appAccountToken`, `app_account_token`, `customer` and StoreKit's `applicationUsername`, at any depth, also inside
/// texts that contain a JWS or JSON. In a client event, they include every word of its error, its device and its other
/// members. An unmistakable id (a token, an address, a long one) is replaced anywhere.
public struct IdentifierEraser: Sendable {
  private static let keys: Set<String> = ["appAccountToken", "app_account_token", "customer", "applicationUsername"]
  /// The members of a client event that name a purchase, not a person.
  private static let facts: Set<String> = [
    "event", "transaction_state", "transaction_id", "original_transaction_id", "product_id", "at",
  ]

  /// Returns whether capital and small letters are equal in an id: in a token or an address.
  private static func isFolded(_ id: String) -> Bool { id.contains("@") || AccountToken.isToken(id) }

  private static func folded(_ id: String) -> String { isFolded(id) ? id.lowercased() : id }

  /// Returns whether an id is distinct from ordinary words. In a sentence, `7` is a number.
  private static func isDistinctive(_ id: String) -> Bool {
    isUnmistakable(id) || (id.utf8.count >= 5 && !id.allSatisfy(\.isNumber))
  }

  /// Returns whether an id cannot be anything else: a token, an address, or an id of sixteen bytes or more that is not
  /// a number. Apple's own ids are numbers.
  public static func isUnmistakable(_ id: String) -> Bool {
    id.contains("@") || (id.utf8.count >= 16 && !id.allSatisfy(\.isNumber))
  }

  private let ids: Set<String>
  private let pseudonym: String

  /// Creates an eraser for one person.
  /// - Parameters:
  ///   - ids: all ids of the person. Account tokens may be in capital or small letters.
  ///   - pseudonym: letters, digits and hyphens, as long as a token, so that a text keeps its length.
  public init(ids: Set<String>, pseudonym: String) {
    self.ids = Set(ids.map(Self.folded))
    self.pseudonym = pseudonym
  }

  /// Replaces the person's ids in a text: JSON, a compact JWS, or any other text.
  /// - Parameter text: UTF-8 bytes.
  /// - Returns: the new text; `nil` if the text does not name the person.
  public func erased(_ text: [UInt8]) -> [UInt8]? {
    if CompactJWS.isLikely(text), let signed = SignedParts(text) { return erasedPayload(of: signed) }
    guard let document = try? JSONDocument(text) else { return erasedFragment(text) }
    var cutter = SourceCutter()
    var count = 0
    collect(document.root, key: nil, isReport: ClientEvent.recognises(document.root), &cutter, &count)
    return count == 0 ? nil : cutter.apply(to: document.bytes).source
  }

  private func collect(
    _ value: JSONValue, key: String?, isReport: Bool, _ cutter: inout SourceCutter, _ count: inout Int
  ) {
    if value.isObject {
      for (name, member) in zip(value.names, value.members) {
        let key = name.string ?? ""
        if Self.isUnmistakable(key), let words = erasedWords(key, all: false) {
          cutter.replace(name.range, with: JSONWriter.quoted(Array(words.utf8)))
          count += 1
        }
        collect(member, key: key, isReport: isReport, &cutter, &count)
      }
      return
    }
    for element in value.elements { collect(element, key: key, isReport: isReport, &cutter, &count) }
    guard let text = value.string ?? value.numberText else { return }
    if let key, Self.keys.contains(key), ids.contains(Self.folded(text)) {
      cutter.replace(value.range, with: Array("\"\(pseudonym)\"".utf8))
      count += 1
    } else if value.isString, text.first == "{" || CompactJWS.isLikely(text.utf8), let inner = erased(Array(text.utf8))
    {
      cutter.replace(value.range, with: JSONWriter.quoted(inner))
      count += 1
    } else if value.isString, let words = erasedWords(text, all: isReport && !Self.facts.contains(key ?? "")) {
      cutter.replace(value.range, with: JSONWriter.quoted(Array(words.utf8)))
      count += 1
    }
  }

  /// The parts of a compact JWS whose payload can be decoded.
  private struct SignedParts {
    let header: ArraySlice<UInt8>
    let payload: [UInt8]
    let signature: ArraySlice<UInt8>

    init?(_ text: [UInt8]) {
      let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      // A truncated JWS may continue with plain words in place of the signature.
      guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
        text.allSatisfy({ isCompactJWS($0) || "=+/".utf8.contains($0) })
      else { return nil }
      (header, self.payload, signature) = (parts[0], payload, parts[2])
    }
  }

  private func erasedPayload(of signed: SignedParts) -> [UInt8]? {
    let dot = [UInt8(ascii: ".")]
    return erased(signed.payload).map { Array(signed.header) + dot + Base64URL.encode($0) + dot + signed.signature }
  }

  /// Replaces the person's ids in a part of a text, or in a text that is not JSON. It also replaces them in signed
  /// texts inside.
  /// - Returns: the new text; `nil` if the text does not name the person.
  public func erasedFragment(_ text: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    var copied = 0
    let folded = text.map(Self.lowercased)
    let patterns = ids.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.map { id in
      (bytes: Array(id.utf8), isFolded: Self.isFolded(id), isUnmistakable: Self.isUnmistakable(id))
    }
    // Returns the length in bytes of an id at a position; `nil` if there is none.
    func length(at offset: Int) -> Int? {
      let found = patterns.first { pattern in
        let end = offset + pattern.bytes.count
        guard end <= text.count, (pattern.isFolded ? folded : text)[offset..<end].elementsEqual(pattern.bytes) else {
          return false
        }
        return pattern.isUnmistakable || Self.namesPerson(text[..<offset])
      }
      return found?.bytes.count
    }
    var offset = 0
    while offset < text.count {
      guard let count = length(at: offset) else {
        let isSigned = text[offset...].starts(with: Self.signedTextStart)
        let end = isSigned ? text[offset...].firstIndex { !Self.isCompactJWS($0) } ?? text.count : offset
        if isSigned, let signed = SignedParts(Array(text[offset..<end])).flatMap(erasedPayload) {
          output += text[copied..<offset] + signed
          copied = end
        }
        offset = max(offset + 1, end)
        continue
      }
      output += text[copied..<offset] + Array(pseudonym.utf8)
      // An id may begin inside another one. A remaining part would stay visible, and could form an id after the
      // pseudonym.
      var end = offset + count
      while offset < end - 1 {
        offset += 1
        if let count = length(at: offset) { end = max(end, offset + count) }
      }
      (offset, copied) = (end, end)
    }
    return copied == 0 ? nil : output + text[copied...]
  }

  /// Replaces the person's ids in words that people wrote, such as a path or a reason. It replaces whole words only. An
  /// id of fewer than five bytes, or one that is a number, stays: `7` may be a number of days.
  /// - Returns: the new text; `nil` if the words do not name the person.
  public func erasedWords(_ text: String) -> String? { erasedWords(text, all: true) }

  private func erasedWords(_ text: String, all: Bool) -> String? {
    var result = Array(text)
    for id in ids.sorted(by: { $0.count > $1.count }) where all ? Self.isDistinctive(id) : Self.isUnmistakable(id) {
      let pattern = Array(id)
      let isFolded = Self.isFolded(id)
      var index = 0
      while index + pattern.count <= result.count {
        let end = index + pattern.count
        let matches = zip(result[index..<end], pattern).allSatisfy { letter, wanted in
          letter == wanted || (isFolded && letter.lowercased() == String(wanted))
        }
        let adjoining = [index > 0 ? result[index - 1] : nil, end < result.count ? result[end] : nil]
        if matches, !adjoining.contains(where: { $0.map { $0.isLetter || $0.isNumber } ?? false }) {
          result.replaceSubrange(index..<end, with: pseudonym)
          index += pseudonym.count
        } else {
          index += 1
        }
      }
    }
    let words = String(result)
    return words == text ? nil : words
  }

  private static let signedTextStart = Array("eyJ".utf8)

  private static func isCompactJWS(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }

  /// Returns whether a text ends with one of the keys, a colon and an opening quote.
  private static func namesPerson(_ text: ArraySlice<UInt8>) -> Bool {
    var text = text
    func drop(_ wanted: Set<UInt8>) {
      while let last = text.last, wanted.contains(last) { text.removeLast() }
    }
    let marks = Set("\"\\ \t".utf8)
    drop(marks)
    guard text.last == UInt8(ascii: ":") else { return false }
    drop(marks.union([UInt8(ascii: ":")]))
    return keys.contains { text.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}
