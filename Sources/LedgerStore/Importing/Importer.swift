public import AppStore
internal import LedgerSchema

/// Bytes to import: a name for messages, and the pieces one after the other.
public struct ImportSource {
  /// How it is called in messages and deliveries: a path, or `-`.
  public var name: String
  /// Gives the next piece, of any size; `nil` at the end. It is read from one task at a time.
  public var next: () throws -> [UInt8]?
  /// Whether having no bytes at all is worth a place in quarantine, as for a file that should have held something.
  public var refusesEmptiness: Bool

  /// A source.
  public init(name: String, refusesEmptiness: Bool = true, next: @escaping () throws -> [UInt8]?) {
    self.name = name
    self.refusesEmptiness = refusesEmptiness
    self.next = next
  }
}

/// Reads sources into a ledger: splitting, decoding on all cores, recording in batches, in flat memory.
public struct Importer {
  /// Where to record.
  public var ledger: LedgerRecorder
  /// How to read.
  public var decoder: PayloadDecoder
  /// The clock, for what has no received instant of its own.
  public var now: Instant
  /// When everything was received, where the caller knows.
  public var receivedAt: Instant?
  /// Whether the text of `latest_receipt` is kept (once by digest) or left out.
  public var keepsReceiptData = false
  /// How many payloads are decoded at once.
  public var concurrency = 2
  /// How long a payload over ``PayloadSplitter/sizeLimit`` may be, in bytes. It is kept on disk until its end is read,
  /// and a device or a pipe may have none.
  public var longestPayload = 1 << 30
  /// Called with each payload that goes into quarantine and was not there before.
  public var onRefusal: (PayloadError, _ origin: String, _ line: Int?) -> Void = { _, _, _ in }
  /// Called after each batch with the bytes read and the summary so far.
  public var onProgress: (_ bytes: Int, ImportSummary) -> Void = { _, _ in }

  private static let batchCount = 2048
  private static let batchBytes = 8 << 20
  /// After so many batches others get a turn.
  private static let courtesyInterval = 4

  private struct Pending: Sendable {
    var bytes: [UInt8]
    var origin: String
    var line: Int
  }

  private var pending: [Pending] = []
  private var pendingBytes = 0
  private var bytesRead = 0
  private var summary = ImportSummary()
  private var known: KnownPayloads?
  private var flushes = 0
  /// Batches on their way into the file, one after the other: one is being recorded, one may wait.
  private var recordings: [Task<(summary: ImportSummary, refused: [Arrival]), any Error>] = []

  /// An importer.
  public init(ledger: LedgerRecorder, decoder: PayloadDecoder, now: Instant) {
    self.ledger = ledger
    self.decoder = decoder
    self.now = now
  }

  /// Imports sources one after the other.
  /// - Returns: what became of all payloads.
  /// - Throws: ``LedgerError``, `refusedText` where ``receivedAt`` lies more than a day after ``now``; and what a source
  ///   throws; what was recorded before stays recorded.
  public mutating func run(_ sources: some Sequence<ImportSource>) async throws -> ImportSummary {
    if let receivedAt, receivedAt.isLong(after: now) {
      throw LedgerError(
        .refusedText, "The received instant \(receivedAt) lies after this machine's clock.",
        "Give the instant at which the payloads arrived, and look at the clock; nothing was recorded.")
    }
    let known = try KnownPayloads(path: ledger.path)
    self.known = known
    defer { known.close() }
    do {
      for source in sources { try await read(source) }
    } catch {
      // What was read before is recorded, whatever came after it.
      try? await flush()
      try? await settle()
      throw error
    }
    try await flush()
    try await settle()
    return summary
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
      try await add(Pending(bytes: [], origin: source.name, line: 1))
    }
  }

  private mutating func take(
    _ outputs: [PayloadSplitter.Output], of name: String, _ spool: inout OversizedSpool?
  ) async throws {
    for output in outputs {
      switch output {
      case .item(let bytes, let line):
        try await add(Pending(bytes: bytes, origin: name, line: line))
      case .piece(let bytes, let line, let isLast):
        if spool == nil { spool = try OversizedSpool(line: line) }
        try spool?.append(bytes)
        if spool?.count ?? 0 > longestPayload { throw LedgerError.payloadTooLong(longestPayload, name, line) }
        guard isLast, let whole = spool else { continue }
        spool = nil
        try await flush()
        try await settle()
        let refusal = PayloadError.tooLong(count: whole.count)
        let done = try ledger.quarantine(
          whole, refusal, receivedAt: receivedAt ?? now, isExplicit: receivedAt != nil, origin: name)
        if done.quarantined > 0 { onRefusal(refusal, name, whole.line) }
        summary = summary + done
      }
    }
  }

  private mutating func add(_ item: Pending) async throws {
    pending.append(item)
    pendingBytes += item.bytes.count
    if pending.count >= Self.batchCount || pendingBytes >= Self.batchBytes { try await flush() }
  }

  /// Decodes what is pending while the batches before it are being recorded.
  private mutating func flush() async throws {
    guard !pending.isEmpty else { return }
    let items = pending
    (pending, pendingBytes) = ([], 0)
    let decoded = await decode(items)
    var arrivals: [Arrival] = []
    for (item, result) in zip(items, decoded) {
      for outcome in result.outcomes {
        arrivals.append(
          Arrival(
            outcome: outcome, receivedAt: result.receivedAt ?? receivedAt ?? now,
            isExplicit: result.receivedAt != nil || receivedAt != nil, origin: item.origin, line: item.line,
            orderID: result.orderID))
      }
    }
    if recordings.count > 1 { try await settleFirst() }
    let (ledger, keeps, batch, previous) = (ledger, keepsReceiptData, arrivals, recordings.last)
    flushes += 1
    let isCourteous = flushes.isMultiple(of: Self.courtesyInterval)
    recordings.append(
      // Recording is what the rest waits for.
      Task.detached(priority: .high) {
        // Where a batch could not be recorded, none after it is.
        if let previous {
          _ = try await previous.value
          if isCourteous { try await Task.sleep(nanoseconds: BusyTimeout.courtesy) }
        }
        return try ledger.recordTelling(batch, keepingReceiptData: keeps, goesOn: true)
      })
  }

  private mutating func settle() async throws {
    while !recordings.isEmpty { try await settleFirst() }
  }

  private mutating func settleFirst() async throws {
    let done = try await recordings.removeFirst().value
    summary = summary + done.summary
    for arrival in done.refused {
      if case .refused(let refusal, _) = arrival.outcome { onRefusal(refusal, arrival.origin, arrival.line) }
    }
    onProgress(bytesRead, summary)
  }

  private func decode(_ items: [Pending]) async -> [PayloadDecoder.Item] {
    let (decoder, known, width) = (decoder, known, max(1, min(concurrency, items.count)))
    return await withTaskGroup(of: [(Int, PayloadDecoder.Item)].self) { group in
      for lane in 0..<width {
        group.addTask {
          var decoded: [(Int, PayloadDecoder.Item)] = []
          for place in stride(from: lane, to: items.count, by: width) {
            decoded.append((place, await decoder.decode(items[place].bytes) { known?.contains($0) == true }))
          }
          return decoded
        }
      }
      var all: [(Int, PayloadDecoder.Item)] = []
      for await part in group { all += part }
      return all.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
