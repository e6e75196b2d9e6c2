internal import LedgerSchema

/// The positions of Apple's objects and of nested payloads in a payload's text, in the form that `payload.layout`
/// stores.
///
/// A payload's `source` is its text without these parts. The stored form has one item for each part, separated by
/// spaces. An item begins with the letter of the part's ``Kind`` and the distance in bytes from the part before. After
/// a comma, it has the difference between the part's number and the number of the last part of the same kind. For
/// example, `t1203,55 t880,1` means the transaction infos 55 and 56, at the bytes 1203 and 2083 of `source`.
package struct PayloadLayout {
  /// The kind of a part.
  package enum Kind: String {
    case transactionInfo = "t"
    case renewalInfo = "r"
    case appTransactionInfo = "a"
    case payload = "p"

    /// The table that the part's number belongs to.
    package var table: String {
      switch self {
      case .transactionInfo: "transaction_info"
      case .renewalInfo: "renewal_info"
      case .appTransactionInfo: "app_transaction_info"
      case .payload: "payload"
      }
    }

    /// The table that records which payloads contain the part.
    package var versionTable: String {
      switch self {
      case .transactionInfo: "transaction_version"
      case .renewalInfo: "renewal_info_version"
      case .appTransactionInfo: "app_transaction_version"
      case .payload: "payload_part"
      }
    }

    /// The kinds of Apple's objects, without payloads.
    package static let objects = [transactionInfo, renewalInfo, appTransactionInfo]
  }

  /// One object or payload that was cut out of a payload's text.
  package struct Part {
    let kind: Kind
    let id: Int64
    /// The offset in bytes in the payload's `source` at which the part is inserted.
    package var position: Int
  }

  /// The parts, in the order of their positions.
  package var parts: [Part]

  init(_ parts: [Part]) { self.parts = parts.sorted { $0.position < $1.position } }

  /// Reads the form that ``text`` returns. Items in another form are left out.
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

  /// The stored form of the layout, or `nil` when it has no parts.
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
