public import AppStore

/// A version with the payload that states it: the evidence behind an answer.
public struct CitedVersion: Sendable {
  /// The objects that a version can state.
  public enum Role: String, Sendable {
    /// A transaction: a purchase or a renewal.
    case transaction
    /// A renewal info: what comes next.
    case renewal
  }

  /// What the version describes.
  public var role: Role
  /// Whether this version decided.
  public var isDecisive: Bool
  /// When Apple stated it (rules §1).
  public var evidenceAt: Instant
  /// Whether Apple stated no date for it. Apple then stated it at ``evidenceAt`` or later (rules §1).
  public var isInferred: Bool
  /// Whether the payload contradicts itself. It may be forged or edited.
  public var isContradictory: Bool
  /// When the ledger learned of it.
  public var recordedAt: Instant
  /// The SHA-256 digest of the payload.
  public var payload: ContentDigest
  /// The kind of payload.
  public var kind: PayloadKind
  /// The trust in the payload.
  public var trust: Trust
  /// The name of the added root that its signature leads to; `nil` for Apple's root or without a signature.
  public var addedRoot: String?
  /// The source of the delivery: a path, or the name that the importer gave; empty when it is not known.
  public var origin: String
  /// The number of the line in that file; `nil` when it is not known.
  public var sourceLine: Int?
  /// The text of the object, exactly as Apple sent it.
  public var source: String
  /// Whether an erasure rewrote the text. It then differs from Apple's text, and its signature cannot be verified
  /// again.
  public var isErased: Bool
}
