import AppStore
import Foundation
import SwiftASN1
import X509

/// A second verification of app receipts. It reads the container with SwiftASN1, and shares no code with the library.
struct ReceiptWitness: Sendable {
  private let roots: [Certificate]

  /// Creates a witness with its trusted roots, DER or PEM.
  init(roots: [[UInt8]]) { self.roots = roots.flatMap(Certificate.all) }

  /// Returns whether the key of a certificate in the receipt signed its content, and a chain of the certificates in it
  /// leads to a trusted root. It judges neither dates nor purposes.
  func confirms(_ receipt: [UInt8]) -> Bool {
    guard let root = try? BER.parse(receipt), let parts = Self.children(root).dropFirst().first.map(Self.children),
      let signedData = parts.first.map(Self.children), signedData.count >= 5,
      let octets = Self.children(signedData[2]).last.map(Self.children)?.first,
      let content = try? ASN1OctetString(berEncoded: octets)
    else { return false }
    let certificates = Self.children(signedData[3]).compactMap { try? Certificate(derEncoded: $0) }
    let signers = signedData.last.map(Self.children) ?? []
    guard signers.count == 1 else { return false }
    let signatures = Self.children(signers[0]).compactMap { try? ASN1OctetString(berEncoded: $0) }
    let signed = Self.children(signers[0]).first { $0.identifier.tagClass == .contextSpecific }
    let text = signed.map { [0x31] + Array($0.encodedBytes.dropFirst()) } ?? Array(content.bytes)
    for leaf in certificates where isTrusted(leaf, certificates) {
      for signature in signatures {
        for algorithm: Certificate.SignatureAlgorithm in [.sha1WithRSAEncryption, .sha256WithRSAEncryption]
        where leaf.publicKey.isValidSignature(Array(signature.bytes), for: text, signatureAlgorithm: algorithm) {
          return true
        }
      }
    }
    return false
  }

  private func isTrusted(_ leaf: Certificate, _ certificates: [Certificate]) -> Bool {
    func issuers(of certificate: Certificate, among others: [Certificate]) -> [Certificate] {
      others.filter { $0.publicKey.isValidSignature(certificate.signature, for: certificate) }
    }
    return issuers(of: leaf, among: certificates).contains { !issuers(of: $0, among: roots).isEmpty }
  }

  private static func children(_ node: ASN1Node) -> [ASN1Node] {
    if case .constructed(let nodes) = node.content { Array(nodes) } else { [] }
  }
}

extension Certificate {
  /// Returns the certificates in a file, DER or PEM; none where it contains something else.
  static func all(in file: [UInt8]) -> [Certificate] {
    if let one = try? Certificate(derEncoded: file) { return [one] }
    let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))
    return (documents ?? []).compactMap { try? Certificate(pemDocument: $0) }
  }
}

extension FuzzTargets {
  func checkReceipt(_ bytes: [UInt8]) async throws {
    let base64 = Array(Data(bytes).base64EncodedData())
    try await checkPayload(bytes)
    try await checkPayload(base64)
    let check = await open.check(receipt: base64)
    try hold(check.refusal != nil || check.root != nil, "what is verified leads to a root")
    try hold(check.receipt.map { (try? JSONDocument($0)) != nil } ?? true, "what a receipt contains is JSON")
    let isOld = check.kind == .transactionReceipt
    try hold(!check.isVerified || isOld || receiptWitness.confirms(bytes), "what is verified has a signature")
    try hold(!isOld || check.environment != .production, "a transaction receipt is never of production")
    for case .evidence(let evidence) in await open.decode(base64).outcomes {
      guard evidence.kind == .appReceipt || isOld else { continue }
      try hold(check.isVerified, "the importer takes what the check verifies", check.refusal?.reason.rawValue ?? "")
      try hold(evidence.text.compact == base64, "a receipt is given back byte for byte")
    }
  }
}
