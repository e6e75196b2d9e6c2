import AppStore

extension PayloadDecoder {
  /// A decoder that also believes what is not signed, and takes in client events: tests of formats and rules use receipts,
  /// whose door is not their subject.
  package static func permissive(
    trust: TrustStore = .apple, acceptsUnverified: Bool = false, bundleIDs: Set<String> = [], now: Instant? = nil
  ) -> PayloadDecoder {
    PayloadDecoder(
      unsigned: .accepted(from: "a test"), trust: trust, acceptsClientEvents: true,
      acceptsUnverified: acceptsUnverified, bundleIDs: bundleIDs, now: now)
  }
}
