/// The attributes of an app receipt, or of one purchase in it: a SET of (type, version, value).
///
/// Apple documents some types ("Receipt fields"). Architecture.md lists where the meaning of the others comes from.
struct ReceiptAttributes {
  /// One attribute. Nothing depends on its version.
  struct Attribute {
    let type: Int64
    let version: Int64
    let value: ArraySlice<UInt8>
  }

  private(set) var all: [Attribute] = []

  /// Reads the attributes of a set.
  /// - Parameter bytes: exactly one element, the set. Its elements need no order.
  /// - Throws: an error where the bytes are not such a set, or where it has a known type twice. Two readers would read
  ///   different values then.
  init(_ bytes: ArraySlice<UInt8>, knowing known: Set<Int64>) throws(PayloadError) {
    var whole = BERReader(bytes)
    var element = try whole.nextIfAny()
    guard whole.isAtEnd else {
      throw PayloadError(.malformed, offset: whole.position, detail: "more bytes follow the content of the receipt")
    }
    // Some writers wrap the set once more.
    if let wrapped = element, wrapped.tag == BERReader.Tag.octetString {
      var inside = BERReader(bytes, inside: wrapped)
      element = try inside.nextIfAny()
      guard inside.isAtEnd else { throw BERReader.malformed(inside.position) }
    }
    guard let element, element.tag == BERReader.Tag.set else { throw BERReader.malformed(0) }
    var reader = BERReader(bytes, inside: element)
    var seen: Set<Int64> = []
    while !reader.isAtEnd {
      let attribute = try Self.attribute(try reader.next(BERReader.Tag.sequence), in: bytes)
      guard !known.contains(attribute.type) || seen.insert(attribute.type).inserted else {
        throw PayloadError(
          .duplicateKey, detail: "the receipt has the attribute \(attribute.type) twice in one set")
      }
      all.append(attribute)
    }
  }

  private static func attribute(_ element: BERReader.Element, in bytes: ArraySlice<UInt8>) throws(PayloadError)
    -> Attribute
  {
    var reader = BERReader(bytes, inside: element)
    let number = try reader.next(BERReader.Tag.integer)
    let edition = try reader.next(BERReader.Tag.integer)
    let start = reader.position
    guard let value = try reader.nextIfAny(), reader.isAtEnd, let type = BERReader.integer(of: bytes[number.content]),
      let version = BERReader.integer(of: bytes[edition.content])
    else { throw BERReader.malformed(start) }
    return Attribute(type: type, version: version, value: try BERReader.octets(of: value, in: bytes))
  }

  /// Returns the attribute of a type; `nil` if there is none.
  subscript(type: Int64) -> Attribute? { all.first { $0.type == type } }
}

extension ReceiptAttributes.Attribute {
  /// What an attribute states, or that its bytes are not what its type has.
  enum Reading<Content> {
    case value(Content)
    case absent
    case unreadable
  }

  /// The text of the attribute. Apple writes an empty text where there is none.
  var text: Reading<String> {
    switch characters {
    case .value(let content): String(validating: content, as: UTF8.self).map(Reading.value) ?? .unreadable
    case .absent: .absent
    case .unreadable: .unreadable
    }
  }

  /// The bytes of the text.
  private var characters: Reading<ArraySlice<UInt8>> {
    guard let (tag, content) = element, tag == BERReader.Tag.utf8String || tag == BERReader.Tag.ia5String else {
      return value.isEmpty ? .absent : .unreadable
    }
    return content.isEmpty ? .absent : .value(content)
  }

  var integer: Reading<Int64> {
    guard let (tag, content) = element, tag == BERReader.Tag.integer else {
      return value.isEmpty ? .absent : .unreadable
    }
    return BERReader.integer(of: content).map(Reading.value) ?? .unreadable
  }

  /// The date of the attribute: RFC 3339. Old versions of Xcode write an offset without a colon.
  var instant: Reading<Instant> {
    switch characters {
    case .value(let content): Instant(iso8601: content).map(Reading.value) ?? .unreadable
    case .absent: .absent
    case .unreadable: .unreadable
    }
  }

  /// The one element that the value contains; `nil` if it is not exactly one.
  private var element: (tag: UInt8, content: ArraySlice<UInt8>)? {
    var reader = BERReader(value)
    guard let element = try? reader.nextIfAny(), reader.isAtEnd else { return nil }
    return (element.tag, value[element.content])
  }
}
