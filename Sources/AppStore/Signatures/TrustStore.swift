internal import Crypto
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The trusted roots, and a cache of verified chains.
///
/// Many threads can use one store at the same time. Create one store and reuse it. To verify a chain costs ten times as
/// much as to verify a signature. Apple signs millions of texts with one chain.
public final class TrustStore: Sendable {
  /// The trusted roots, Apple's first. If two roots have the same key, a signature is attributed to Apple's.
  private let roots: [TrustedRoot]
  /// The verified chains, by their header. There are few, so a linear search is enough.
  private let chains = Mutex<[(header: [UInt8], chain: SigningChain)]>([])

  /// The maximum number of cached chains. If a forger sends a new chain each time, the cache is emptied and does not
  /// grow.
  private static let cacheLimit = 256

  /// A store that trusts only Apple Root CA G3.
  public static let apple: TrustStore = TrustStore(additionalRoots: [])

  /// Creates a store that trusts Apple Root CA G3 and further roots.
  /// - Parameter files: the contents of DER or PEM files. A PEM file may contain several certificates.
  /// - Throws: ``RootCertificateError`` if a file contains no valid certificate.
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

  /// The trusted roots, Apple's first.
  public var rootCertificates: [RootCertificate] { roots.map(\.name) }

  /// The number of cached chains.
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

  /// Checks the signature of a JWS whose payload states that it was signed at `signedAt`.
  ///
  /// The rules: ES256 only, exactly three certificates, Apple's two purposes, a trusted root, and every certificate
  /// valid at `signedAt` (Apple, "JWSDecodedHeader"; Importing.md, "The full table").
  /// - Returns: the header (one shared array for all texts of one chain) and the root of the chain.
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
    // The cache takes a chain only after its signature matches. Anyone can copy a chain, and copies would evict others.
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

/// A trusted root, as a ledger names it.
public struct RootCertificate: Sendable, Hashable {
  /// SHA-256 of the certificate, DER encoded.
  public var digest: ContentDigest
  /// The subject's common name, else the whole subject, at most 200 characters.
  public var name: String
  /// Whether it is Apple Root CA G3. The caller added all other roots.
  public var isApple: Bool

  /// Creates a root certificate from its digest and name.
  public init(digest: ContentDigest, name: String, isApple: Bool) {
    (self.digest, self.name, self.isApple) = (digest, name, isApple)
  }
}

/// A trusted root with its certificate.
struct TrustedRoot: Sendable {
  let certificate: Certificate
  let name: RootCertificate

  init(_ certificate: Certificate, isApple: Bool) {
    self.certificate = certificate
    var serializer = DER.Serializer()
    // A certificate that was read from DER can always be written as DER.
    try? serializer.serialize(certificate)
    let commonName = certificate.subject.lazy.flatMap(\.self).first {
      $0.type == ASN1ObjectIdentifier.RDNAttributeType.commonName
    }
    let name = commonName.map { String(describing: $0.value) } ?? String(describing: certificate.subject)
    self.name = RootCertificate(
      digest: ContentDigest(sha256: serializer.serializedBytes), name: String(name.prefix(200)), isApple: isApple)
  }
}

/// Thrown when a file of trusted roots contains no valid certificate.
public struct RootCertificateError: Error, Sendable {}

extension ContentDigest {
  /// Computes the SHA-256 of some bytes.
  public init(sha256 bytes: some Collection<UInt8>) {
    var hash = SHA256()
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      hash.update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { hash.update(data: Array(bytes)) }
    self.init(bytes: Array(hash.finalize()))
  }
}
