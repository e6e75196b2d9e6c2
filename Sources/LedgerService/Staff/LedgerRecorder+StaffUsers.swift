public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerRecorder {
  /// Makes a user of the support page.
  /// - Parameters:
  ///   - name: the name with which the user signs in. It stays for good, because the access log has it.
  ///   - role: what the user may do.
  ///   - password: the user's first password.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Throws: `LedgerError`: `refused_text` when a text is blank or too long; `refused_entry` when there is such a user.
  public func createStaffUser(
    _ name: String, role: StaffRole, password: Password, _ staffAction: StaffAction
  ) throws {
    try staffAction.check()
    try CheckedText.text(name, "A user's name", limit: 64)
    let marks = Set<Unicode.Scalar>("._-@+".unicodeScalars)
    guard
      name.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || $0.properties.numericType != nil || marks.contains($0)
      })
    else {
      throw LedgerError(.refusedText, "A user's name has letters, digits and the characters . _ - @ + only.")
    }
    let hash = try PasswordHash(password).text
    try record { transaction in
      guard try !transaction.has("SELECT 1 FROM staff_user WHERE name = ?", [name]) else {
        throw LedgerError(
          .refusedEntry, "There is a user with this name.",
          "Give this user a role or a password, or write another name.")
      }
      let key = try transaction.insert(
        "staff_user",
        [
          "name": name, "reason": staffAction.reason, "author": staffAction.author,
          "entered_at": staffAction.enteredAt.milliseconds,
        ])
      try transaction.give(role, toUser: StaffUserKey(key), staffAction)
      try transaction.setPassword(hash, ofUser: StaffUserKey(key), at: staffAction.enteredAt)
    }
  }

  /// Gives a user another role, which ends the user's sessions.
  /// - Parameters:
  ///   - role: what the user may do from now on; `nil`: the user may not sign in any more.
  ///   - name: the name of the user.
  ///   - staffAction: the author, reason and instant of recording.
  /// - Throws: `LedgerError` with `refused_entry` when no user has this name, or the user has this role already.
  public func setRole(_ role: StaffRole?, ofStaffUser name: String, _ staffAction: StaffAction) throws {
    try staffAction.check()
    try record { transaction in
      let user = try transaction.staffUser(name)
      guard user.role != role else {
        throw LedgerError(
          .refusedEntry,
          role.map { "The user has the role \($0.rawValue) already." } ?? "The user may not sign in already.")
      }
      try transaction.give(role, toUser: user.key, staffAction)
      try transaction.endSessions(ofUser: user.key)
    }
  }

  /// Gives a user another password, which ends the user's sessions.
  /// - Throws: `LedgerError` with `refused_entry` when no user has this name.
  public func setPassword(_ password: Password, ofStaffUser name: String, at now: Instant) throws {
    let hash = try PasswordHash(password).text
    try record { transaction in
      let user = try transaction.staffUser(name)
      try transaction.setPassword(hash, ofUser: user.key, at: now)
      try transaction.endSessions(ofUser: user.key)
    }
  }

  /// Ends the sessions of a user, who may sign in again.
  /// - Returns: how many sessions were open.
  /// - Throws: `LedgerError` with `refused_entry` when no user has this name.
  @discardableResult public func endSessions(ofStaffUser name: String) throws -> Int {
    try record { transaction in
      let user = try transaction.staffUser(name)
      try transaction.endSessions(ofUser: user.key)
      return user.sessionCount
    }
  }
}

extension EvidenceTransaction {
  fileprivate func staffUser(_ name: String) throws -> StaffUser {
    let found = try row("SELECT \(StaffUser.columns) FROM \(StaffUser.rows) WHERE u.name = ?", [name])
    guard let found else {
      throw LedgerError(.refusedEntry, "No user has this name.", "List the users, and name one of them.")
    }
    return StaffUser(found)
  }

  fileprivate func give(_ role: StaffRole?, toUser key: StaffUserKey, _ staffAction: StaffAction) throws {
    try insert(
      "staff_user_role",
      [
        "staff_user_key": key, "role": role?.rawValue, "reason": staffAction.reason, "author": staffAction.author,
        "entered_at": staffAction.enteredAt.milliseconds,
      ])
  }

  fileprivate func setPassword(_ hash: String, ofUser key: StaffUserKey, at now: Instant) throws {
    try projections.execute(
      """
      INSERT INTO main.staff_user_password (staff_user_key, hash, entered_at) VALUES (?1, ?2, ?3)
      ON CONFLICT (staff_user_key) DO UPDATE SET hash = excluded.hash, entered_at = excluded.entered_at
      """, [key, hash, now.milliseconds])
  }

  fileprivate func endSessions(ofUser key: StaffUserKey) throws {
    try projections.execute("DELETE FROM main.staff_session WHERE staff_user_key = ?", [key])
  }
}
