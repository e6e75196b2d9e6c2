import AppStore

/// A way into the library by which foreign bytes come, with what must hold there, whatever the bytes are.
///
/// The fuzzer and the tests share these checks: what the one finds, the other keeps found.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Payloads of every format, and client events.
  case payload
  /// Files that hold many payloads.
  case splitter
  /// Signed texts: a header, a payload and a signature on a line each, put together here: no Base 64 hides them.
  case signature
  /// Certificates, as a root to trust and inside a chain.
  case certificate
  /// Instants as people and programs write them.
  case instant
  /// Catalogues of products: `.storekit` files, JSON and tables.
  case catalogue
  /// Reports of an app.
  case event
  /// Texts from which a person is to vanish.
  case eraser
  /// Texts from which a secret is to vanish.
  case redactor
  /// Texts to be taken apart and put together again.
  case form
}

/// All targets, with what they need to know.
package struct FuzzTargets: Sendable {
  /// As at a target that anyone can reach: signed payloads only.
  let open: PayloadDecoder
  let strict: PayloadDecoder
  let lenient: PayloadDecoder
  /// A chain that Apple made for tests, leaf first: it lends what a fuzzed certificate stands beside.
  let chain: [[UInt8]]
  let witness: SignatureWitness

  /// - Parameters:
  ///   - roots: roots to trust beside Apple's, DER or PEM.
  ///   - signed: a compact JWS whose certificates lead to one of them.
  package init(roots: [[UInt8]], signed: [UInt8]) throws {
    let trust = try TrustStore(trusting: roots)
    open = PayloadDecoder(trust: trust)
    strict = PayloadDecoder(unsigned: .accepted(from: "an operator"), trust: trust, acceptsClientEvents: true)
    lenient = PayloadDecoder(
      unsigned: .accepted(from: "an operator"), trust: trust, acceptsClientEvents: true, acceptsUnverified: true)
    chain = SignatureWitness.certificates(of: signed) ?? []
    witness = SignatureWitness(roots: roots, digests: trust.rootCertificates.map(\.digest))
  }

  /// Brings bytes through one target.
  /// - Throws: the ``Violation`` of what must hold there.
  package func check(_ target: FuzzTarget, _ bytes: [UInt8]) async throws {
    switch target {
    case .payload, .event: try await checkPayload(bytes)
    case .splitter: try checkSplitter(bytes)
    case .signature: try await checkSignature(bytes)
    case .certificate: try await checkCertificate(bytes)
    case .instant: try await checkInstant(bytes)
    case .catalogue: try checkCatalogue(bytes)
    case .eraser: try checkEraser(bytes)
    case .redactor: try checkRedactor(bytes)
    case .form: try checkForm(bytes)
    }
  }
}

/// Something that must hold does not.
package struct Violation: Error, CustomStringConvertible {
  /// What must hold, as a sentence.
  package let property: String
  /// What was seen instead.
  package let detail: String

  /// The sentence, and what was seen.
  package var description: String { detail.isEmpty ? property : property + ": " + detail }
}

/// Throws where a property does not hold.
func hold(_ condition: Bool, _ property: String, _ detail: @autoclosure () -> String = "") throws {
  if !condition { throw Violation(property: property, detail: detail()) }
}

/// Bytes for a message.
func shown(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes.prefix(200), as: UTF8.self) }
