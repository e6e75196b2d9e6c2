public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

/// A purge of the quarantine, as the ledger recorded it.
public struct QuarantinePurge: Sendable, Equatable {
  /// The name of the purge: `purge-` and random letters. An audit against an older seal wants it acknowledged, as it does
  /// the pseudonym of an erasure.
  public var name: String
  /// How many payloads were removed.
  public var payloadCount: Int
  /// How many bytes they had.
  public var byteCount: Int
  /// Whether the file beside the ledger with the ending `-wal` has none of them; see ``Erasure/isLogEmpty``.
  public var isLogEmpty = true

  /// Which payloads are removed from the quarantine. One that a retry has recorded stays.
  public enum Selection: Sendable {
    /// Those with these numbers.
    case ids(Set<Int64>)
    /// All that were received before an instant.
    case receivedBefore(Instant)
  }

  static let prefix = "purge-"

  /// Returns what an entry of `erasure` did: a purge, or the erasure of a person.
  package static func text(for name: String) -> String {
    name.hasPrefix(prefix) ? "removed payloads from the quarantine" : "erased a customer"
  }
}

extension LedgerRecorder {
  /// Removes the texts of payloads from the quarantine, in one transaction. Their digests and reasons stay in the file,
  /// with who removed them and why. The same text is not stored again.
  /// - Parameters:
  ///   - selection: which payloads.
  ///   - staffAction: the author, the reason and the instant.
  /// - Returns: the purge.
  /// - Throws: `LedgerError` with `refusedEntry` when one of the numbers is not in quarantine or when nothing is there to
  ///   remove, `refusedText` when an argument is not a valid text, or `cannotWrite`.
  public func purgeQuarantine(_ selection: QuarantinePurge.Selection, _ staffAction: StaffAction) throws
    -> QuarantinePurge
  {
    try staffAction.check()
    var (purge, isLogEmpty) = try writeErasure { transaction in
      let rows = try Self.rows(selection, transaction.database)
      let name = Erasure.newPseudonym(QuarantinePurge.prefix)
      let erasure = try transaction.insert(
        "erasure",
        [
          "pseudonym": name, "reason": staffAction.reason, "author": staffAction.author,
          "entered_at": staffAction.enteredAt.milliseconds,
        ])
      try transaction.beginErasure(erasure: erasure)
      try transaction.database.disablingAppendOnlyTriggers {
        for row in rows {
          try transaction.database.execute(
            sql: "DELETE FROM quarantine_bytes WHERE quarantine_id = ?", arguments: [row["quarantine_id"] as Int64])
          try transaction.insert(
            "erased_text", ["kind": "quarantine", "digest": row["digest"] as Data, "erasure_id": erasure])
        }
      }
      let bytes = rows.reduce(0) { $0 + ($1["byte_count"] as Int) }
      return QuarantinePurge(name: name, payloadCount: rows.count, byteCount: bytes)
    }
    purge.isLogEmpty = isLogEmpty
    return purge
  }

  private static func rows(_ selection: QuarantinePurge.Selection, _ database: Database) throws -> [Row] {
    let condition =
      switch selection {
      case .ids(let ids): "q.quarantine_id IN (\(ids.map(String.init).joined(separator: ", ")))"
      case .receivedBefore(let instant): "q.received_at < \(instant.milliseconds)"
      }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT q.quarantine_id, q.digest, q.byte_count FROM quarantine q
        WHERE \(condition) AND \(QuarantinedPayload.isWaiting) ORDER BY q.quarantine_id
        """)
    if case .ids(let ids) = selection, rows.count < ids.count {
      let unknown = ids.subtracting(rows.map { $0["quarantine_id"] }).sorted().map(String.init)
      throw LedgerError(
        .refusedEntry, "Not in quarantine: \(unknown.joined(separator: ", ")). Nothing was removed.",
        "List the quarantine, and name numbers of the list.")
    }
    guard !rows.isEmpty else {
      throw LedgerError(.refusedEntry, "Nothing in quarantine was received before this instant.")
    }
    return rows
  }
}
