public import AppStore
internal import Foundation
internal import GRDB

/// Something that an audit found.
public struct AuditFinding: Sendable, Equatable {
  /// The kinds of finding: stable names.
  public enum Code: String, Sendable {
    /// SQLite's own check of the file's structure.
    case integrity
    /// A row refers to one that is not there.
    case foreignKey = "foreign_key"
    /// A table, trigger, index or view is not as this program makes it.
    case schema
    /// A row of the evidence is not as it was recorded.
    case changedRow = "changed_row"
    /// A row of the evidence is no longer there.
    case removedRow = "removed_row"
    /// A row of the evidence was not recorded by the ledger.
    case insertedRow = "inserted_row"
    /// The chain of seals is broken, or is not that of an anchor.
    case seal
    /// An erasure was made since an anchor, and nobody has acknowledged it.
    case erasure
    /// A projection is not what the general text derives (law 5).
    case projection
    /// A stored text does not give back its digest (law 6).
    case digest
    /// A stored signature is not believed.
    case signature
    /// The derived state differs from Apple's status (law 7, rules §8).
    case disagreement
  }

  /// Whether evidence is not what it was when it was recorded.
  public var isTampering: Bool {
    switch code {
    case .integrity, .schema, .changedRow, .removedRow, .insertedRow, .seal, .digest: true
    case .foreignKey, .erasure, .projection, .signature, .disagreement: false
    }
  }

  /// What kind.
  public var code: Code
  /// Where: a table, a digest, a line.
  public var place: String
  /// What, in words.
  public var detail: String
}

