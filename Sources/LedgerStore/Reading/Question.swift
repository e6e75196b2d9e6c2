public import AppStore
internal import LedgerSchema

/// How much evidence must be trusted to count: each case asks for more than the one before.
public enum LeastTrust: Int64, Sendable, CaseIterable {
  /// All evidence counts.
  case any = 0
  /// Only what is signed, by Apple or by a root that was added.
  case signed = 1
  /// Only what is signed by Apple.
  case apple = 2
}

/// The two instants of every question: what was true then, as far as was known then; and what evidence counts.
public struct Question: Sendable, Hashable {
  /// The instant asked about (rules §1, T).
  public var asOf: Instant
  /// Only what was recorded by then counts (rules §1, K).
  public var knownAt: Instant
  /// Only evidence that is trusted so much counts.
  public var leastTrust: LeastTrust

  /// What is true at an instant, with all that is known by another.
  public init(asOf: Instant, knownAt: Instant, leastTrust: LeastTrust = .any) {
    self.asOf = asOf
    self.knownAt = knownAt
    self.leastTrust = leastTrust
  }
}
