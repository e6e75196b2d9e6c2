internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

extension CheckedCopy {
  /// Ends what a server promised after the backup was made: it revokes all tokens, because some of them may have been
  /// revoked since, and begins another run of the change feed, because its numbers come again.
  /// - Parameter now: the instant of the restoration.
  /// - Returns: the number of tokens that were revoked.
  /// - Throws: `LedgerError` when the copy cannot be written.
  func resetServerState(at now: Instant) throws -> Int {
    guard try hasServerState() else { return 0 }
    let ledger = try LedgerRecorder(path: path)
    let count = try ledger.record { transaction in
      try transaction.projections.execute(
        "UPDATE main.change_feed_position SET epoch = lower(hex(randomblob(4)))")
      let keys = try transaction.numbers(
        """
        SELECT token_key FROM main.api_token WHERE token_key NOT IN (SELECT token_key FROM main.api_token_revocation)
        ORDER BY token_key
        """, [])
      for key in keys {
        try transaction.insert(
          "api_token_revocation",
          [
            "token_key": key, "reason": "A backup was restored.", "author": "restore",
            "entered_at": now.milliseconds,
          ])
      }
      return keys.count
    }
    ledger.close()
    try makePlain()
    return count
  }

  /// Returns whether a server has ever used the file.
  private func hasServerState() throws -> Bool {
    let file = try LedgerFile.openForCopying(path: path)
    defer { try? file.close() }
    return try file.read { database in
      try database.hasTable("api_token")
        && database.has(
          """
          SELECT 1 FROM main.change_feed_position UNION ALL
          SELECT 1 FROM main.api_token WHERE token_key NOT IN (SELECT token_key FROM main.api_token_revocation)
          """, [])
    }
  }
}
