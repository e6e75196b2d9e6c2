public import AppStore
internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// A token with which a program asks the server. Its secret is not part of this value, because the ledger stores only
/// the secret's digest.
public struct APIToken: Sendable, Equatable {
  /// What a token may do.
  public enum Scope: String, Sendable, CaseIterable {
    /// Read the access log, erase people, and read the server's status and metrics.
    case admin
    /// Ask for access, and read the change feed.
    case ask
    /// Record receipts, transactions and client events, and link customers.
    case ingest
    /// Read the server's status and metrics.
    case metrics
    /// Read about people, and enter links, notes and grants.
    case support
  }

  /// The public part, eight letters and digits. Logs and lists name it.
  public var id: String
  /// The name that its maker gave it.
  public var name: String
  /// What it may do.
  public var scopes: Set<Scope>
  /// How many requests a second it may make; `nil` for the server's default.
  public var requestsPerSecond: Int?
  /// When it ends; `nil` when it does not end by itself.
  public var expiresAt: Instant?
  /// Why it was made.
  public var reason: String
  /// The person or program that made it.
  public var author: String
  /// When it was made.
  public var enteredAt: Instant
  /// When it was revoked; `nil` when it was not.
  public var revokedAt: Instant?
  /// The hour of its last use; `nil` when nobody used it.
  public var lastUsedAt: Instant?
  package let key: TokenKey

  /// Whether it may be used at an instant.
  public func isValid(at instant: Instant) -> Bool {
    revokedAt == nil && (expiresAt.map { instant < $0 } ?? true)
  }

  static let columns = """
    t.token_key, t.token_id, t.name, t.scopes, t.requests_per_second, t.expires_at, t.reason, t.author, t.entered_at,
    (SELECT r.entered_at FROM main.api_token_revocation r WHERE r.token_key = t.token_key) AS revoked_at,
    (SELECT u.last_used_at FROM main.api_token_use u WHERE u.token_key = t.token_key) AS last_used_at
    """

  init(_ row: Row) {
    (key, id, name) = (row["token_key"], row["token_id"], row["name"])
    let names = (row["scopes"] as String).split(separator: " ").map(String.init)
    // A scope of a newer version permits nothing here.
    scopes = Set(names.compactMap(Scope.init))
    requestsPerSecond = row["requests_per_second"]
    expiresAt = row.instant("expires_at")
    (reason, author) = (row["reason"], row["author"])
    enteredAt = Instant(milliseconds: row["entered_at"])
    (revokedAt, lastUsedAt) = (row.instant("revoked_at"), row.instant("last_used_at"))
  }
}

/// The whole text of a token: `sl_`, the public id, `_` and the secret. Only its bearer has it.
public struct TokenText: Sendable {
  /// The public id, eight letters and digits.
  public let id: String
  /// The secret: 32 random bytes in Base64 for URLs.
  let secret: String

  /// The text, as a program sends it after `Bearer`.
  public var text: String { "sl_\(id)_\(secret)" }

  /// The SHA-256 of the secret. A slow hash is not needed, because nobody can guess 256 random bits.
  var digest: ContentDigest { ContentDigest(sha256: Array(secret.utf8)) }

  /// Reads a token. Returns `nil` for a text of another form.
  public init?(_ text: String) {
    guard text.hasPrefix("sl_"), text.utf8.count == 3 + 8 + 1 + 43 else { return nil }
    let rest = text.dropFirst(3)
    guard rest.dropFirst(8).first == "_" else { return nil }
    (id, secret) = (String(rest.prefix(8)), String(rest.dropFirst(9)))
  }

  /// Makes a new secret for a public id.
  init(id: String) { (self.id, secret) = (id, RandomSecret.text()) }

  /// Makes a token with a new id.
  init() {
    var random = SystemRandomNumberGenerator()
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    self.init(id: String((0..<8).compactMap { _ in letters.randomElement(using: &random) }))
  }
}
