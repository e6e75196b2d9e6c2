import AppStore

/// A function of the library that gets foreign bytes, with the properties that must hold for all bytes.
///
/// The fuzzer and the tests share these checks. So the tests repeat what the fuzzer has found.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Payloads of every format, and client events.
  case payload
  /// Files that contain many payloads.
  case splitter
  /// Signed texts. The input has a header, a payload and a signature, one per line. It has no Base64, which would hide
  /// them from mutations.
  case signature
  /// Receipts of devices: the file, in BER or as a property list.
  case receipt
  /// Certificates, as a trusted root and inside a chain.
  case certificate
  /// Instants as people and programs write them.
  case instant
  /// Catalogues of products: `.storekit` files, JSON and tables.
  case catalogue
  /// Client events that an app reports.
  case event
  /// Texts from which a person is erased.
  case eraser
  /// Texts from which a secret is removed.
  case redactor
  /// Texts that are taken apart and put together again.
  case template
  /// Reports of App Store Connect, as text or compressed.
  case report
}

/// The checks of all targets, with the decoders and certificates that they use.
package struct FuzzTargets: Sendable {
  /// A decoder that accepts signed payloads only, as on an endpoint that anyone can reach.
  let open: PayloadDecoder
  let strict: PayloadDecoder
  let lenient: PayloadDecoder
  /// A chain that Apple made for tests, leaf first. The check of certificates replaces one of its three by the input.
  let chain: [[UInt8]]
  let witness: SignatureWitness
  let receiptWitness: ReceiptWitness

  /// Creates the checks of all targets.
  /// - Parameters:
  ///   - roots: the trusted roots besides Apple's, DER or PEM; and Apple Root CA, which receipts lead to.
  ///   - signed: a compact JWS whose certificates lead to one of these roots.
  package init(roots: [[UInt8]], signed: [UInt8]) throws {
    let trust = try TrustStore(trusting: roots)
    open = PayloadDecoder(trust: trust)
    strict = PayloadDecoder(unsigned: .accepted(from: "an operator"), trust: trust, acceptsClientEvents: true)
    lenient = PayloadDecoder(
      unsigned: .accepted(from: "an operator"), trust: trust, acceptsClientEvents: true, acceptsUnverified: true)
    chain = SignatureWitness.certificates(of: signed) ?? []
    witness = SignatureWitness(roots: roots, digests: trust.rootCertificates.map(\.digest))
    receiptWitness = ReceiptWitness(roots: roots)
  }

  /// Checks the properties of one target for some bytes.
  /// - Throws: the ``Violation`` of a property that does not hold.
  package func check(_ target: FuzzTarget, _ bytes: [UInt8]) async throws {
    switch target {
    case .payload, .event: try await checkPayload(bytes)
    case .splitter: try checkSplitter(bytes)
    case .signature: try await checkSignature(bytes)
    case .receipt: try await checkReceipt(bytes)
    case .certificate: try await checkCertificate(bytes)
    case .instant: try await checkInstant(bytes)
    case .catalogue: try checkCatalogue(bytes)
    case .eraser: try checkEraser(bytes)
    case .redactor: try checkRedactor(bytes)
    case .template: try checkTemplate(bytes)
    case .report: try checkReport(bytes)
    }
  }
}

/// The error for a property that does not hold.
package struct Violation: Error, CustomStringConvertible {
  /// The property that must hold, as a sentence.
  package let property: String
  /// The value that violates the property.
  package let detail: String

  /// The property, and the value that violates it.
  package var description: String { detail.isEmpty ? property : property + ": " + detail }
}

/// Throws a ``Violation`` where a property does not hold.
func hold(_ condition: Bool, _ property: String, _ detail: @autoclosure () -> String = "") throws {
  if !condition { throw Violation(property: property, detail: detail()) }
}

/// Returns the first bytes as text for a message, 200 at most.
func shown(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes.prefix(200), as: UTF8.self) }
