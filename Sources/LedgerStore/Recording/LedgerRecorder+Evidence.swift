internal import AppStore
internal import LedgerSchema

extension LedgerRecorder {
  /// Records a batch of arrivals as one transaction. When this returns, the batch is durable. When it throws, nothing
  /// of it is recorded.
  ///
  /// The order of arrivals and their division into batches change no answer (law 2).
  /// - Parameters:
  ///   - arrivals: the decoded payloads.
  ///   - storesReceiptData: whether to store the texts of `latest_receipt`, once for each digest. Otherwise they are
  ///     left out.
  /// - Returns: the counts of the batch.
  /// - Throws: ``LedgerError``: `busy` after the timeout, `altered_schema` when somebody changed the file's schema.
  @discardableResult
  public func record(_ arrivals: [Arrival], storingReceiptData storesReceiptData: Bool = false) throws -> ImportSummary
  {
    try recordBatch(arrivals, storingReceiptData: storesReceiptData).summary
  }

  /// Records a batch of arrivals and other rows as one transaction.
  /// - Parameters:
  ///   - arrivals: the decoded payloads.
  ///   - mentionLimit: how many ids of each payload that goes into quarantine are stored.
  ///   - defersPeriods: whether the caller derives later the periods of subscriptions, when there are many.
  ///   - body: records further rows in the same transaction. It gets what became of each arrival.
  /// - Returns: what became of each arrival, in their order, the counts of the batch, and what `body` returns.
  /// - Throws: ``LedgerError``. Then nothing of the batch is recorded.
  package func recordEach<Value>(
    _ arrivals: [Arrival], mentionLimit: Int = .max, deferringPeriods defersPeriods: Bool = false,
    and body: (EvidenceTransaction, [ArrivalResult]) throws -> Value
  ) throws -> (results: [ArrivalResult], summary: ImportSummary, value: Value) {
    let done = try recordBatch(
      arrivals, storingReceiptData: false, deferringPeriods: defersPeriods, mentionLimit: mentionLimit, and: body)
    return (done.results, done.summary, done.value)
  }

  /// Records a batch of arrivals as one transaction, and returns the arrivals that newly went into quarantine.
  /// - Parameters:
  ///   - arrivals: the decoded payloads.
  ///   - storesReceiptData: whether to store the texts of `latest_receipt`.
  ///   - defersPeriods: whether the caller derives later the periods of subscriptions, when there are many.
  ///   - requiresSameFile: whether this batch continues earlier ones, which must be in the same file.
  ///   - mentionLimit: how many ids of each payload that goes into quarantine are stored.
  ///   - body: records further rows in the same transaction.
  /// - Throws: ``LedgerError``: `refused_entry` when a backup replaced the file since the last batch.
  func recordBatch<Value>(
    _ arrivals: [Arrival], storingReceiptData storesReceiptData: Bool, deferringPeriods defersPeriods: Bool = false,
    requiresSameFile: Bool = false, mentionLimit: Int = .max,
    and body: (EvidenceTransaction, [ArrivalResult]) throws -> Value = { _, _ in }
  ) throws -> (summary: ImportSummary, refused: [Arrival], results: [ArrivalResult], value: Value) {
    let remembered = knownTemplates.withLock { $0.count > Self.templateLimit ? [:] : $0 }
    let (done, learned, templates) = try record { transaction in
      // Template ids from earlier transactions are valid only while the file has the same history. A restored backup may
      // have replaced the file.
      let containsLastSeal = try transaction.containsLastSeal()
      guard containsLastSeal || !requiresSameFile else {
        throw LedgerError(
          .refusedEntry,
          "A backup replaced \(path) during the import. The payloads that this import recorded before that are lost.",
          "Import all sources again.")
      }
      let templates = containsLastSeal ? remembered : [:]
      var recorder = Recorder(transaction, knownTemplates: templates)
      recorder.storesReceiptData = storesReceiptData
      recorder.mentionLimit = mentionLimit
      for arrival in arrivals { try recorder.record(arrival) }
      try recorder.projections.flush(deferringPeriods: defersPeriods)
      let value = try body(transaction, recorder.results)
      return ((recorder.summary, recorder.newRefusals, recorder.results, value), recorder.learnedTemplates, templates)
    }
    // Only template ids that are on disk are stored for the next transaction.
    knownTemplates.withLock { $0 = templates.merging(learned) { $1 } }
    return done
  }

  /// The number of template ids to store between transactions. They take some megabytes.
  private static let templateLimit = 2048
}