extension Ledger {
  /// How much an audit looks at.
  public struct AuditScope: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int
    /// A scope from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// SQLite's checks, foreign keys, the schema, the seals, projections, digests of texts, disagreements with Apple's
    /// status.
    public static let file = AuditScope(rawValue: 1)
    /// Every stored signature, verified again, and the columns that were read from what it signs.
    public static let signatures = AuditScope(rawValue: 2)
  }

  /// Checks the soundness of the file and of what is derived from it.
  /// - Parameters:
  ///   - scope: how much.
  ///   - trust: whose signatures are believed.
  ///   - anchor: the digest of a seal that was stored elsewhere: history up to it must be what it was. Every erasure since
  ///     then is a finding, because only people know whether it was asked for.
  ///   - acknowledged: the pseudonyms of erasures that somebody knows of.
  /// - Returns: all that is wrong; empty where nothing is.
  /// - Throws: ``LedgerError`` where the file cannot be read at all.
  public func audit(
    _ scope: AuditScope = .file, trust: TrustStore = .apple, against anchor: Digest? = nil,
    acknowledging acknowledged: Set<String> = []
  ) async throws -> [AuditFinding] {
    var findings: [AuditFinding] = []
    if let digest = anchor {
      if let anchor = try self.anchor(with: digest) {
        findings += try erasureFindings(since: anchor, acknowledged)
      } else {
        findings.append(
          AuditFinding(
            code: .seal, place: digest.hexadecimal,
            detail: "no seal has this digest: it is another ledger's, or history was cut off or rebuilt"))
      }
    }
    if scope.contains(.file) {
      findings += try reading(queue) { try Self.structureFindings($0, path: path) }
      if let broken = findings.first(where: { $0.code == .integrity }) {
        // What its pages say can be anything.
        let words = "nothing else can be checked before the file is whole: subledger restore puts a backup in its place"
        return findings + [AuditFinding(code: .integrity, place: broken.place, detail: words)]
      }
      let schema = try reading(queue) { try SchemaAudit($0).findings() }
      findings += schema
      for (name, look) in [
        ("seals", chainFindings), ("projections", projectionFindings), ("postings", postingFindings),
        ("digests", { try self.reading(self.queue) { try self.digestFindings($0) } }),
        ("Apple's status", disagreements),
      ] as [(String, () throws -> [AuditFinding])] {
        do {
          findings += try look()
        } catch let error as LedgerError where !schema.isEmpty {
          // What lacks a table, or has another's view, cannot be asked about it; and that was told.
          findings.append(AuditFinding(code: .schema, place: name, detail: "cannot be checked: \(error.message)"))
        }
      }
    }
    if scope.contains(.signatures) { findings += try await signatureFindings(trust) }
    return findings
  }

  static func structureFindings(_ database: Database, path: String) throws -> [AuditFinding] {
    var findings: [AuditFinding] = []
    for line in try String.fetchAll(database, sql: "PRAGMA main.integrity_check") where line != "ok" {
      findings.append(AuditFinding(code: .integrity, place: path, detail: line))
    }
    for row in try Row.fetchAll(database, sql: "PRAGMA main.foreign_key_check") {
      let table: String = row["table"]
      findings.append(
        AuditFinding(
          code: .foreignKey, place: table, detail: "a row refers to a \(row["parent"] as String) that is not there"))
    }
    return findings
  }

  /// Derives everything again with empty projections on a connection of its own, and compares.
  private func projectionFindings() throws -> [AuditFinding] {
    do {
      let truth = try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: true))
      return try truth.writeWithoutTransaction { database in
        Self.stopTracking(database)
        for table in ["projection_original_transaction", "projection_transaction", "projection_renewal_info"] {
          try database.execute(sql: "CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table) WHERE 0")
        }
        var laid = try AskingConnection.prepare(database, .all)
        try Schema.lay(
          [
            "rule_input", "int_transaction_version_interval", "int_known_renewal_info_version",
            "int_projected_identifier",
          ], on: database, laid: &laid)
        try database.execute(sql: "INSERT INTO temp.param_query VALUES (?1, ?1, 0)", arguments: [Int64.max >> 1])
        // Derived once, and compared from tables: a view inside a comparison would be derived for every row.
        try database.execute(
          sql: """
            CREATE TEMP TABLE derived_fact AS SELECT * FROM temp.rule_input;
            CREATE INDEX temp.derived_fact_line ON derived_fact (original_transaction_key);
            CREATE TEMP TABLE derived_renewal AS SELECT original_transaction_key, evidence_at, version_id, recorded_at
              FROM temp.int_known_renewal_info_version;
            CREATE INDEX temp.derived_renewal_line ON derived_renewal (original_transaction_key, evidence_at);
            CREATE TEMP TABLE derived_identifier AS \(Self.derivedIdentifiers);
            """)
        var findings: [AuditFinding] = []
        for check in Self.projectionChecks {
          for (left, right, words) in [
            (check.kept, check.derived, "keeps what is not derived"),
            (check.derived, check.kept, "lacks what is derived"),
          ] {
            let rows = try Row.fetchAll(database, sql: "\(left) EXCEPT \(right) LIMIT 10")
            for row in rows {
              let line: Int64 = row["original_transaction_key"]
              findings.append(
                AuditFinding(
                  code: .projection, place: check.table, detail: "\(words), of original_transaction_key \(line)"))
            }
          }
        }
        return findings
      }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
  }

  private static let projectionChecks: [(table: String, kept: String, derived: String)] = [
    (
      "projection_transaction", "SELECT * FROM main.projection_transaction",
      """
      SELECT original_transaction_key, transaction_key, known_from, known_until, version_id, evidence_at, source_rank,
        purchase_at, expires_at, revoked_at, is_upgraded FROM temp.int_transaction_version_interval
      """
    ),
    (
      "projection_renewal_info", "SELECT * FROM main.projection_renewal_info",
      "SELECT original_transaction_key, evidence_at, version_id, recorded_at FROM temp.derived_renewal"
    ),
    (
      "projection_original_transaction",
      """
      SELECT original_transaction_key, evidence_at, deciding_version_id, transaction_key, deciding_evidence_at, product_id, purchase_at,
        expires_at, revoked_at, is_upgraded, renewal_info_version_id, grace_period_expires_at, is_in_billing_retry_period,
        expiration_intent, auto_renew_status, auto_renew_product_id, renewal_signed_at FROM main.projection_original_transaction
      """,
      """
      SELECT e.original_transaction_key, e.evidence_at, f.version_id, f.transaction_key, f.deciding_evidence_at, f.product_id, f.purchase_at,
        f.expires_at, f.revoked_at, f.is_upgraded, f.latest_renewal_info_version_id, f.grace_period_expires_at,
        f.is_in_billing_retry_period, f.expiration_intent, f.auto_renew_status, f.auto_renew_product_id,
        f.renewal_signed_at
      FROM temp.int_last_evidence_derived e LEFT JOIN temp.derived_fact f USING (original_transaction_key)
      """
    ),
    (
      "projection_original_transaction",
      "SELECT original_transaction_key, last_recorded_at, is_contradicted, least_trust, renewal_evidence_at FROM main.projection_original_transaction",
      """
      SELECT original_transaction_key, MAX(recorded_at), MAX(is_contradictory), MIN(trust_level),
        (SELECT MAX(evidence_at) FROM temp.derived_renewal r WHERE r.original_transaction_key = said.original_transaction_key)
      FROM (
        SELECT original_transaction_key, payload_id FROM main.transaction_version
        UNION ALL SELECT original_transaction_key, payload_id FROM main.renewal_info_version
        UNION ALL SELECT original_transaction_key, payload_id FROM main.status_claim
      ) said JOIN temp.stg_payload USING (payload_id) GROUP BY original_transaction_key
      """
    ),
    (
      "original_transaction_identifier",
      "SELECT identifier, kind, original_transaction_key FROM main.original_transaction_identifier",
      "SELECT identifier, kind, original_transaction_key FROM temp.derived_identifier"
    ),
  ]

  /// What `original_transaction_identifier` must hold. (The name is not qualified: where the views are laid over the
  /// file's, the program's own text answers.)
  static let derivedIdentifiers = "SELECT identifier, kind, original_transaction_key FROM int_projected_identifier"

  private func digestFindings(_ database: Database) throws -> [AuditFinding] {
    var findings: [AuditFinding] = []
    let payloads = try Row.fetchCursor(
      database, sql: "SELECT payload_id, digest FROM main.payload p WHERE NOT \(Self.isErased("payload", "p.digest"))")
    while let row = try payloads.next() {
      let digest = Digest(bytes: [UInt8](row["digest"] as Data))
      if Digest(sha256: try SourceText.arrival(database, payload: row["payload_id"])) != digest {
        findings.append(
          AuditFinding(code: .digest, place: "payload \(digest.hexadecimal)", detail: "its text gives another digest"))
      }
    }
    for kind in PayloadLayout.Kind.objects {
      let table = kind.table
      let objects = try Row.fetchCursor(
        database,
        sql: "SELECT \(table)_id AS id, digest FROM main.\(table) w WHERE NOT \(Self.isErased(table, "w.digest"))")
      while let row = try objects.next() {
        let digest = Digest(bytes: [UInt8](row["digest"] as Data))
        if Digest(sha256: try SourceText.object(database, kind, row["id"]).compact) != digest {
          findings.append(
            AuditFinding(
              code: .digest, place: "\(table) \(digest.hexadecimal)", detail: "its text gives another digest"))
        }
      }
    }
    return findings
  }

  /// Verifies each payload that is marked verified, and each signed statement in an answer that is itself unsigned.
  private func signatureFindings(_ trust: TrustStore) async throws -> [AuditFinding] {
    let decoder = PayloadDecoder(trust: trust)
    let typed = try TypedAudit()
    var findings: [AuditFinding] = []
    var last = LastTexts()
    while true {
      // A few at a time: verifying must not hold the file, nor memory grow with it.
      let texts = try reading(queue) { try signedTexts($0, after: &last) }
      if texts.isEmpty { return findings }
      var said: [Evidence] = []
      for (digest, text) in texts {
        for outcome in await decoder.decode(text).outcomes {
          switch outcome {
          case .evidence(let evidence): said.append(evidence)
          case .refused(let refusal, _):
            findings.append(AuditFinding(code: .signature, place: digest.hexadecimal, detail: refusal.detail))
          case .known: break
          }
        }
      }
      findings += try reading(queue) { try typed.findings(of: said, in: $0) }
    }
  }

  /// How far the signed texts of a file were read, by their tables.
  private struct LastTexts {
    var payload: Int64 = 0
    var objects: [PayloadLayout.Kind: Int64] = [:]
  }

  /// The next signed texts, each with the digest that it had when it was recorded.
  private func signedTexts(_ database: Database, after last: inout LastTexts) throws -> [(Digest, [UInt8])] {
    func digest(_ row: Row) -> Digest { Digest(bytes: [UInt8](row["digest"] as Data)) }
    let payloads = try Row.fetchAll(
      database,
      sql: """
        SELECT payload_id, digest FROM main.payload p WHERE payload_id > ? AND trust = 'verified'
          AND NOT \(Self.isErased("payload", "p.digest"))
        ORDER BY 1 LIMIT 200
        """,
      arguments: [last.payload])
    if let end = payloads.last {
      last.payload = end["payload_id"]
      return try payloads.map { (digest($0), try SourceText.arrival(database, payload: $0["payload_id"])) }
    }
    for kind in PayloadLayout.Kind.objects {
      let table = kind.table
      let objects = try Row.fetchAll(
        database,
        sql: """
          SELECT w.\(table)_id AS id, w.digest FROM main.\(table) w
          WHERE w.\(table)_id > ? AND w.header_id IS NOT NULL AND NOT \(Self.isErased(table, "w.digest"))
          AND w.\(table)_id IN (
            SELECT v.\(table)_id FROM main.\(kind.versionTable) v
            JOIN main.payload p USING (payload_id) WHERE p.trust = 'unsigned')
          ORDER BY 1 LIMIT 200
          """, arguments: [last.objects[kind] ?? 0])
      if let end = objects.last {
        last.objects[kind] = end["id"]
        return try objects.map { (digest($0), try SourceText.object(database, kind, $0["id"]).compact) }
      }
    }
    return []
  }

  /// Where the derived state differs from Apple's status, with both sides (rules §8): the view `rule_disagreement`.
  /// - Throws: ``LedgerError``.
  public func disagreements() throws -> [AuditFinding] {
    try reading(queue, "rule_disagreement") { database in
      let end = Instant(milliseconds: Int64.max >> 1)
      try askAboutAll(database, Question(asOf: end, knownAt: end))
      return try Row.fetchAll(
        database,
        sql: """
          SELECT DISTINCT environment, original_transaction_id, compared_at, state, rule, status
          FROM temp.rule_disagreement
          ORDER BY environment, original_transaction_id, compared_at, status
          """
      ).map { row in
        let instant = Instant(milliseconds: row["compared_at"])
        let states = ["1": "active", "2": "expired", "3": "billing_retry", "4": "grace_period", "5": "revoked"]
        let status: Int64 = row["status"]
        let claimed = states[String(status)].map { "\(status) (\($0))" } ?? String(status)
        return AuditFinding(
          code: .disagreement, place: "\(row["environment"] as String) \(row["original_transaction_id"] as String)",
          detail:
            "at \(instant) Apple says \(claimed), the rules say \(row["state"] as String) by \(row["rule"] as String)")
      }
    }
  }
}
