public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerRecorder {
  /// Makes a token with a first secret.
  /// - Parameters:
  ///   - name: a name for people, such as the program that will use it.
  ///   - scopes: what the token may do; at least one.
  ///   - requestsPerSecond: how many requests a second it may make; `nil` for the server's default.
  ///   - expiresAt: when it ends; `nil` for no end.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Returns: the whole text of the token. The ledger stores only the digest of its secret, so nobody can read it
  ///   again.
  /// - Throws: `LedgerError`: `refused_text` when a text is blank or too long; `refused_entry` when the token would
  ///   have no scope, or would have ended already.
  public func createToken(
    _ name: String, scopes: Set<APIToken.Scope>, requestsPerSecond: Int? = nil, expiresAt: Instant? = nil,
    _ staffAction: StaffAction
  ) throws -> TokenText {
    try staffAction.check()
    try CheckedText.text(name, "A token's name")
    guard !scopes.isEmpty else {
      throw LedgerError(.refusedEntry, "A token without a scope may do nothing.", "Name at least one scope.")
    }
    if let expiresAt, expiresAt <= staffAction.enteredAt {
      throw LedgerError(.refusedEntry, "The token would end before it begins.", "Choose a later end.")
    }
    if let requestsPerSecond, !(1...1_000_000).contains(requestsPerSecond) {
      throw LedgerError(.refusedEntry, "A token may make between 1 and 1,000,000 requests a second.")
    }
    return try record { transaction in
      var token = TokenText()
      while try transaction.has("SELECT 1 FROM api_token WHERE token_id = ?", [token.id]) { token = TokenText() }
      let key = try transaction.insert(
        "api_token",
        [
          "token_id": token.id, "name": name, "scopes": scopes.map(\.rawValue).sorted().joined(separator: " "),
          "requests_per_second": requestsPerSecond, "expires_at": expiresAt?.milliseconds, "reason": staffAction.reason,
          "author": staffAction.author, "entered_at": staffAction.enteredAt.milliseconds,
        ])
      try transaction.insert(
        "api_token_secret",
        [
          "token_key": key, "digest": token.digest.data, "author": staffAction.author,
          "entered_at": staffAction.enteredAt.milliseconds,
        ])
      return token
    }
  }

  /// Makes a new secret for a token. The former secrets stay valid until an instant, so that programs can change over.
  /// - Parameters:
  ///   - id: the public id of the token.
  ///   - end: when the former secrets end.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Returns: the new whole text of the token.
  /// - Throws: `LedgerError` with `refused_entry` when no valid token has this id.
  public func rotateToken(_ id: String, formerUntil end: Instant, _ staffAction: StaffAction) throws -> TokenText {
    try staffAction.check()
    return try record { transaction in
      let token = try transaction.validToken(id, at: staffAction.enteredAt)
      let text = TokenText(id: id)
      try transaction.insert(
        "api_token_secret",
        [
          "token_key": token.key, "digest": text.digest.data, "earlier_end_at": end.milliseconds,
          "author": staffAction.author, "entered_at": staffAction.enteredAt.milliseconds,
        ])
      return text
    }
  }

  /// Revokes a token. It ends at once.
  /// - Parameters:
  ///   - id: the public id of the token.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Throws: `LedgerError` with `refused_entry` when no valid token has this id.
  public func revokeToken(_ id: String, _ staffAction: StaffAction) throws {
    try staffAction.check()
    try record { transaction in
      let token = try transaction.validToken(id, at: staffAction.enteredAt)
      try transaction.insert(
        "api_token_revocation",
        [
          "token_key": token.key, "reason": staffAction.reason, "author": staffAction.author,
          "entered_at": staffAction.enteredAt.milliseconds,
        ])
    }
  }
}

extension LedgerReader {
  /// Returns all tokens, the newest last. Their secrets are not stored.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func tokens() throws -> [APIToken] {
    try lookUp { database in
      try Row.fetchAll(database, sql: "SELECT \(APIToken.columns) FROM main.api_token t ORDER BY t.token_key")
        .map(APIToken.init)
    }
  }

  /// Returns the token that a text is, when its secret is right and has not ended. The token itself may have ended.
  ///
  /// The comparison takes the same time for an unknown id as for a wrong secret, so an attacker learns nothing from it.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func token(_ text: TokenText, at instant: Instant) throws -> APIToken? {
    try lookUp { database in
      let row = try Row.fetchOne(
        database.cachedStatement(sql: "SELECT \(APIToken.columns) FROM main.api_token t WHERE t.token_id = ?"),
        arguments: [text.id])
      let key: TokenKey? = row?["token_key"]
      let secrets = try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT s.digest, (
              SELECT MIN(l.earlier_end_at) FROM main.api_token_secret l
              WHERE l.token_key = s.token_key AND l.secret_id > s.secret_id) AS ends_at
            FROM main.api_token_secret s WHERE s.token_key = ?
            """), arguments: [key])
      let given = text.digest
      // A secret that nothing matches, so that an unknown id is compared too.
      var digests = [(bytes: ContentDigest(sha256: []).bytes, isValid: false)]
      for secret in secrets {
        let end: Int64? = secret["ends_at"]
        digests.append((Array(secret["digest"] as Data), end.map { instant.milliseconds < $0 } ?? true))
      }
      let matches = digests.map { candidate in
        ConstantTime.isEqual(candidate.bytes, given.bytes) && candidate.isValid
      }
      return matches.contains(true) ? row.map(APIToken.init) : nil
    }
  }

  /// Returns the number of the last transaction that recorded something. It grows with each of them.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func sequence() throws -> Int64 {
    try lookUp { try $0.id("SELECT MAX(seal_id) FROM main.seal", []) ?? 0 }
  }
}

extension EvidenceTransaction {
  fileprivate func validToken(_ id: String, at instant: Instant) throws -> APIToken {
    let found = try row("SELECT \(APIToken.columns) FROM api_token t WHERE t.token_id = ?", [id]).map(APIToken.init)
    guard let found else {
      throw LedgerError(.refusedEntry, "No token has this id.", "List the tokens, and name one of them.")
    }
    guard found.isValid(at: instant) else {
      throw LedgerError(.refusedEntry, "The token \(found.id) has ended already.", "Make a new one.")
    }
    return found
  }

  /// Notes the hour in which tokens were used.
  /// - Parameter uses: the hour of the last use of each token.
  package func noteUse(_ uses: [TokenKey: Instant]) throws {
    for (key, hour) in uses.sorted(by: { $0.key < $1.key }) {
      try projections.execute(
        """
        INSERT INTO main.api_token_use (token_key, last_used_at) VALUES (?1, ?2)
        ON CONFLICT (token_key) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)
        """, [key, hour.milliseconds])
    }
  }
}
