/// One of Apple's ids that a payload names, although nothing about it could be read.
public struct Mention: Sendable, Hashable {
  /// The kinds of id. Their names are stable.
  public enum Kind: String, Sendable, CaseIterable {
    /// An id under the key `transaction_id` or `transactionId`.
    case transactionID = "transaction_id"
    /// An id under the key `original_transaction_id` or `originalTransactionId`.
    case originalTransactionID = "original_transaction_id"
    /// An id under the key `web_order_line_item_id` or `webOrderLineItemId`.
    case webOrderLineItemID = "web_order_line_item_id"
    /// An id under the key `notificationUUID`.
    case notificationUUID = "notification_uuid"
  }

  /// The kind of id.
  public var kind: Kind
  /// The id: letters, digits, hyphens and underscores.
  public var identifier: String

  /// Returns the ids of purchases that a text contains, in their order, at most 64.
  ///
  /// The text may be anything: truncated JSON, JSON inside a string, signed texts. Nothing in it counts as evidence. A
  /// person who searches for one of these ids can find the payload.
  /// - Parameter text: the text as it arrived, in UTF-8.
  public static func all(in text: [UInt8]) -> [Mention] {
    var scanner = MentionScanner()
    scanner.scan(text[...], depth: 0)
    return scanner.found
  }
}

/// Reads ids from bytes, by the keys before them, in one pass.
private struct MentionScanner {
  private(set) var found: [Mention] = []
  private var seen: Set<Mention> = []

  private static let limit = 64
  /// A page contains notifications, and a notification contains transactions. These are three nested texts.
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
    var index = text.startIndex
    while index < text.endIndex, found.count < Self.limit {
      guard Self.isWord(text[index]) else {
        index += 1
        continue
      }
      let end = text[index...].firstIndex { !Self.isWord($0) } ?? text.endIndex
      let word = text[index..<end]
      if word.starts(with: Self.signedTextStart), end < text.endIndex, text[end] == UInt8(ascii: ".") {
        index = signedText(in: text, payloadFrom: end + 1, depth: depth)
      } else {
        if word.count < 32, let kind = Self.kinds[Array(word)] { note(kind, after: end, in: text) }
        index = end
      }
    }
  }

  /// Reads the payload of a signed text.
  /// - Returns: the position after the signed text.
  private mutating func signedText(in text: ArraySlice<UInt8>, payloadFrom start: Int, depth: Int) -> Int {
    let end = text[start...].firstIndex { !Self.isWord($0) } ?? text.endIndex
    if depth < Self.depthLimit, let payload = Base64URL.decode(text[start..<end]) {
      scan(payload[...], depth: depth + 1)
    }
    // The signature contains no ids, and would be read as one long word.
    guard end < text.endIndex, text[end] == UInt8(ascii: ".") else { return end }
    return text[(end + 1)...].firstIndex { !Self.isWord($0) } ?? text.endIndex
  }

  /// Reads the value after a key: a colon among quotes and spaces, then a word. The word counts only if the text goes
  /// on after it.
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

  /// Returns whether a byte is a letter, a digit, a hyphen or an underscore. Ids and Base 64 URL consist of these.
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
