public import AppStore
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// The checks of an audit, in order. Their names are stable.
public enum AuditCheck: String, Sendable, CaseIterable {
  /// The anchor, and the erasures after it.
  case anchor
  /// SQLite's own check of the file.
  case structure
  /// The references from rows to rows of other tables.
  case references
  /// Tables, triggers, indexes and views.
  case schema
  /// Every row of the evidence against the seals, and each seal against the one before.
  case seals
  /// Every stored text against its digest.
  case texts
  /// The projections of each subscription against what the evidence derives (law 5).
  case projections
  /// The stored metric deltas against what the evidence derives (law 5).
  case metrics
  /// The derived states against the statuses that Apple stated (rules §8).
  case status
  /// Every stored signature, verified again.
  case signatures
}

/// What an audit checks, and what it trusts.
public struct AuditOptions: Sendable {
  /// The parts of the ledger to check.
  public var scope = AuditScope.file
  /// The roots whose signatures are trusted.
  public var trust = TrustStore.apple
  /// The digest of a seal, stored outside of the file. The history up to that seal must be unchanged. Every erasure
  /// after it is a finding, because only people know whether it was requested.
  public var anchor: ContentDigest?
  /// The pseudonyms of erasures that somebody has acknowledged.
  public var acknowledged: Set<String> = []
  /// The digest of the last seal that an earlier audit checked. Only what was recorded after it is checked.
  public var since: ContentDigest?
  /// The share of the rows to check, chosen at random, from 0 to 1.
  public var sample = 1.0

  /// Creates the options for an audit of the whole file, without signatures.
  public init() {}
}

/// The checks of an audit, and their findings.
public struct AuditReport: Sendable {
  /// One check of an audit.
  public struct Check: Sendable {
    /// The name of the check.
    public var check: AuditCheck
    /// How many things it checked.
    public var count: Int
    /// The things that it counts: `rows`, `texts`, `subscriptions`, `statuses`, `seals`, `tables` or `pages`.
    public var unit: String
    /// How long the check took.
    public var duration: Duration
    /// How many findings it made.
    public var findingCount: Int
    /// What the check left out, in words; `nil` when it left out nothing.
    public var gap: String?
  }

  /// The checks, in order.
  public var checks: [Check] = []
  /// All findings; empty when nothing is wrong.
  public var findings: [AuditFinding] = []
}

/// The progress of an audit.
public struct AuditProgress: Sendable {
  /// The check that runs now.
  public var check: AuditCheck
  /// The share of the check that is done, from 0 to 1. It is `nil` when it cannot be known: SQLite checks a file in one
  /// call.
  public var share: Double?
}
