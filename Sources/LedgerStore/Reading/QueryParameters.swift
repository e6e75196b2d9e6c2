public import AppStore
internal import LedgerSchema

/// The trust that evidence needs in order to count. Each case demands more than the one before.
public enum MinimumTrust: Int64, Sendable, CaseIterable {
  /// All evidence counts, signed or not.
  case any = 0
  /// Only evidence that is signed counts: by Apple, or by a root certificate that was added.
  case signed = 1
  /// Only evidence that is signed by Apple counts.
  case apple = 2
}

/// The two instants of every query, with the trust that evidence needs in order to count: the columns of the view
/// `param_query`.
public struct QueryParameters: Sendable, Hashable {
  /// The instant that the answer is about (rules §1, T).
  public var asOf: Instant
  /// The limit of knowledge: only evidence that was recorded at or before this instant counts (rules §1, K).
  public var knownAt: Instant
  /// The trust that evidence needs in order to count.
  public var minimumTrust: MinimumTrust

  /// Creates the parameters for an instant, with the evidence that was recorded at or before another.
  public init(asOf: Instant, knownAt: Instant, minimumTrust: MinimumTrust = .any) {
    self.asOf = asOf
    self.knownAt = knownAt
    self.minimumTrust = minimumTrust
  }

  /// The parameters with the greatest instants. Everything that is known counts.
  package static let end = QueryParameters(
    asOf: Instant(milliseconds: Int64.max >> 1), knownAt: Instant(milliseconds: Int64.max >> 1))

  /// What its answers are derived from, where no stored one is right.
  package var basis: DerivedAnswers.Basis { minimumTrust == .any ? .versions : .payloads }
}
