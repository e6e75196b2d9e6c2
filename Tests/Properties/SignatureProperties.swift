import AppStore
import enum Crypto.P256
import Foundation
import Synchronization
import X509

/// A second verification of signatures. It is independent of the library's code, and uses other functions of the same
/// packages.
package final class SignatureWitness: Sendable {
  private let roots: [Certificate]
  private let digests: Set<ContentDigest>
  /// The digests of texts that were verified before. The same few texts come again and again.
  private let confirmed = Mutex<Set<ContentDigest>>([])

  /// Creates a witness with its trusted roots.
  /// - Parameters:
  ///   - roots: the trusted roots besides Apple's, DER or PEM.
  ///   - digests: the digests of all trusted roots, including Apple's.
  init(roots: [[UInt8]], digests: [ContentDigest]) {
    self.roots = roots.flatMap(Certificate.all)
    self.digests = Set(digests)
  }

  /// Returns whether a trusted chain signed a compact text. The key of its first certificate signed the text. The
  /// second certificate signed the first, and a trusted root signed the second. The root is a given one, or Apple's,
  /// which comes with the text and is recognised by its digest.
  func confirms(_ text: [UInt8]) -> Bool {
    let digest = ContentDigest(sha256: text)
    if confirmed.withLock({ $0.contains(digest) }) { return true }
    guard let ders = Self.certificates(of: text), ders.count == 3,
      let certificates = try? ders.map({ try Certificate(derEncoded: $0) }),
      certificates[1].publicKey.isValidSignature(certificates[0].signature, for: certificates[0]),
      (roots + (digests.contains(ContentDigest(sha256: ders[2])) ? [certificates[2]] : [])).contains(where: { root in
        root.publicKey.isValidSignature(certificates[1].signature, for: certificates[1])
      }),
      let key = P256.Signing.PublicKey(certificates[0].publicKey),
      let dot = text.lastIndex(of: UInt8(ascii: ".")), let raw = Self.decoded(text[(dot + 1)...]),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
      key.isValidSignature(signature, for: text[..<dot])
    else { return false }
    _ = confirmed.withLock { $0.insert(digest) }
    return true
  }

  /// Returns the certificates of a compact text as DER, leaf first.
  static func certificates(of text: [UInt8]) -> [[UInt8]]? {
    guard let header = decoded(text.prefix { $0 != UInt8(ascii: ".") }),
      let root = try? JSONDocument(Array(header)).root
    else { return nil }
    return root["x5c"]?.elements.compactMap { $0.string.flatMap { Data(base64Encoded: $0) }.map(Array.init) }
  }

  private static func decoded(_ text: ArraySlice<UInt8>) -> Data? {
    let standard = String(decoding: text, as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
  }
}

extension FuzzTargets {
  private func encoded(_ bytes: some Collection<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  func checkSignature(_ bytes: [UInt8]) async throws {
    let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let parts = (lines + [[], []]).prefix(3)
    let text = parts.map { encoded($0) }.joined(separator: ".")
    try await checkPayload(Array(text.utf8))
    try await checkPayload(Array("{\"signedPayload\":\"\(text)\"}".utf8))
    let answer = "{\"revision\":\"r\",\"hasMore\":false,\"bundleId\":\"b\",\"signedTransactions\":[\"\(text)\"]}"
    try await checkPayload(Array(answer.utf8))
  }

  func checkCertificate(_ bytes: [UInt8]) async throws {
    if let store = try? TrustStore(trusting: [bytes]) {
      let digests = store.rootCertificates
      try hold(digests.contains(TrustStore.apple.rootCertificates[0]), "Apple's root is always trusted")
      try hold(digests == (try? TrustStore(trusting: [bytes]))?.rootCertificates, "a root's digest is stable")
    }
    guard chain.count == 3 else { return }
    for index in 0..<3 {
      var ders = chain
      ders[index] = bytes
      let certificates = ders.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
      let header = "{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}"
      let payload = "{\"notificationType\":\"TEST\",\"notificationUUID\":\"u\",\"signedDate\":1700000000000}"
      let text = [encoded(header.utf8), encoded(payload.utf8), encoded([UInt8](repeating: 7, count: 64))]
      // Nobody signed this text. So the decoder refuses it with every certificate.
      for outcome in await strict.decode(Array(text.joined(separator: ".").utf8)).outcomes {
        guard case .refused(let refusal, _) = outcome, refusal.code == .signature else {
          throw Violation(property: "what nobody signed is refused", detail: "\(outcome)")
        }
      }
    }
  }
}
