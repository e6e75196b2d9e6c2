package import AppStore
internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// The secret of a session, which only the browser has.
package struct SessionSecret: Sendable {
  /// The secret as the browser sends it: 43 characters.
  package let text: String

  /// Reads a secret; `nil` for a text of another form.
  package init?(_ text: String) {
    guard text.utf8.count == 43, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    self.text = text
  }

  /// Makes a new secret.
  package init() { text = RandomSecret.text() }

  /// The SHA-256 of the secret, which the ledger stores. A slow hash is not needed for 256 random bits.
  package var digest: ContentDigest { ContentDigest(sha256: Array(text.utf8)) }

  /// The token of the session's forms. Another site cannot know it, and nobody can get the secret from it.
  package var formToken: String { ContentDigest(sha256: Array("form \(text)".utf8)).hexadecimal }

  /// Returns whether a text is ``formToken``, in constant time.
  package func isFormToken(_ text: String) -> Bool {
    ConstantTime.isEqual(formToken.utf8, text.utf8)
  }
}

/// A session of a user who is signed in.
package struct StaffSession: Sendable {
  /// The user, with the present role.
  package let user: StaffUser
  /// The present role of the user.
  package let role: StaffRole
  /// When the user signed in.
  package let beganAt: Instant
  /// The minute of its last use.
  package let lastUsedAt: Instant

  /// How long a session lasts without use, and altogether, in milliseconds: 30 minutes and 12 hours.
  package static let (idleTime, wholeTime) = (1_800_000 as Int64, 43_200_000 as Int64)
}

extension LedgerReader {
  /// Returns the session that a secret opens; `nil` when it has ended.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func session(_ secret: SessionSecret, at now: Instant) throws -> StaffSession? {
    try lookUp { database in
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT \(StaffUser.columns), o.began_at, o.last_used_at FROM \(StaffUser.rows)
            JOIN main.staff_session o ON o.staff_user_key = u.staff_user_key
            WHERE o.digest = ? AND o.began_at > ? AND o.last_used_at > ?
            """),
        arguments: [
          secret.digest.data, now.milliseconds - StaffSession.wholeTime, now.milliseconds - StaffSession.idleTime,
        ])
      guard let row else { return nil }
      let user = StaffUser(row)
      return user.role.map {
        StaffSession(
          user: user, role: $0, beganAt: Instant(milliseconds: row["began_at"]),
          lastUsedAt: Instant(milliseconds: row["last_used_at"]))
      }
    }
  }
}

extension EvidenceTransaction {
  /// Begins a session of a user, and removes the sessions that are over.
  package func beginSession(_ secret: SessionSecret, of user: StaffUser, at now: Instant) throws {
    try projections.execute(
      "DELETE FROM main.staff_session WHERE began_at <= ? OR last_used_at <= ?",
      [now.milliseconds - StaffSession.wholeTime, now.milliseconds - StaffSession.idleTime])
    try projections.insert(
      "staff_session",
      [
        "digest": secret.digest.data, "staff_user_key": user.key, "began_at": now.milliseconds,
        "last_used_at": now.milliseconds,
      ])
  }

  /// Notes that a session was used at an instant.
  package func noteUse(of secret: SessionSecret, at now: Instant) throws {
    try projections.execute(
      "UPDATE main.staff_session SET last_used_at = ?2 WHERE digest = ?1 AND last_used_at < ?2",
      [secret.digest.data, now.milliseconds])
  }

  /// Returns whether a user of the page has a name.
  package func isStaffUser(_ name: String) throws -> Bool {
    try !name.contains("\0") && has("SELECT 1 FROM staff_user WHERE name = ?", [name])
  }

  /// Ends the session of a secret.
  package func endSession(_ secret: SessionSecret) throws {
    try projections.execute("DELETE FROM main.staff_session WHERE digest = ?", [secret.digest.data])
  }
}
