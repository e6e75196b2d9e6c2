internal import Crypto
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The trusted roots, and a cache of verified chains.
///
/// Many threads can use one store at the same time. Create one store and reuse it. To verify a chain costs ten times as
/// much as to verify a signature. Apple signs millions of texts with one chain.
public final class TrustStore: Sendable {
  /// The trusted roots of JWS, Apple's first. If two roots have the same key, a signature is attributed to Apple's.
  private let roots: [TrustedRoot]
  /// The trusted roots of receipts, Apple's first.
  private let receiptRoots: [TrustedRoot]
  /// The certificates that may have issued the signer of a transaction receipt, which does not contain them.
  private let intermediates: [Certificate]
  private let chains = Mutex(ChainCache<SigningChain>())
  private let receiptChains = Mutex(ChainCache<CertificateChain>())

  /// A store that trusts only Apple: Apple Root CA - G3 for JWS, and Apple Root CA for receipts.
  public static let apple: TrustStore = TrustStore(additionalRoots: [])

  /// Creates a store that trusts Apple's roots and further ones. Each further root counts for JWS and for receipts.
  /// - Parameter files: the contents of DER or PEM files. A PEM file may contain several certificates.
  /// - Throws: ``RootCertificateError`` if a file contains no valid certificate.
  public convenience init(trusting files: [[UInt8]]) throws(RootCertificateError) {
    try self.init(trusting: files, intermediates: [])
  }

  /// Creates a store that also knows intermediate certificates of transaction receipts.
  package convenience init(trusting files: [[UInt8]], intermediates: [[UInt8]]) throws(RootCertificateError) {
    var (roots, others): ([Certificate], [Certificate]) = ([], [])
    for file in files { roots += try Self.certificates(in: file) }
    for file in intermediates { others += try Self.certificates(in: file) }
    self.init(additionalRoots: roots, intermediates: others)
  }

  private init(additionalRoots: [Certificate], intermediates: [Certificate] = []) {
    func store(_ text: String) -> [TrustedRoot] {
      let apple = AppleCertificate.read(text)
      return ([apple].compactMap(\.self) + additionalRoots).map { TrustedRoot($0, isApple: $0 == apple) }
    }
    roots = store(AppleCertificate.rootG3)
    receiptRoots = store(AppleCertificate.root)
    self.intermediates = [AppleCertificate.read(AppleCertificate.developerRelations)].compactMap(\.self) + intermediates
  }

  /// The trusted roots of JWS, Apple's first.
  public var rootCertificates: [RootCertificate] { roots.map(\.name) }

  /// The trusted roots of receipts, Apple's first.
  public var receiptRootCertificates: [RootCertificate] { receiptRoots.map(\.name) }

  /// The number of cached chains.
  package var chainCount: Int { chains.withLock(\.count) + receiptChains.withLock(\.count) }

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
    let known = chains.withLock { $0[header] }
    if let known {
      guard let signedAt else { throw .missingSignedDate }
      guard known.chain.validity.contains(signedAt) else { throw .certificateNotValid }
      (text, chain) = known
    } else {
      (chain, text) = (try await SigningChain(header: header, roots: roots, signedAt: signedAt), Array(header))
    }
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
      chain.key.isValidSignature(signature, for: jws.signedDigest)
    else { throw .invalidSignature }
    if known == nil { chains.withLock { $0.add(chain, of: text) } }
    return (text, chain.root)
  }

  /// Checks the signature of an app receipt that was made at `createdAt`.
  ///
  /// The rules: RSA with SHA-1 or SHA-256, a chain of three certificates with Apple's two purposes, a trusted root, and
  /// every certificate valid at `createdAt` (Apple, "Validating receipts on the device").
  /// - Returns: the root of the chain.
  /// - Throws: the first ``SignatureError`` that applies.
  func verify(_ container: SignedContainer, createdAt: Instant?) async throws(SignatureError) -> RootCertificate {
    let signer = container.signer
    let text = container.certificates.joined() + signer.issuer + signer.serialNumber
    return try await verify(
      container.signature, of: container.signedAttributes ?? container.payload, container.digest, by: text[...],
      at: createdAt
    ) { () throws(SignatureError) in
      try ReceiptSigner.certificates(of: container)
    }
  }

  /// Checks the signature of a transaction receipt. The rules are those of app receipts; the certificates are judged at
  /// the purchase.
  func verify(_ receipt: TransactionReceipt) async throws(SignatureError) -> RootCertificate {
    guard receipt.version > 2 else { throw .weakKey }
    return try await verify(
      receipt.signature, of: receipt.signed, .sha1, by: receipt.certificate[...], at: receipt.purchasedAt
    ) { () throws(SignatureError) in
      guard let leaf = try? Certificate(derEncoded: receipt.certificate) else { throw .malformedCertificate }
      return (leaf, ReceiptSigner.issuers(of: leaf, among: intermediates))
    }
  }

  private func verify(
    _ signature: [UInt8], of content: [UInt8], _ digest: SignedContainer.Digest, by text: ArraySlice<UInt8>,
    at instant: Instant?,
    _ certificates: () throws(SignatureError) -> (leaf: Certificate, intermediates: [Certificate])
  ) async throws(SignatureError) -> RootCertificate {
    let chain: CertificateChain
    let known = receiptChains.withLock { $0[text] }
    if let known {
      guard let instant else { throw .missingSignedDate }
      guard known.chain.validity.contains(instant) else { throw .certificateNotValid }
      chain = known.chain
    } else {
      let found = try certificates()
      chain = try await CertificateChain(
        leaf: found.leaf, intermediates: found.intermediates, roots: receiptRoots, signedAt: instant)
    }
    let algorithm: Certificate.SignatureAlgorithm =
      digest == .sha1 ? .sha1WithRSAEncryption : .sha256WithRSAEncryption
    guard chain.key.isValidSignature(signature, for: content, signatureAlgorithm: algorithm) else {
      throw .invalidSignature
    }
    if known == nil { receiptChains.withLock { $0.add(chain, of: Array(text)) } }
    return chain.root
  }
}

/// A trusted root, as a ledger names it.
public struct RootCertificate: Sendable, Hashable {
  /// SHA-256 of the certificate, DER encoded.
  public var digest: ContentDigest
  /// The subject's common name, else the whole subject, at most 200 characters.
  public var name: String
  /// Whether it is Apple's: Apple Root CA - G3 of JWS, or Apple Root CA of receipts. The caller added all other roots.
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
