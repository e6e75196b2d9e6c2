internal import Crypto

/// A compact JWS taken apart: nothing in it is believed yet.
struct CompactJWS {
  /// The first segment as it stood.
  let header: ArraySlice<UInt8>
  let payload: [UInt8]
  let signature: [UInt8]
  /// The digest of what the signature signs: header, dot and payload as they stood.
  let signedDigest: SHA256Digest
  /// The digest of the whole text.
  let digest: Digest

  /// Longer texts are refused before anything is decoded; Apple's notifications have some eleven thousand bytes.
  static let sizeLimit = 1 << 20

  /// Whether a text has the shape of a JWS, and so is judged by its signature and not called something else.
  static func isLikely(_ text: some Collection<UInt8>) -> Bool {
    text.starts(with: "eyJ".utf8) && text.contains(UInt8(ascii: "."))
  }

  init(_ text: ArraySlice<UInt8>) throws(SignatureRejection) {
    let dot = UInt8(ascii: ".")
    guard text.count <= Self.sizeLimit,
      let firstDot = text.withUnsafeBytes({ ByteSearch.first(dot, in: $0) }).map({ text.startIndex + $0 }),
      let lastDot = text.lastIndex(of: dot), firstDot < lastDot,
      let payload = Base64URL.decode(text[(firstDot + 1)..<lastDot]),
      let signature = Base64URL.decode(text[(lastDot + 1)...])
    else { throw .malformed }
    header = text[text.startIndex..<firstDot]
    self.payload = payload
    self.signature = signature
    // Both digests begin alike, and are made in one pass.
    var hash = SHA256()
    text[..<lastDot].withUnsafeBytes { hash.update(bufferPointer: $0) }
    signedDigest = hash.finalize()
    text[lastDot...].withUnsafeBytes { hash.update(bufferPointer: $0) }
    digest = Digest(bytes: Array(hash.finalize()))
  }

  /// The parts, as a ledger keeps them.
  var text: SignedText { text(sharing: nil) }

  /// The same, with another text's header where it is the same: one chain signs millions of texts.
  func text(sharing other: [UInt8]?) -> SignedText {
    let isShared = other.map { other in
      other.withUnsafeBytes { left in header.withUnsafeBytes { ByteSearch.areEqual(left, $0) } }
    }
    return SignedText(source: payload, header: isShared == true ? other : Array(header), signature: signature)
  }
}
