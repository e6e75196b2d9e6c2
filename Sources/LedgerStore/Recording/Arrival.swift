public import AppStore
internal import LedgerSchema
package import TextTemplates

/// A decoded payload that arrived, with its source and its received instant.
public struct Arrival: Sendable {
  /// The result of decoding: evidence, a known digest, or a refusal with the bytes.
  public let outcome: PayloadDecoder.Outcome
  /// The texts of the evidence, as they are stored; `nil` for another outcome.
  package let texts: SplitTexts?
  /// The received instant of the payload.
  public var receivedAt: Instant
  /// Whether the caller or the archive states the received instant. Otherwise it is the importer's clock (rules §1).
  public var isExplicit: Bool
  /// The source: a path, or `-` for standard input.
  public var origin: String
  /// The line in the source on which the payload begins, from 1.
  public var line: Int?
  /// The order id of a Look Up Order ID response, because the response itself does not contain it.
  public var orderID: String?

  /// Creates an arrival from its parts. It splits the texts of the evidence, so create it where payloads are decoded.
  public init(
    outcome: PayloadDecoder.Outcome, receivedAt: Instant, isExplicit: Bool, origin: String, line: Int? = nil,
    orderID: String? = nil
  ) {
    self.outcome = outcome
    texts = if case .evidence(let evidence) = outcome { SplitTexts(evidence) } else { nil }
    self.receivedAt = receivedAt
    self.isExplicit = isExplicit
    self.origin = origin
    self.line = line
    self.orderID = orderID
  }
}

/// What became of one arrival.
package enum ArrivalResult: Sendable, Equatable {
  /// It was new, and is recorded.
  case recorded
  /// The ledger already contained it.
  case duplicate
  /// It could not be used, and is in quarantine for a reason. `isNew` is false when it was there before.
  case quarantined(reason: PayloadError.Reason, isNew: Bool)
}

/// The counts of an import: `recorded + duplicates + quarantined == payloads` (law 3). The other counts are parts of
/// these.
public struct ImportSummary: Sendable, Equatable, Codable {
  /// The number of payloads that were read.
  public var payloads = 0
  /// The number of payloads that were new and are recorded.
  public var recorded = 0
  /// The number of payloads that the ledger already contained.
  public var duplicates = 0
  /// The number of payloads that could not be used and are now in quarantine.
  public var quarantined = 0
  /// The number of duplicates that are in quarantine since an earlier import.
  public var stillQuarantined = 0
  /// The number of recorded payloads that contain a purchase of which nothing could be used.
  public var withoutUsableTransaction = 0
  /// The number of recorded payloads that Apple did not sign. They count as evidence because the caller trusts their
  /// source.
  public var unsigned = 0
  /// The bundle ids of the apps that the recorded payloads belong to.
  public var apps: Set<String> = []
  /// How often each code of a problem occurred, by its stable name.
  public var problemCodes: [String: Int] = [:]
  /// The number of rows or fields inside recorded payloads that could not be used.
  public var problems: Int { problemCodes.values.reduce(0, +) }

  /// Creates a summary with all counts 0.
  public init() {}

  /// Returns the sum of two summaries.
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
    sum.problemCodes.merge(right.problemCodes, uniquingKeysWith: +)
    return sum
  }
}
