/// An id of Apple's that a payload names, while nothing about it could be read.
public struct Mention: Sendable, Hashable {
  /// The kinds of id: stable names.
  public enum Kind: String, Sendable, CaseIterable {
    /// `transaction_id`.
    case transactionID = "transaction_id"
    /// `original_transaction_id`.
    case originalTransactionID = "original_transaction_id"
    /// `web_order_line_item_id`.
    case webOrderLineItemID = "web_order_line_item_id"
    /// `notificationUUID`.
    case notificationUUID = "notification_uuid"
  }

  /// What kind of id.
  public var kind: Kind
  /// The id: letters, digits, hyphens and underscores.
  public var identifier: String

  /// The ids of purchases that a text names, in the order in which they stand there; at most 64.
  ///
  /// The text may be anything: torn JSON, JSON inside a string, signed texts. Nothing in it is believed; a person who
  /// looks for one of these ids shall find the payload.
  /// - Parameter text: UTF-8, as it arrived.
  public static func all(in text: [UInt8]) -> [Mention] {
    var scanner = MentionScanner()
    scanner.scan(text[...], depth: 0)
    return scanner.found
  }
}

/// Reads ids out of bytes by the keys before them, in one pass.
private struct MentionScanner {
  private(set) var found: [Mention] = []
  private var seen: Set<Mention> = []

  private static let limit = 64
  /// A page holds notifications, and a notification transactions: three texts inside each other.
  private static let depthLimit = 4
  private static let idLength = 1...64
  private static let signedTextStart = Array("eyJ".utf8)

  private static let kinds: [[UInt8]: Mention.Kind] = Dictionary(
    uniqueKeysWithValues: [
      ("transaction_id", Mention.Kind.transactionID), ("transactionId", .transactionID),
      ("original_transaction_id", .originalTransactionID), ("originalTransactionId", .originalTransactionID),
      ("web_order_line_item_id", .webOrderLineItemID), ("webOrderLineItemId", .webOrderLineItemID),
      ("notificationUUID", .notificationUUID),
    ].map { (Array($0.0.utf8), $0.1) })

  mutating func scan(_ text: ArraySlice<UInt8>, depth: Int) {
    var place = text.startIndex
    while place < text.endIndex, found.count < Self.limit {
      guard Self.isWord(text[place]) else {
        place += 1
        continue
      }
      let end = text[place...].firstIndex { !Self.isWord($0) } ?? text.endIndex
      let word = text[place..<end]
      if word.starts(with: Self.signedTextStart), end < text.endIndex, text[end] == UInt8(ascii: ".") {
        place = signedText(in: text, payloadFrom: end + 1, depth: depth)
      } else {
        if word.count < 32, let kind = Self.kinds[Array(word)] { note(kind, after: end, in: text) }
        place = end
      }
    }
  }

  /// Opens the payload of a signed text.
  /// - Returns: where the text after it goes on.
  private mutating func signedText(in text: ArraySlice<UInt8>, payloadFrom start: Int, depth: Int) -> Int {
    let end = text[start...].firstIndex { !Self.isWord($0) } ?? text.endIndex
    if depth < Self.depthLimit, let payload = Base64URL.decode(text[start..<end]) {
      scan(payload[...], depth: depth + 1)
    }
    // The signature holds no ids, and would be read as one long word.
    guard end < text.endIndex, text[end] == UInt8(ascii: ".") else { return end }
    return text[(end + 1)...].firstIndex { !Self.isWord($0) } ?? text.endIndex
  }

  /// Takes the value after a key: a colon between quotes and spaces, and a word that ends before the text does.
  private mutating func note(_ kind: Mention.Kind, after key: Int, in text: ArraySlice<UInt8>) {
    var start = key
    var colons = 0
    while start < text.endIndex, Self.isBetween(text[start]) {
      if text[start] == UInt8(ascii: ":") { colons += 1 }
      start += 1
    }
    guard colons == 1, let end = text[start...].firstIndex(where: { !Self.isWord($0) }),
      Self.idLength.contains(end - start), Self.isBetween(text[end]) || Self.closers.contains(text[end])
    else { return }
    let identifier = String(decoding: text[start..<end], as: UTF8.self)
    guard !Self.words.contains(identifier), !RedactedIdentifier.matches(identifier) else { return }
    let mention = Mention(kind: kind, identifier: identifier)
    if seen.insert(mention).inserted { found.append(mention) }
  }

  private static let closers = Set(",}]".utf8)
  private static let words: Set<String> = ["null", "true", "false"]

  /// Letters, digits, hyphens and underscores: what ids and Base64 are made of.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isBetween(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: true
    default: false
    }
  }
}
