public import AppStore
internal import LedgerSchema

/// The bytes of one source to import, in pieces, with a name for messages.
public struct ImportSource {
  /// The name in messages and deliveries: a path, or `-` for standard input.
  public var name: String
  /// Returns the next piece, of any size, or `nil` at the end. One task at a time calls it.
  public var next: () throws -> [UInt8]?
  /// Whether a source without bytes goes into quarantine. This is useful for a file that should not be empty.
  public var refusesEmptiness: Bool

  /// Creates a source from a name and a function that returns its pieces.
  public init(name: String, refusesEmptiness: Bool = true, next: @escaping () throws -> [UInt8]?) {
    self.name = name
    self.refusesEmptiness = refusesEmptiness
    self.next = next
  }
}

/// Imports sources into a ledger. It splits them into payloads, decodes these on several cores and records them in
/// batches. Its use of memory does not grow with the sources.
public struct Importer {
  /// The ledger that records the payloads.
  public var ledger: LedgerRecorder
  /// The decoder, which also decides which signatures to trust.
  public var decoder: PayloadDecoder
  /// The current instant. It serves as received instant for payloads that have none.
  public var now: Instant
  /// The instant at which all payloads were received, or `nil` when the caller does not know it.
  public var receivedAt: Instant?
  /// Whether to store the text of `latest_receipt`, once for each digest. Otherwise it is left out.
  public var storesReceiptData = false
  /// The number of payloads to decode at the same time.
  public var concurrency = 2
  /// The greatest length in bytes of a payload over `PayloadSplitter/sizeLimit`. Such a payload is written to disk
  /// until its end is read, and a device or pipe may have no end.
  public var longestPayload = 1 << 30
  /// Called with each payload that newly goes into quarantine: the reason, the source's name, and the line in it from
  /// 1.
  public var onRefusal: (PayloadError, _ origin: String, _ line: Int?) -> Void = { _, _, _ in }
  /// Called after each batch with the number of bytes read and the summary so far.
  public var onProgress: (_ bytes: Int, ImportSummary) -> Void = { _, _ in }

  private static let batchCount = 2048
  private static let batchBytes = 8 << 20

  private struct PendingPayload: Sendable {
    var bytes: [UInt8]
    var origin: String
    var line: Int
  }

  private var pending: [PendingPayload] = []
  private var pendingBytes = 0
  private var bytesRead = 0
  private var summary = ImportSummary()
  private var known: KnownPayloads?
  /// The batches that are being recorded, one after the other: one is being recorded, and one may wait.
  private var recordings: [Task<(summary: ImportSummary, refused: [Arrival]), any Error>] = []

  /// Creates an importer for a ledger. The other properties have defaults.
  public init(ledger: LedgerRecorder, decoder: PayloadDecoder, now: Instant) {
    self.ledger = ledger
    self.decoder = decoder
    self.now = now
  }

  /// Imports sources one after the other.
  /// - Returns: the counts of all payloads.
  /// - Throws: ``LedgerError``: `refused_text` when ``receivedAt`` is more than a day after ``now``, `payload_too_long`
  ///   when a payload exceeds ``longestPayload``. Also the errors of a source. Payloads that were recorded before stay
  ///   recorded.
  public mutating func run(_ sources: some Sequence<ImportSource>) async throws -> ImportSummary {
    if let receivedAt, receivedAt.isMoreThanOneDay(after: now) {
      throw LedgerError(
        .refusedText, "The received instant \(receivedAt) lies after this machine's clock. Nothing was recorded.",
        "Give the instant at which the payloads arrived, and check the clock.")
    }
    let known = try KnownPayloads(path: ledger.path)
    self.known = known
    defer { known.close() }
    do {
      for source in sources { try await read(source) }
    } catch {
      do { try await finish() } catch let second as LedgerError where second.description != "\(error)" {
        throw second.preceded(by: "\(error)")
      }
      throw error
    }
    try await finish()
    return summary
  }

