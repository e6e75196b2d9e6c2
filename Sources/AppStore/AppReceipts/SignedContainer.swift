/// The container of an app receipt: PKCS #7 signed data (RFC 2315), of which CMS (RFC 5652) is the successor.
///
/// The CMS of swift-certificates cannot read it. It asks for certificates in DER's order, has no algorithm for
/// `rsaEncryption`, and compares the digest's identifier with its parameters.
struct SignedContainer {
  /// The digests of receipts. The signature's own algorithm names the same one, or only RSA.
  enum Digest { case sha1, sha256 }

  /// What is signed: the attributes of the receipt.
  let payload: [UInt8]
  /// The certificates as they are in the container, in DER, in no order.
  let certificates: [[UInt8]]
  /// Where the certificates are in the container; `nil` if it has none.
  let certificateRange: Range<Int>?
  /// The text that the signature covers, if it is not ``payload`` itself.
  let signedAttributes: [UInt8]?
  /// The issuer's name and the serial number of the signer's certificate, both encoded.
  let signer: (issuer: [UInt8], serialNumber: [UInt8])
  let digest: Digest
  /// The signature over ``payload`` or ``signedAttributes``.
  let signature: [UInt8]

  /// The length of the longest receipt, in bytes. A purchase takes 400 bytes, and the longest receipt seen has 79 KB.
  static let sizeLimit = 4 << 20
  /// The greatest number of certificates. A receipt has three.
  private static let certificateLimit = 16

  private enum Identifier {
    static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    static let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let sha1WithRSA: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x05]
    static let sha256WithRSA: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B]
  }

  /// Reads a container. It checks no signature.
  /// - Throws: an error where the bytes are not exactly one container with one signer.
  init(_ bytes: [UInt8]) throws(PayloadError) {
    guard bytes.count <= Self.sizeLimit else {
      throw PayloadError(.tooLong, detail: "a receipt of \(bytes.count) bytes is over the limit of \(Self.sizeLimit)")
    }
    let bytes = bytes[...]
    var whole = BERReader(bytes)
    let outer = try whole.next(BERReader.Tag.sequence)
    guard whole.isAtEnd else {
      throw PayloadError(.malformed, offset: outer.end, detail: "more bytes follow the end of the receipt")
    }
    var contentInfo = BERReader(bytes, inside: outer)
    guard try Self.identifier(&contentInfo) == Identifier.signedData else { throw Self.otherContent }
    let explicit = try contentInfo.next(BERReader.Tag.context0)
    try Self.end(contentInfo)
    var wrapper = BERReader(bytes, inside: explicit)
    let signedData = try wrapper.next(BERReader.Tag.sequence)
    try Self.end(wrapper)

    var reader = BERReader(bytes, inside: signedData)
    _ = try reader.next(BERReader.Tag.integer)
    _ = try reader.next(BERReader.Tag.set)
    payload = try Self.payload(BERReader(bytes, inside: try reader.next(BERReader.Tag.sequence)))
    var certificates: [[UInt8]] = []
    let list = try reader.nextIfAny(BERReader.Tag.context0)
    certificateRange = list?.range
    if let list {
      var each = BERReader(bytes, inside: list)
      while let certificate = try each.nextIfAny() {
        guard certificates.count < Self.certificateLimit else {
          throw PayloadError(SignatureError.wrongCertificateCount)
        }
        certificates.append(Array(bytes[certificate.range]))
      }
    }
    self.certificates = certificates
    _ = try reader.nextIfAny(BERReader.Tag.context1)
    var signers = BERReader(bytes, inside: try reader.next(BERReader.Tag.set))
    try Self.end(reader)
    guard !signers.isAtEnd else { throw PayloadError(SignatureError.missingSigner) }
    let signer = try signers.next(BERReader.Tag.sequence)
    guard signers.isAtEnd else { throw PayloadError(SignatureError.severalSigners) }
    (self.signer, digest, signedAttributes, signature) = try Self.signer(BERReader(bytes, inside: signer), of: payload)
  }

  private static func end(_ reader: BERReader) throws(PayloadError) {
    guard reader.isAtEnd else { throw BERReader.malformed(reader.position) }
  }

  private static let otherContent = PayloadError(
    .unrecognised, detail: "this is a signed file of another kind, not an app receipt")

  private static func identifier(_ reader: inout BERReader) throws(PayloadError) -> [UInt8] {
    Array(reader.bytes[try reader.next(BERReader.Tag.objectIdentifier).content])
  }

  private static func payload(_ reader: BERReader) throws(PayloadError) -> [UInt8] {
    var reader = reader
    guard try identifier(&reader) == Identifier.data, !reader.isAtEnd else { throw otherContent }
    let explicit = try reader.next(BERReader.Tag.context0)
    try end(reader)
    var content = BERReader(reader.bytes, inside: explicit)
    let start = content.position
    guard let element = try content.nextIfAny() else { throw BERReader.malformed(start) }
    try end(content)
    return Array(try BERReader.octets(of: element, in: reader.bytes))
  }

  /// Reads the only signer.
  private static func signer(
    _ reader: BERReader, of payload: [UInt8]
  ) throws(PayloadError) -> ((issuer: [UInt8], serialNumber: [UInt8]), Digest, [UInt8]?, [UInt8]) {
    var reader = reader
    let bytes = reader.bytes
    _ = try reader.next(BERReader.Tag.integer)
    var name = BERReader(bytes, inside: try reader.next(BERReader.Tag.sequence))
    let issuer = try name.next(BERReader.Tag.sequence)
    let serial = try name.next(BERReader.Tag.integer)
    try end(name)
    let digest: Digest
    switch try algorithm(&reader) {
    case Identifier.sha1: digest = .sha1
    case Identifier.sha256: digest = .sha256
    default: throw PayloadError(SignatureError.unsupportedAlgorithm)
    }
    let attributes = try reader.nextIfAny(BERReader.Tag.context0)
    switch (try algorithm(&reader), digest) {
    case (Identifier.rsa, _), (Identifier.sha1WithRSA, .sha1), (Identifier.sha256WithRSA, .sha256): break
    default: throw PayloadError(SignatureError.unsupportedAlgorithm)
    }
    let signature = Array(bytes[try reader.next(BERReader.Tag.octetString).content])
    // Attributes that are not signed state nothing.
    _ = try reader.nextIfAny(BERReader.Tag.context1)
    try end(reader)
    let signed: [UInt8]? = try attributes.map { list throws(PayloadError) in
      try SignedAttributes.check(BERReader(bytes, inside: list), digest: digest, of: payload)
      // The signature covers the attributes as a SET, which the container's own tag replaces (RFC 2315 §9.3).
      return [BERReader.Tag.set] + bytes[list.start + 1..<list.end]
    }
    return ((Array(bytes[issuer.range]), Array(bytes[serial.content])), digest, signed, signature)
  }

  private static func algorithm(_ reader: inout BERReader) throws(PayloadError) -> [UInt8] {
    var inside = BERReader(reader.bytes, inside: try reader.next(BERReader.Tag.sequence))
    return try identifier(&inside)
  }
}
