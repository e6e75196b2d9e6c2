public import AppStore
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// What an audit checks, in its order: stable names.
public enum AuditCheck: String, Sendable, CaseIterable {
  /// Erasures since an anchor, and the anchor itself.
  case anchor
  /// SQLite's own check of the file.
  case structure
  /// References between rows.
  case references
  /// Tables, triggers, indexes and views.
  case schema
  /// Every row of the evidence against the seals, and the seals against each other.
  case seals
  /// Every stored text against its digest.
  case texts
  /// What is kept of each subscription against what the evidence derives.
  case projections
  /// What is kept for metrics against what the evidence derives.
  case metrics
  /// The derived states against the statuses that Apple stated (rules §8).
  case status
  /// Every stored signature.
  case signatures
}

/// What an audit looks at.
public struct AuditOptions: Sendable {
  /// How much.
  public var scope = AuditScope.file
  /// Whose signatures are believed.
  public var trust = TrustStore.apple
  /// The digest of a seal that was stored elsewhere: history up to it must be what it was. Every erasure since then is a
  /// finding, because only people know whether it was asked for.
  public var anchor: ContentDigest?
  /// The pseudonyms of erasures that somebody knows of.
  public var acknowledged: Set<String> = []
  /// The digest of a seal up to which an earlier audit proved everything: only what was recorded after it is checked.
  public var since: ContentDigest?
  /// The share of the rows to be checked, chosen at random; 1: all.
  public var sample = 1.0

  /// An audit of the whole file, without signatures.
  public init() {}
}

/// What an audit did, and what it found.
public struct AuditReport: Sendable {
  /// One check.
  public struct Check: Sendable {
    /// Which.
    public var check: AuditCheck
    /// How many it looked at.
    public var count: Int
    /// Of what: `rows`, `texts`, `subscriptions`, `tables` or `pages`.
    public var unit: String
    /// How long it took.
    public var duration: Duration
    /// How many findings it made.
    public var findingCount: Int
    /// Why it was left out, or done in part; `nil` where it looked at all that it was asked for.
    public var gap: String?
  }

  /// What was checked, in order.
  public var checks: [Check] = []
  /// All that is wrong; empty where nothing is.
  public var findings: [AuditFinding] = []
}

/// How far an audit is.
public struct AuditProgress: Sendable {
  /// The check at hand.
  public var check: AuditCheck
  /// The share of it that is done, from 0 to 1; `nil` where nobody can know: SQLite checks a file in one call.
  public var share: Double?
}
