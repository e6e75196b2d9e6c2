internal import Crypto

/// A compact JWS taken apart: nothing in it is believed yet.
struct CompactJWS {
  /// The first segment as it stood.
  let header: ArraySlice<UInt8>
  let payload: [UInt8]
  let signature: [UInt8]
  let signedDigest: SHA256Digest
  /// The digest of the whole text.
  let digest: ContentDigest

  /// Longer texts are refused before anything is decoded; Apple's notifications have some eleven thousand bytes.
  static let sizeLimit = 1 << 20

  /// Longer headers are refused before anything is decoded; Apple's, with three certificates, have some four thousand bytes.
  static let headerLimit = 16 << 10

  /// Whether a text has the shape of a JWS, and so is judged by its signature and not called something else.
  static func isLikely(_ text: some Collection<UInt8>) -> Bool {
    text.starts(with: "eyJ".utf8) && text.contains(UInt8(ascii: "."))
  }

  /// Where a text's segments are, and its digests: enough to see whether it is known, before anything is decoded.
  struct Outline {
    fileprivate let text: ArraySlice<UInt8>
    fileprivate let firstDot: Int
    fileprivate let lastDot: Int
    /// After what the signature signs: where every digest of the whole text goes on from.
    private let signedPart: SHA256
    /// The digest of what the signature signs: header, dot and payload as they stand.
    let signedDigest: SHA256Digest
    /// The digest of the whole text.
    let digest: ContentDigest

    init(_ text: ArraySlice<UInt8>) throws(SignatureError) {
      let dot = UInt8(ascii: ".")
      guard text.count <= sizeLimit,
        let firstDot = text.withUnsafeBytes({ ByteSearch.first(dot, in: $0) }).map({ text.startIndex + $0 }),
        let lastDot = text.lastIndex(of: dot), firstDot < lastDot
      else { throw .malformed }
      guard firstDot - text.startIndex <= headerLimit else { throw .headerTooLong }
      (self.text, self.firstDot, self.lastDot) = (text, firstDot, lastDot)
      // Both digests begin alike, and are made in one pass.
      var hash = SHA256()
      text[..<lastDot].withUnsafeBytes { hash.update(bufferPointer: $0) }
      (signedPart, signedDigest) = (hash, hash.finalize())
      text[lastDot...].withUnsafeBytes { hash.update(bufferPointer: $0) }
      digest = ContentDigest(bytes: Array(hash.finalize()))
    }

    /// The digest of the whole text with the other form of its signature.
    func digest(withAlternateOf signature: [UInt8]) -> ContentDigest? {
      guard let other = AlternateSignature.of(signature) else { return nil }
      var hash = signedPart
      ([UInt8(ascii: ".")] + Base64URL.encode(other)).withUnsafeBytes { hash.update(bufferPointer: $0) }
      return ContentDigest(bytes: Array(hash.finalize()))
    }
  }

  init(_ outline: Outline) throws(SignatureError) {
    let text = outline.text
    guard let payload = Base64URL.decode(text[(outline.firstDot + 1)..<outline.lastDot]),
      let signature = Base64URL.decode(text[(outline.lastDot + 1)...])
    else { throw .malformed }
    header = text[text.startIndex..<outline.firstDot]
    self.payload = payload
    self.signature = signature
    (signedDigest, digest) = (outline.signedDigest, outline.digest)
  }

  /// The parts, as a ledger keeps them, with another text's header where it is the same: one chain signs millions of
  /// texts.
  func text(sharing other: [UInt8]?) -> SignedText {
    let isShared = other.map { other in
      other.withUnsafeBytes { left in header.withUnsafeBytes { ByteSearch.areEqual(left, $0) } }
    }
    return SignedText(source: payload, header: isShared == true ? other : Array(header), signature: signature)
  }
}
