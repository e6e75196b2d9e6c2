internal import LedgerSchema

/// Where Apple's objects and other payloads stood in a payload's text, as `payload.layout` stores it.
///
/// A payload's `source` is its text without them. Each part is one word, with a space between words: the letter of
/// its ``Kind``; the distance in bytes from the part before; a comma; the difference of its number from that of the part of
/// the same kind before. `t1203,55 t880,1` are the transaction infos 55 and 56, at the bytes 1203 and 2083 of `source`.
package struct PayloadLayout {
  /// What stood somewhere.
  package enum Kind: String {
    case transactionInfo = "t"
    case renewalInfo = "r"
    case appTransactionInfo = "a"
    case payload = "p"

    /// The table that its number is of.
    package var table: String {
      switch self {
      case .transactionInfo: "transaction_info"
      case .renewalInfo: "renewal_info"
      case .appTransactionInfo: "app_transaction_info"
      case .payload: "payload"
      }
    }

    /// The table that says which payload stated it, and when.
    package var versionTable: String {
      switch self {
      case .transactionInfo: "transaction_version"
      case .renewalInfo: "renewal_info_version"
      case .appTransactionInfo: "app_transaction_version"
      case .payload: "payload_part"
      }
    }

    /// The tables of Apple's objects.
    package static let objects = [transactionInfo, renewalInfo, appTransactionInfo]
  }

  /// One of them.
  package struct Part {
    let kind: Kind
    let id: Int64
    /// The offset in bytes in the payload's source, where it is inserted.
    package var position: Int
  }

  /// In the order of their positions.
  package var parts: [Part]

  init(_ parts: [Part]) { self.parts = parts.sorted { $0.position < $1.position } }

  /// Reads what ``text`` wrote; words that it never writes are left out.
  package init(_ text: String?) {
    var parts: [Part] = []
    var position = 0
    var last: [Kind: Int64] = [:]
    for word in (text ?? "").split(separator: " ") {
      let numbers = word.dropFirst().split(separator: ",")
      guard let kind = Kind(rawValue: String(word.prefix(1))), numbers.count == 2, let distance = Int(numbers[0]),
        let difference = Int64(numbers[1])
      else { continue }
      position += distance
      last[kind, default: 0] += difference
      parts.append(Part(kind: kind, id: last[kind] ?? 0, position: position))
    }
    self.parts = parts
  }

  /// As it is stored; `nil` where there are no parts.
  package var text: String? {
    if parts.isEmpty { return nil }
    var words = ""
    var position = 0
    var last: [Kind: Int64] = [:]
    for part in parts {
      if !words.isEmpty { words += " " }
      words += "\(part.kind.rawValue)\(part.position - position),\(part.id - last[part.kind, default: 0])"
      (position, last[part.kind]) = (part.position, part.id)
    }
    return words
  }
}
