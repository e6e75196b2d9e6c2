internal import Crypto

/// The parts of a compact JWS. Its signature is not checked yet.
struct CompactJWS {
  /// The first segment, still encoded.
  let header: ArraySlice<UInt8>
  let payload: [UInt8]
  let signature: [UInt8]
  let signedDigest: SHA256Digest
  /// The digest of the whole text.
  let digest: ContentDigest

  /// The maximum length of a text in bytes. A longer one is refused before it is decoded. Apple's notifications have
  /// about 11,000 bytes.
  static let sizeLimit = 1 << 20

  /// The maximum length of a header in bytes. A longer one is refused before it is decoded. Apple's headers, with three
  /// certificates, have about 4,000 bytes.
  static let headerLimit = 16 << 10

  /// Returns whether a text has the shape of a JWS. Its signature then decides, and no other format is tried.
  static func isLikely(_ text: some Collection<UInt8>) -> Bool {
    text.starts(with: "eyJ".utf8) && text.contains(UInt8(ascii: "."))
  }

  /// The positions of a text's segments, and its digests. They show whether the text is a duplicate, before it is
  /// decoded.
  struct Outline {
    fileprivate let text: ArraySlice<UInt8>
    fileprivate let firstDot: Int
    fileprivate let lastDot: Int
    /// The hash state after the signed part. Every digest of a whole text continues from it.
    private let signedPart: SHA256
    /// The digest of the signed part: the header, a dot and the payload, still encoded.
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
      // Both digests begin with the signed part, so one pass computes both.
      var hash = SHA256()
      text[..<lastDot].withUnsafeBytes { hash.update(bufferPointer: $0) }
      (signedPart, signedDigest) = (hash, hash.finalize())
      text[lastDot...].withUnsafeBytes { hash.update(bufferPointer: $0) }
      digest = ContentDigest(bytes: Array(hash.finalize()))
    }

    /// Returns the digest of the whole text with the other form of its signature.
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

  /// Returns the parts as a ledger stores them. If another text has an equal header, both share one array, because one
  /// chain signs millions of texts.
  func text(sharing other: [UInt8]?) -> SignedText {
    let isShared = other.map { other in
      other.withUnsafeBytes { left in header.withUnsafeBytes { ByteSearch.areEqual(left, $0) } }
    }
    return SignedText(source: payload, header: isShared == true ? other : Array(header), signature: signature)
  }
}
