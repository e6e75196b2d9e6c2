import AppStore
import SwiftASN1

/// A set of attributes of an app receipt that is written attribute by attribute (Apple, "Receipt fields").
struct ReceiptAttributeWriter {
  private var attributes: [[UInt8]] = []

  /// Adds a text, which may be empty.
  mutating func add(_ type: Int, _ text: String) { add(type, inside: .utf8String, Array(text.utf8)) }

  /// Adds a date; an empty one for `nil`, as Apple does.
  mutating func add(_ type: Int, _ instant: Instant?) {
    // Without the fraction: `2020-07-22T17:39:08Z`.
    add(type, inside: .ia5String, Array((instant.map { $0.description.prefix(19) + "Z" } ?? "").utf8))
  }

  /// Adds a whole number.
  mutating func add(_ type: Int, _ number: Int64) {
    add(type) { try $0.serialize(number) }
  }

  /// Adds bytes as they are, without an element around them.
  mutating func add(_ type: Int, raw: [UInt8]) { add(type) { $0.serializeRawBytes(raw) } }

  /// The set in DER, where elements are sorted: shorter ones first, then by their bytes.
  var set: [UInt8] {
    var serializer = DER.Serializer()
    let sorted = attributes.sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count }
    serializer.appendConstructedNode(identifier: .set) { set in sorted.forEach { set.serializeRawBytes($0) } }
    return serializer.serializedBytes
  }

  private mutating func add(_ type: Int, inside identifier: ASN1Identifier, _ content: [UInt8]) {
    add(type) { $0.appendPrimitiveNode(identifier: identifier) { $0 += content } }
  }

  private mutating func add(_ type: Int, _ body: (inout DER.Serializer) throws -> Void) {
    var value = DER.Serializer()
    // Writing an integer into memory does not fail.
    try? body(&value)
    let content = value.serializedBytes
    var serializer = DER.Serializer()
    serializer.appendConstructedNode(identifier: .sequence) { attribute in
      try? attribute.serialize(type)
      try? attribute.serialize(1)
      attribute.appendPrimitiveNode(identifier: .octetString) { $0 += content }
    }
    attributes.append(serializer.serializedBytes)
  }
}
