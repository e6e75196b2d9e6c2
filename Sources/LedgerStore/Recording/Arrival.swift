public import AppStore
internal import LedgerSchema

/// One thing that arrived, read: what became of it, and when and from where it came.
public struct Arrival: Sendable {
  /// Evidence, or a refusal with the bytes.
  public var outcome: PayloadDecoder.Outcome
  /// When it was received.
  public var receivedAt: Instant
  /// Whether that instant was told by whoever keeps the archive; otherwise it is the importer's clock.
  public var isExplicit: Bool
  /// Where it came from: a path, or `-`.
  public var origin: String
  /// The line of a file, counted from 1.
  public var line: Int?
  /// The order that an answer of Look Up Order ID is about: the answer itself does not say.
  public var orderID: String?

  /// An arrival.
  public init(
    outcome: PayloadDecoder.Outcome, receivedAt: Instant, isExplicit: Bool, origin: String, line: Int? = nil,
    orderID: String? = nil
  ) {
    self.outcome = outcome
    self.receivedAt = receivedAt
    self.isExplicit = isExplicit
    self.origin = origin
    self.line = line
    self.orderID = orderID
  }
}

/// What became of the payloads of an import: `recorded + duplicates + quarantined == payloads` (law 3). The other counts
/// are parts of these.
public struct ImportSummary: Sendable, Equatable, Codable {
  /// How many payloads were read.
  public var payloads = 0
  /// How many of them were new.
  public var recorded = 0
  /// How many were known.
  public var duplicates = 0
  /// How many could not be used and are kept aside.
  public var quarantined = 0
  /// How many of the duplicates are in quarantine since an earlier import.
  public var stillQuarantined = 0
  /// How many of the recorded ones name a purchase, and nothing about it could be used.
  public var withoutUsableTransaction = 0
  /// How many of the recorded ones Apple did not sign: they are believed because of where they come from.
  public var unsigned = 0
  /// The apps that the recorded ones belong to.
  public var apps: Set<String> = []
  /// How many rows or fields inside recorded payloads could not be used.
  public var problems = 0

  /// A summary of nothing.
  public init() {}

  /// Adds two summaries.
  public static func + (left: ImportSummary, right: ImportSummary) -> ImportSummary {
    var sum = left
    sum.payloads += right.payloads
    sum.recorded += right.recorded
    sum.duplicates += right.duplicates
    sum.quarantined += right.quarantined
    sum.stillQuarantined += right.stillQuarantined
    sum.withoutUsableTransaction += right.withoutUsableTransaction
    sum.unsigned += right.unsigned
    sum.apps.formUnion(right.apps)
    sum.problems += right.problems
    return sum
  }
}
