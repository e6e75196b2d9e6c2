internal import Crypto
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The roots that signatures may lead to, and the chains already found good.
///
/// Safe to use from many threads at once; make one and keep it, because a chain's verification costs ten times what a
/// signature's does, and Apple signs millions of texts with one chain.
public final class TrustStore: Sendable {
  /// Apple's first: where two roots have one key, a signature is Apple's.
  private let roots: [TrustedRoot]
  /// Chains found good, by the header that brought them: few, and compared one after the other.
  private let chains = Mutex<[(header: [UInt8], chain: SigningChain)]>([])

  /// So many chains are remembered; a forger who sends a new one each time only makes us forget, not grow.
  private static let cacheLimit = 256

  /// Apple Root CA G3 and nothing else.
  public static let apple: TrustStore = TrustStore(additionalRoots: [])

  /// Apple Root CA G3 and further roots, each a DER or PEM file's content (a PEM may hold several).
  /// - Throws: ``RootCertificateError`` where one of them is no certificate.
  public convenience init(trusting files: [[UInt8]]) throws(RootCertificateError) {
    var roots: [Certificate] = []
    for file in files { roots += try Self.certificates(in: file) }
    self.init(additionalRoots: roots)
  }

  private init(additionalRoots: [Certificate]) {
    let text = AppleRoot.certificateAuthorityG3.utf8.filter { $0 != UInt8(ascii: "\n") }
    let apple = Base64URL.decodeStandard(text[...]).flatMap { try? Certificate(derEncoded: $0) }
    roots = ([apple].compactMap(\.self) + additionalRoots).map { TrustedRoot($0, isApple: $0 == apple) }
  }

  /// The roots, Apple's first, for showing what is trusted.
  public var rootCertificates: [RootCertificate] { roots.map(\.name) }

  /// How many chains are remembered.
  package var chainCount: Int { chains.withLock(\.count) }

  private static func certificates(in file: [UInt8]) throws(RootCertificateError) -> [Certificate] {
    let text = String(decoding: file, as: UTF8.self)
    do {
      if text.contains("-----BEGIN CERTIFICATE") {
        return try PEMDocument.parseMultiple(pemString: text).map { try Certificate(pemDocument: $0) }
      }
      return [try Certificate(derEncoded: file)]
    } catch {
      throw RootCertificateError()
    }
  }

  /// Checks the signature of a JWS whose payload claims to be signed at `signedAt`.
  ///
  /// ES256 only; exactly three certificates; Apple's two purposes; a trusted root; every certificate valid at
  /// `signedAt` (`design.md`, Trust; Apple's "JWSDecodedHeader").
  /// - Returns: the header, the same array for the same chain; and the root that the chain leads to.
  /// - Throws: the first ``SignatureError`` that applies.
  func verify(
    _ jws: CompactJWS, signedAt: Instant?
  ) async throws(SignatureError) -> (header: [UInt8], root: RootCertificate) {
    let header = jws.header
    let (chain, text): (SigningChain, [UInt8])
    let known = known(header)
    if let known {
      guard let signedAt else { throw .missingSignedDate }
      guard known.chain.validity.contains(signedAt) else { throw .certificateNotValid }
      (chain, text) = (known.chain, known.header)
    } else {
      (chain, text) = (try await SigningChain(header: header, roots: roots, signedAt: signedAt), Array(header))
    }
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
      chain.key.isValidSignature(signature, for: jws.signedDigest)
    else { throw .invalidSignature }
    // Not before: a chain can be copied by anyone, and would push others out.
    if known == nil {
      chains.withLock { chains in
        if chains.count >= Self.cacheLimit { chains.removeAll() }
        chains.append((text, chain))
      }
    }
    return (text, chain.root)
  }

  private func known(_ header: ArraySlice<UInt8>) -> (header: [UInt8], chain: SigningChain)? {
    header.withUnsafeBytes { wanted in
      chains.withLock { chains in
        chains.first { known in known.header.withUnsafeBytes { ByteSearch.areEqual($0, wanted) } }
      }
    }
  }
}

/// A root that signatures may lead to, as a ledger names it.
public struct RootCertificate: Sendable, Hashable {
  /// SHA-256 of the certificate, DER encoded.
  public var digest: ContentDigest
  /// Its subject's common name, else its whole subject; at most 200 characters.
  public var name: String
  /// Whether it is Apple Root CA G3. Other roots were added by the caller.
  public var isApple: Bool

  /// A root by its digest and name.
  public init(digest: ContentDigest, name: String, isApple: Bool) {
    (self.digest, self.name, self.isApple) = (digest, name, isApple)
  }
}

/// A root with its certificate.
struct TrustedRoot: Sendable {
  let certificate: Certificate
  let name: RootCertificate

  init(_ certificate: Certificate, isApple: Bool) {
    self.certificate = certificate
    var serializer = DER.Serializer()
    // What was read from DER is written as DER.
    try? serializer.serialize(certificate)
    let commonName = certificate.subject.lazy.flatMap(\.self).first {
      $0.type == ASN1ObjectIdentifier.RDNAttributeType.commonName
    }
    let name = commonName.map { String(describing: $0.value) } ?? String(describing: certificate.subject)
    self.name = RootCertificate(
      digest: ContentDigest(sha256: serializer.serializedBytes), name: String(name.prefix(200)), isApple: isApple)
  }
}

/// A file given to trust holds no certificate.
public struct RootCertificateError: Error, Sendable {}

extension ContentDigest {
  /// The SHA-256 of some bytes.
  public init(sha256 bytes: some Collection<UInt8>) {
    var hash = SHA256()
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      hash.update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { hash.update(data: Array(bytes)) }
    self.init(bytes: Array(hash.finalize()))
  }
}
