internal import AppStore
internal import LedgerSchema

extension LedgerRecorder {
  /// Records a batch as one transaction: durable when this returns, and nothing of it where it throws.
  ///
  /// The order of arrivals, and how they are split into batches, changes no answer (law 2).
  /// - Parameters:
  ///   - arrivals: what arrived.
  ///   - keepsReceiptData: whether the texts of `latest_receipt` are kept, once by digest, or left out.
  /// - Throws: ``LedgerError``.
  @discardableResult
  public func record(_ arrivals: [Arrival], keepingReceiptData keepsReceiptData: Bool = false) throws -> ImportSummary {
    try recordTelling(arrivals, keepingReceiptData: keepsReceiptData).summary
  }

  /// The same, and which arrivals went into quarantine that were not there before.
  /// - Parameter goesOn: whether the batch is the next of several, which all belong to one file.
  func recordTelling(
    _ arrivals: [Arrival], keepingReceiptData keepsReceiptData: Bool, goesOn: Bool = false
  ) throws -> (summary: ImportSummary, refused: [Arrival]) {
    let remembered = knownForms.withLock { $0.count > Self.formLimit ? [:] : $0 }
    let (done, learned, forms) = try record { transaction in
      // What is remembered of a file holds as long as its history goes on: a backup may have been put in its place.
      let hasContinued = try transaction.hasContinued()
      guard hasContinued || !goesOn else {
        throw LedgerError(
          .refusedEntry, "A backup was put in the place of \(path) meanwhile: what was recorded before that is gone.",
          "Import all of it again.")
      }
      let forms = hasContinued ? remembered : [:]
      var recorder = Recorder(transaction, knownForms: forms)
      recorder.keepsReceiptData = keepsReceiptData
      for arrival in arrivals { try recorder.record(arrival) }
      try recorder.projections.settle()
      return ((recorder.summary, recorder.newRefusals), recorder.learnedForms, forms)
    }
    // Only what is on disk is worth remembering.
    knownForms.withLock { $0 = forms.merging(learned) { $1 } }
    return done
  }

  /// So many forms are remembered from one transaction to the next: some megabytes.
  private static let formLimit = 2048
}
