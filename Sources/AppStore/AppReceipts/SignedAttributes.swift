internal import Crypto

/// Attributes beside the content, which a signature may cover in its place (RFC 2315 §9.2). Apple's receipts have none;
/// other writers of CMS add them.
enum SignedAttributes {
  private static let messageDigest: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]

  /// Checks that the attributes contain exactly one digest, and that it is the content's.
  static func check(
    _ reader: BERReader, digest: SignedContainer.Digest, of content: [UInt8]
  ) throws(PayloadError) {
    var reader = reader
    var stated: [[UInt8]] = []
    while !reader.isAtEnd {
      var attribute = BERReader(reader.bytes, inside: try reader.next(BERReader.Tag.sequence))
      let type = try attribute.next(BERReader.Tag.objectIdentifier)
      guard reader.bytes[type.content].elementsEqual(messageDigest) else { continue }
      var values = BERReader(reader.bytes, inside: try attribute.next(BERReader.Tag.set))
      while !values.isAtEnd { stated.append(Array(reader.bytes[try values.next(BERReader.Tag.octetString).content])) }
    }
    let actual =
      switch digest {
      case .sha1: Array(Insecure.SHA1.hash(data: content))
      case .sha256: Array(SHA256.hash(data: content))
      }
    guard stated == [actual] else { throw PayloadError(SignatureError.invalidSignature) }
  }
}