  /// Records what was read.
  private mutating func finish() async throws {
    try await flush()
    try await awaitBatches()
    try ledger.derivePeriods()
  }

  private mutating func read(_ source: ImportSource) async throws {
    var splitter = PayloadSplitter()
    var spool: OversizedSpool?
    var isEmpty = true
    while let piece = try source.next() {
      bytesRead += piece.count
      let outputs = splitter.append(piece)
      if !outputs.isEmpty { isEmpty = false }
      try await take(outputs, of: source.name, &spool)
    }
    let last = splitter.finish()
    try await take(last, of: source.name, &spool)
    if isEmpty, last.isEmpty, source.refusesEmptiness {
      try await add(PendingPayload(bytes: [], origin: source.name, line: 1))
    }
  }

  private mutating func take(
    _ outputs: [PayloadSplitter.Output], of name: String, _ spool: inout OversizedSpool?
  ) async throws {
    for output in outputs {
      switch output {
      case .item(let bytes, let line):
        try await add(PendingPayload(bytes: bytes, origin: name, line: line))
      case .piece(let bytes, let line, let isLast):
        if spool == nil { spool = try OversizedSpool(line: line) }
        try spool?.append(bytes)
        if spool?.count ?? 0 > longestPayload { throw LedgerError.payloadTooLong(longestPayload, name, line) }
        guard isLast, let whole = spool else { continue }
        spool = nil
        try await flush()
        try await awaitBatches()
        let refusal = PayloadError.tooLong(count: whole.count)
        let done = try ledger.quarantine(
          whole, refusal, receivedAt: receivedAt ?? now, isExplicit: receivedAt != nil, origin: name)
        if done.quarantined > 0 { onRefusal(refusal, name, whole.line) }
        summary = summary + done
      }
    }
  }

  private mutating func add(_ item: PendingPayload) async throws {
    pending.append(item)
    pendingBytes += item.bytes.count
    if pending.count >= Self.batchCount || pendingBytes >= Self.batchBytes { try await flush() }
  }

  /// Decodes the pending payloads while earlier batches are being recorded.
  private mutating func flush() async throws {
    guard !pending.isEmpty else { return }
    let items = pending
    (pending, pendingBytes) = ([], 0)
    let arrivals = await decode(items)
    if recordings.count > 1 { try await awaitFirstBatch() }
    let (ledger, keeps, batch, previous) = (ledger, storesReceiptData, arrivals, recordings.last)
    recordings.append(
      // A high priority, because everything else waits for the recording.
      Task.detached(priority: .high) {
        // If a batch cannot be recorded, its error also stops all batches after it.
        if let previous { _ = try await previous.value }
        let done = try ledger.recordBatch(
          batch, storingReceiptData: keeps, deferringPeriods: true, requiresSameFile: true)
        return (done.summary, done.refused)
      })
  }

  private mutating func awaitBatches() async throws {
    while !recordings.isEmpty { try await awaitFirstBatch() }
  }

  private mutating func awaitFirstBatch() async throws {
    let done = try await recordings.removeFirst().value
    summary = summary + done.summary
    for arrival in done.refused {
      if case .refused(let refusal, _) = arrival.outcome { onRefusal(refusal, arrival.origin, arrival.line) }
    }
    onProgress(bytesRead, summary)
  }

  /// Decodes payloads on as many threads as ``concurrency`` says.
  /// - Returns: what arrived with them, in their order.
  private func decode(_ items: [PendingPayload]) async -> [Arrival] {
    let (decoder, known) = (decoder, known)
    let (instant, isExplicit) = (receivedAt ?? now, receivedAt != nil)
    return await items.concurrentMap(width: concurrency) { item in
      let result = await decoder.decode(item.bytes) { known?.contains($0) == true }
      return result.outcomes.map { outcome in
        Arrival(
          outcome: outcome, receivedAt: result.receivedAt ?? instant,
          isExplicit: isExplicit || result.receivedAt != nil, origin: item.origin, line: item.line,
          orderID: result.orderID)
      }
    }.flatMap(\.self)
  }
}
