/// A compact JWS taken apart: nothing in it is believed yet.
struct CompactJWS {
  /// The first segment as it stood.
  let header: ArraySlice<UInt8>
  /// What the signature signs: header, dot and payload as they stood.
  let signedPart: ArraySlice<UInt8>
  let payload: [UInt8]
  let signature: [UInt8]

  /// Longer texts are refused before anything is decoded; Apple's notifications have some eleven thousand bytes.
  static let sizeLimit = 1 << 20

  /// Whether a text has the shape of a JWS, and so is judged by its signature and not called something else.
  static func isLikely(_ text: some Collection<UInt8>) -> Bool {
    text.starts(with: Array("eyJ".utf8)) && text.count(where: { $0 == UInt8(ascii: ".") }) >= 1
  }

  init(_ text: ArraySlice<UInt8>) throws(SignatureRejection) {
    guard text.count <= Self.sizeLimit, let firstDot = text.firstIndex(of: UInt8(ascii: ".")),
      let lastDot = text.lastIndex(of: UInt8(ascii: ".")), firstDot < lastDot,
      let payload = Base64URL.decode(text[(firstDot + 1)..<lastDot]),
      let signature = Base64URL.decode(text[(lastDot + 1)...])
    else { throw .malformed }
    header = text[text.startIndex..<firstDot]
    signedPart = text[text.startIndex..<lastDot]
    self.payload = payload
    self.signature = signature
  }

  /// The parts, as a ledger keeps them.
  var text: SignedText { SignedText(source: payload, header: Array(header), signature: signature) }
}
