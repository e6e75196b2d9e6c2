import AppStore
import SwiftASN1

/// The parts of an app receipt that verifyReceipt needs. The local App Store reads only what it wrote, so this code knows
/// no other receipts, and shares nothing with the decoders.
struct PostedReceipt {
  /// The attributes as they were signed, in DER.
  let payload: [UInt8]
  let signature: [UInt8]
  /// What the receipt states as its type (attribute 0).
  let environment: Environment
  /// The app transaction id of the account, with which the opaque value (attribute 4) begins.
  let appTransactionID: Int64

  /// Reads a receipt in DER.
  /// - Throws: the status 21002 for bytes that are not a receipt.
  init(_ bytes: [UInt8]) throws(ReceiptStatus) {
    guard let root = try? DER.parse(bytes), let signedData = root.child(1)?.child(0),
      let payload = signedData.child(2)?.child(1)?.child(0)?.octets,
      let signature = signedData.children.last?.child(0)?.children.last?.octets, let set = try? DER.parse(payload)
    else { throw .malformed }
    func attribute(_ type: UInt8) -> [UInt8]? {
      set.children.first { $0.child(0)?.octets == [type] }?.child(2)?.octets
    }
    guard let opaque = attribute(4), opaque.count > 8, let type = attribute(0).flatMap({ try? DER.parse($0) })?.octets
    else { throw .malformed }
    (self.payload, self.signature) = (payload, signature)
    environment = Environment(apple: String(decoding: type, as: UTF8.self))
    appTransactionID = opaque.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }
}

extension ASN1Node {
  fileprivate var children: [ASN1Node] {
    if case .constructed(let nodes) = content { Array(nodes) } else { [] }
  }

  fileprivate func child(_ index: Int) -> ASN1Node? {
    let children = children
    return children.indices.contains(index) ? children[index] : nil
  }

  fileprivate var octets: [UInt8]? {
    if case .primitive(let bytes) = content { Array(bytes) } else { nil }
  }
}
