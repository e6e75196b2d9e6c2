internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Compares typed columns with the signed texts that they were read from. Somebody who rebuilds the seals still cannot
/// sign.
///
/// The texts are recorded again, into a ledger in memory, and the rows of both are compared.
struct TypedAudit {
  private let witness: DatabaseQueue

  /// Selects the trust in each payload, and the root that it rests on.
  private static let beliefs = """
    SELECT p.digest, p.trust, r.digest AS root, r.is_apple FROM main.payload p
    LEFT JOIN main.root_certificate r USING (root_id)
    """

  /// A table of Apple's objects, and the ids that its rows belong to.
  private struct ObjectTable {
    let table: String
    let ids: [String]
    var rest: [String] = []
    let joins: String
  }

  /// Is 1 when the key of the transaction is that of a text about the same transaction.
  private static let isOfTransaction = """
    EXISTS (
      SELECT 1 FROM main.transaction_info k WHERE k.transaction_info_id = t.transaction_key
        AND k.transaction_key = t.transaction_key AND k.transaction_id = t.transaction_id
        AND k.original_transaction_key = t.original_transaction_key
    ) AS is_of_transaction
    """

  /// SQL that lists the price tiers of an object as one text.
  private static func priceTiers(of object: String) -> String {
    """
    (
      SELECT group_concat(ordinal || ': ' || price_milliunits || ' x ' || quantity)
      FROM (
        SELECT * FROM main.\(object)_price_tier p WHERE p.\(object)_info_id = t.\(object)_info_id ORDER BY ordinal
      )
    ) AS price_tiers
    """
  }

  private static let objectTables = [
    ObjectTable(
      table: "transaction_info", ids: ["t.transaction_id", "original_transaction_id"],
      rest: [
        isOfTransaction, "additional_transaction_reason", "invitation_management", "revoked_seat_quantity",
        "COALESCE(s.original_transaction_key = t.original_transaction_key, 1) AS is_of_original",
        priceTiers(of: "transaction"),
      ],
      joins: """
        JOIN main.original_transaction USING (original_transaction_key)
        LEFT JOIN main.transaction_seat_info s USING (transaction_info_id)
        """),
    ObjectTable(
      table: "renewal_info", ids: ["original_transaction_id"], rest: ["renewal_quantity", priceTiers(of: "renewal")],
      joins: """
        JOIN main.original_transaction USING (original_transaction_key)
        LEFT JOIN main.renewal_seat_info USING (renewal_info_id)
        """),
    ObjectTable(table: "app_transaction_info", ids: [], joins: ""),
  ]

  /// Columns whose values are numbers of one file, or that are compared in another way.
  private static let localColumns: Set = [
    "transaction_info_id", "renewal_info_id", "app_transaction_info_id", "transaction_key", "original_transaction_key",
    "header_id", "template_id", "source", "salt",
  ]

  init() throws {
    witness = try DatabaseQueue()
    try witness.write { _ = try Schema.migrate($0) }
  }

  /// Returns a finding for each row whose columns differ from its signed text.
  func findings(of evidence: [Evidence], in file: Database) throws -> [AuditFinding] {
    try witness.writeWithoutTransaction { witness in
      var findings: [AuditFinding] = []
      try witness.inTransaction {
        try EvidenceTransaction.recordUnsealed(
          evidence.map { one in
            let receivedAt = one.statedAt ?? Instant(milliseconds: 0)
            return Arrival(outcome: .evidence(one), receivedAt: receivedAt, isExplicit: true, origin: "")
          }, in: witness)
        findings = try Self.objectTables.flatMap { try Self.differences($0, witness, file) }
        findings += try Self.beliefFindings(witness, file)
        // The ledger in memory is empty again for the next batch.
        return .rollback
      }
      return findings
    }
  }

  private static func differences(_ objectTable: ObjectTable, _ witness: Database, _ file: Database) throws
    -> [AuditFinding]
  {
    let select =
      "SELECT \((objectTable.ids + objectTable.rest + ["t.*"]).joined(separator: ", ")) FROM main.\(objectTable.table) t \(objectTable.joins)"
    let condition = (objectTable.ids.map { "\($0) = ?" } + ["t.digest = ?"]).joined(separator: " AND ")
    return try Row.fetchAll(witness, sql: select).flatMap { stated -> [AuditFinding] in
      let digest: Data = stated["digest"]
      let isErased = try Bool.fetchOne(
        file, sql: "SELECT \(SourceText.isErased(objectTable.table, "?1"))", arguments: [digest])
      if isErased == true { return [] }
      let arguments = StatementArguments(
        stated.databaseValues.prefix(objectTable.ids.count) + [digest.databaseValue])
      let stored = try Row.fetchAll(file, sql: "\(select) WHERE \(condition)", arguments: arguments)
      if stored.isEmpty {
        return [
          AuditFinding(
            code: .changedRow, location: "\(objectTable.table) \(ContentDigest(bytes: [UInt8](digest)).hexadecimal)",
            detail: "no row has it under the ids that its signed text states")
        ]
      }
      return stored.filter { values($0) != values(stated) }.map { row in
        AuditFinding(
          code: .changedRow,
          location: "\(objectTable.table) \(objectTable.table)_id = \(row["\(objectTable.table)_id"] as Int64)",
          detail: "its columns differ from its signed text")
      }
    }
  }

  /// Returns a finding for each payload that names another root than its signature leads to. Files from before roots
  /// were recorded name none, and are skipped.
  private static func beliefFindings(_ witness: Database, _ file: Database) throws -> [AuditFinding] {
    try Row.fetchAll(witness, sql: beliefs).compactMap { stated in
      let digest: Data = stated["digest"]
      let stored = try Row.fetchOne(file, sql: "\(beliefs) WHERE p.digest = ?", arguments: [digest])
      guard let stored, !(stored["root"] as DatabaseValue).isNull, stored != stated else { return nil }
      return AuditFinding(
        code: .changedRow, location: "payload \(ContentDigest(bytes: [UInt8](digest)).hexadecimal)",
        detail: "its trust or its root is not what its signature leads to")
    }
  }

  private static func values(_ row: Row) -> [DatabaseValue] {
    zip(row.columnNames, row.databaseValues).filter { !localColumns.contains($0.0) }.map(\.1)
  }
}
