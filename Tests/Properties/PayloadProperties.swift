import AppStore

extension FuzzTargets {
  func checkPayload(_ bytes: [UInt8]) async throws {
    try checkMentions(bytes)
    try await checkOpenTarget(bytes)
    for decoder in [strict, lenient] {
      let item = await decoder.decode(bytes)
      try hold(!item.outcomes.isEmpty, "every payload has an outcome")
      try checkRepeated(item, await decoder.decode(bytes))
      try await checkKnown(item, bytes, decoder)
      var arrivals: [ContentDigest: [UInt8]] = [:]
      for outcome in item.outcomes {
        switch outcome {
        case .refused(let refusal, let raw): try checkRefusal(refusal, raw: raw, of: bytes)
        case .evidence(let evidence): try checkEvidence(evidence, isStrict: !decoder.acceptsUnverified, &arrivals)
        case .known: throw Violation(property: "nothing is known to who knows nothing", detail: "")
        }
      }
    }
  }

  /// Checks that a decoder for signed payloads takes nothing from unsigned ones.
  private func checkOpenTarget(_ bytes: [UInt8]) async throws {
    for case .evidence(let evidence) in await open.decode(bytes).outcomes {
      let isAnswer = evidence.trust == .unsigned && (evidence.root != nil || !evidence.nested.isEmpty)
      try hold(evidence.trust == .verified || isAnswer, "an open target believes signatures alone", "\(evidence.kind)")
      try hold(
        evidence.kind.isDeviceReceipt || evidence.transactions.allSatisfy { $0.rank == .jws },
        "an open target reads no unsigned receipt")
      let isSigned = evidence.trust == .verified
      try hold(isSigned || (evidence.claims.isEmpty && evidence.orderID == nil), "an answer's own fields are not read")
      try hold(evidence.clientEvent == nil, "an open target takes no report of an app")
    }
  }

  /// Checks that the ids found in a text are few, short and harmless, for every text.
  private func checkMentions(_ bytes: [UInt8]) throws {
    let mentions = Mention.all(in: bytes)
    try hold(mentions.count <= 64 && Set(mentions).count == mentions.count, "mentions are few, and none comes twice")
    for mention in mentions {
      let isPlain = mention.identifier.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
      try hold(isPlain && (1...64).contains(mention.identifier.utf8.count), "an id is plain", mention.identifier)
    }
  }

  /// Returns an outcome in a few words that distinguish it from others.
  private func summary(_ outcome: PayloadDecoder.Outcome) -> String {
    switch outcome {
    case .known(let digest): "known \(digest.hexadecimal)"
    case .refused(let refusal, let raw):
      "refused \(refusal.reason.rawValue) \(refusal.path) \(refusal.detail) \(ContentDigest(sha256: raw).hexadecimal)"
    case .evidence(let evidence):
      "evidence \(evidence.digest.hexadecimal) \(evidence.kind) \(evidence.trust) \(evidence.problems)"
    }
  }

  private func checkRepeated(_ first: PayloadDecoder.Item, _ second: PayloadDecoder.Item) throws {
    let isSame =
      first.receivedAt == second.receivedAt && first.orderID == second.orderID
      && first.outcomes.map(summary) == second.outcomes.map(summary)
    try hold(isSame, "decoding twice says the same", first.outcomes.map(summary).joined(separator: "\n"))
  }

  /// Checks that a recorded payload is a duplicate when it arrives again, and only of itself.
  private func checkKnown(_ item: PayloadDecoder.Item, _ bytes: [UInt8], _ decoder: PayloadDecoder) async throws {
    let recorded = item.outcomes.compactMap { outcome in
      if case .evidence(let evidence) = outcome { evidence.digest } else { nil }
    }
    guard item.outcomes.count == 1 else { return }
    for case .known(let digest) in await decoder.decode(bytes, isKnown: { _ in true }).outcomes {
      guard let own = recorded.first else { continue }
      try hold(own == digest, "a payload is known by its own digest", digest.hexadecimal)
    }
  }

  private func checkRefusal(_ refusal: PayloadError, raw: [UInt8], of bytes: [UInt8]) throws {
    try hold(!refusal.detail.isEmpty, "a refusal says what is wrong", refusal.reason.rawValue)
    try hold(!refusal.advice.isEmpty, "a refusal says what to do", refusal.reason.rawValue)
    try hold(refusal.path.hasPrefix("$"), "a refusal says where", refusal.path)
    try hold((0...bytes.count).contains(refusal.offset ?? 0), "a refusal's offset lies in the text")
    // The quarantine stores the refused payload, or the text inside it. This is never longer than the input.
    try hold(raw.count <= bytes.count, "no more is kept than came", "\(raw.count) of \(bytes.count)")
    try checkSecret(raw, "quarantine")
  }

  /// Checks that stored texts do not contain the secret, even where an escape hides it in the text around them.
  func checkSecret(_ text: [UInt8], _ location: String) throws {
    try hold(SecretRedactor.redacted(text) == text, "no secret is kept", "\(location): \(shown(text))")
  }
}
