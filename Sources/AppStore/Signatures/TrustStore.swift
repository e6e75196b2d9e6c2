internal import Crypto
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The roots that signatures may lead to, and the chains already found good.
///
/// Safe to use from many threads at once; make one and keep it, because a chain's verification costs ten times what a
/// signature's does, and Apple signs millions of texts with one chain.
public final class TrustStore: Sendable {
  private let roots: [Certificate]
  /// Chains found good, by the header that brought them: few, and compared one after the other.
  private let chains = Mutex<[(header: [UInt8], chain: SigningChain)]>([])

  /// So many chains are remembered; a forger who sends a new one each time only makes us forget, not grow.
  private static let cacheLimit = 256

  /// Apple Root CA G3 and nothing else.
  public static let apple: TrustStore = TrustStore(additionalRoots: [])

  /// Apple Root CA G3 and further roots, each a DER or PEM file's content (a PEM may hold several).
  /// - Throws: ``UnreadableRoot`` where one of them is no certificate.
  public convenience init(trusting files: [[UInt8]]) throws(UnreadableRoot) {
    var roots: [Certificate] = []
    for file in files { roots += try Self.certificates(in: file) }
    self.init(additionalRoots: roots)
  }

  private init(additionalRoots: [Certificate]) {
    var roots = additionalRoots
    let text = AppleRoot.certificateAuthorityG3.utf8.filter { $0 != UInt8(ascii: "\n") }
    if let der = Base64URL.decodeStandard(text[...]), let apple = try? Certificate(derEncoded: der) {
      roots.append(apple)
    }
    self.roots = roots
  }

  /// The SHA-256 digests of the roots, for showing what is trusted.
  public var rootDigests: [Digest] {
    roots.compactMap { root in
      var serializer = DER.Serializer()
      guard (try? serializer.serialize(root)) != nil else { return nil }
      return Digest(sha256: serializer.serializedBytes)
    }
  }

  private static func certificates(in file: [UInt8]) throws(UnreadableRoot) -> [Certificate] {
    let text = String(decoding: file, as: UTF8.self)
    do {
      if text.contains("-----BEGIN CERTIFICATE") {
        return try PEMDocument.parseMultiple(pemString: text).map { try Certificate(pemDocument: $0) }
      }
      return [try Certificate(derEncoded: file)]
    } catch {
      throw UnreadableRoot()
    }
  }

  /// Checks the signature of a JWS whose payload claims to be signed at `signedAt`.
  ///
  /// ES256 only; exactly three certificates; Apple's two purposes; a trusted root; every certificate valid at
  /// `signedAt` (`design.md`, Trust; Apple's "JWSDecodedHeader").
  /// - Returns: the header, the same array for the same chain.
  /// - Throws: the first ``SignatureRejection`` that applies.
  func verify(_ jws: CompactJWS, signedAt: Instant?) async throws(SignatureRejection) -> [UInt8] {
    let header = jws.header
    let (chain, text): (SigningChain, [UInt8])
    if let known = known(header) {
      guard let signedAt else { throw .missingSignedDate }
      guard known.chain.validity.contains(signedAt) else { throw .certificateNotValid }
      (chain, text) = (known.chain, known.header)
    } else {
      (chain, text) = (try await SigningChain(header: header, roots: roots, signedAt: signedAt), Array(header))
      chains.withLock { chains in
        if chains.count >= Self.cacheLimit { chains.removeAll() }
        chains.append((text, chain))
      }
    }
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
      chain.key.isValidSignature(signature, for: jws.signedDigest)
    else { throw .invalidSignature }
    return text
  }

  private func known(_ header: ArraySlice<UInt8>) -> (header: [UInt8], chain: SigningChain)? {
    header.withUnsafeBytes { wanted in
      chains.withLock { chains in
        chains.first { known in known.header.withUnsafeBytes { ByteSearch.areEqual($0, wanted) } }
      }
    }
  }
}

/// A file given to trust holds no certificate.
public struct UnreadableRoot: Error, Sendable {}

extension Digest {
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
