/// Puts a pseudonym in place of a person's ids in texts of Apple's and of the app's, and leaves all else as it stands.
///
/// An id is only an id where a text names a person: a customer called `1` is not the quantity 1. Those places are
/// `appAccountToken`, `app_account_token`, `customer` and StoreKit's `applicationUsername`, at any depth, also inside texts
/// that hold a JWS or JSON; in an app's own report, any word of its error, its device and what it adds. An id that cannot
/// be anything else (a token, an address, a long one) is the person's wherever it stands.
public struct PersonalLinkEraser: Sendable {
  private static let keys: Set<String> = ["appAccountToken", "app_account_token", "customer", "applicationUsername"]
  /// Members of an app's report that name a purchase, and no person.
  private static let facts: Set<String> = [
    "event", "transaction_state", "transaction_id", "original_transaction_id", "product_id", "at",
  ]

  /// Tokens and addresses are the same in any writing.
  private static func isFolded(_ id: String) -> Bool { id.contains("@") || AccountToken.isToken(id) }

  private static func folded(_ id: String) -> String { isFolded(id) ? id.lowercased() : id }

  /// Whether an id tells a person from other words: `7` in a sentence is a number.
  private static func isTelling(_ id: String) -> Bool {
    isUnmistakable(id) || (id.utf8.count >= 5 && !id.allSatisfy(\.isNumber))
  }

  /// Whether an id cannot be taken for anything else: a token, an address, or one of sixteen bytes and more that is no
  /// number, as Apple's own ids are.
  public static func isUnmistakable(_ id: String) -> Bool {
    id.contains("@") || (id.utf8.count >= 16 && !id.allSatisfy(\.isNumber))
  }

  private let ids: Set<String>
  private let pseudonym: String

  /// An eraser.
  /// - Parameters:
  ///   - ids: all ids of one person; account tokens in any writing.
  ///   - pseudonym: letters, digits and hyphens; as long as a token, so that a text keeps its length.
  public init(ids: Set<String>, pseudonym: String) {
    self.ids = Set(ids.map(Self.folded))
    self.pseudonym = pseudonym
  }

  /// A text without the person.
  /// - Returns: `nil` where the text does not name the person.
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
          cutter.replace(name.range, with: Self.quoted(Array(words.utf8)))
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
      cutter.replace(value.range, with: Self.quoted(inner))
      count += 1
    } else if value.isString, let words = erasedWords(text, all: isReport && !Self.facts.contains(key ?? "")) {
      cutter.replace(value.range, with: Self.quoted(Array(words.utf8)))
      count += 1
    }
  }

  /// A compact JWS whose payload can be read.
  private struct SignedParts {
    let header: ArraySlice<UInt8>
    let payload: [UInt8]
    let signature: ArraySlice<UInt8>

    init?(_ text: [UInt8]) {
      let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      // A torn text may go on in plain words where the signature should be.
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

  /// A piece of a text, or one that is no JSON: signed texts in it are opened too.
  /// - Returns: `nil` where it does not name the person.
  public func erasedFragment(_ text: [UInt8]) -> [UInt8]? {
    var output: [UInt8] = []
    var copied = 0
    let folded = text.map(Self.lowercased)
    let needles = ids.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.map { id in
      (bytes: Array(id.utf8), isFolded: Self.isFolded(id), isUnmistakable: Self.isUnmistakable(id))
    }
    // How many bytes from a place on are an id.
    func length(at place: Int) -> Int? {
      let found = needles.first { needle in
        let end = place + needle.bytes.count
        guard end <= text.count, (needle.isFolded ? folded : text)[place..<end].elementsEqual(needle.bytes) else {
          return false
        }
        return needle.isUnmistakable || Self.namesPerson(text[..<place])
      }
      return found?.bytes.count
    }
    var place = 0
    while place < text.count {
      guard let count = length(at: place) else {
        let isSigned = text[place...].starts(with: Self.signedTextStart)
        let end = isSigned ? text[place...].firstIndex { !Self.isCompactJWS($0) } ?? text.count : place
        if isSigned, let signed = SignedParts(Array(text[place..<end])).flatMap(erasedPayload) {
          output += text[copied..<place] + signed
          copied = end
        }
        place = max(place + 1, end)
        continue
      }
      output += text[copied..<place] + Array(pseudonym.utf8)
      // An id may begin inside another: what is left of it would stand, and could be an id again after the pseudonym.
      var end = place + count
      while place < end - 1 {
        place += 1
        if let count = length(at: place) { end = max(end, place + count) }
      }
      (place, copied) = (end, end)
    }
    return copied == 0 ? nil : output + text[copied...]
  }

  /// Words of people's own, such as a path or a reason: an id is one where no letter or digit adjoins it, and where it
  /// has five letters or more: `7` may be a number of days.
  /// - Returns: `nil` where they do not name the person.
  public func erasedWords(_ text: String) -> String? { erasedWords(text, all: true) }

  private func erasedWords(_ text: String, all: Bool) -> String? {
    var result = Array(text)
    for id in ids.sorted(by: { $0.count > $1.count }) where all ? Self.isTelling(id) : Self.isUnmistakable(id) {
      let needle = Array(id)
      let isFolded = Self.isFolded(id)
      var place = 0
      while place + needle.count <= result.count {
        let end = place + needle.count
        let matches = zip(result[place..<end], needle).allSatisfy { letter, wanted in
          letter == wanted || (isFolded && letter.lowercased() == String(wanted))
        }
        let adjoining = [place > 0 ? result[place - 1] : nil, end < result.count ? result[end] : nil]
        if matches, !adjoining.contains(where: { $0.map { $0.isLetter || $0.isNumber } ?? false }) {
          result.replaceSubrange(place..<end, with: pseudonym)
          place += pseudonym.count
        } else {
          place += 1
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

  /// Whether a text ends with one of the keys, a colon and an opening quote.
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

  private static func quoted(_ text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0x00..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        output += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    return output + [UInt8(ascii: "\"")]
  }
}
