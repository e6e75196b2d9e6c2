import AppStore

extension PayloadDecoder {
  /// Returns a decoder that also accepts unsigned payloads and client events. Tests of formats and rules use receipts,
  /// and do not test what a decoder accepts.
  package static func permissive(
    trust: TrustStore = .apple, acceptsUnverified: Bool = false, bundleIDs: Set<String> = [], now: Instant? = nil
  ) -> PayloadDecoder {
    PayloadDecoder(
      unsigned: .accepted(from: "a test"), trust: trust, acceptsClientEvents: true,
      acceptsUnverified: acceptsUnverified, bundleIDs: bundleIDs, now: now)
  }
}
