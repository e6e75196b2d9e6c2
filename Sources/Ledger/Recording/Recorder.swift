internal import AppStore
internal import GRDB

extension Ledger {
  /// Records a batch as one transaction: durable when this returns, and nothing of it where it throws.
  ///
  /// The order of arrivals, and how they are split into batches, changes no answer (law 2).
  /// - Parameters:
  ///   - arrivals: what arrived.
  ///   - keepsReceiptData: whether the texts of `latest_receipt` are kept, once by digest, or left out.
  /// - Throws: ``LedgerError``.
  @discardableResult
  public func record(_ arrivals: [Arrival], keepingReceiptData keepsReceiptData: Bool = false) throws -> ImportSummary {
    try recordTelling(arrivals, keepingReceiptData: keepsReceiptData).summary
  }

  /// The same, and which arrivals went into quarantine that were not there before.
  func recordTelling(
    _ arrivals: [Arrival], keepingReceiptData keepsReceiptData: Bool
  ) throws -> (summary: ImportSummary, refused: [Arrival]) {
    try writing { database in
      var recorder = Recorder(database: database)
      recorder.keepsReceiptData = keepsReceiptData
      for arrival in arrivals { try recorder.record(arrival) }
      try recorder.projections.settle()
      return (recorder.summary, recorder.newRefusals)
    }
  }

  /// Runs something that writes, as one transaction.
  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    guard let writer else {
      throw LedgerError(.cannotWrite, "\(path) was opened for asking only.", "Open it for recording.")
    }
    do {
      return try writer.writeWithoutTransaction { database in
        var result: Value?
        // Taken at once, so that no reader's lock can turn up in the middle.
        try database.inTransaction(.immediate) {
          result = try body(database)
          return .commit
        }
        guard let result else { throw LedgerError(.cannotWrite, "\(path) took nothing.", "") }
        return result
      }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: true)
    }
  }
}

/// Writes evidence, inside its caller's transaction.
struct Recorder {
  let database: Database
  var summary = ImportSummary()
  var projections: ProjectionKeeper
  var keepsReceiptData = false
  var countsKnownRefusals = false
  private(set) var newRefusals: [Arrival] = []
  private var origins: [String: Int64] = [:]
  private var headers: [[UInt8]: Int64] = [:]

  init(database: Database) {
    self.database = database
    projections = ProjectionKeeper(database: database)
  }

  mutating func record(_ arrival: Arrival) throws {
    summary.payloads += 1
    switch arrival.outcome {
    case .refused(let refusal, let raw):
      let isNew = try quarantine(refusal, raw: raw, arrival: arrival)
      if isNew { newRefusals.append(arrival) }
      // What is in quarantine already is known, and once is enough; a retry wants to hear of it again.
      if isNew || countsKnownRefusals { summary.quarantined += 1 } else { summary.duplicates += 1 }
    case .evidence(let evidence):
      if let known = try database.id("SELECT payload_id FROM payload WHERE digest = ?", [evidence.digest.data]) {
        summary.duplicates += 1
        try deliverAgain(known, arrival)
        try insertOrder(arrival.orderID, known)
      } else {
        summary.recorded += 1
        summary.problems += evidence.problems.count
        try insert(evidence, arrival)
      }
    }
  }

  // MARK: - Small steps

  mutating func originID(_ name: String) throws -> Int64 {
    if let known = origins[name] { return known }
    let found =
      try database.id("SELECT origin_id FROM origin WHERE name = ?", [name]) ?? database.insert("origin", [nil, name])
    origins[name] = found
    return found
  }

  private mutating func headerID(_ header: [UInt8]?) throws -> Int64? {
    guard let header else { return nil }
    if let known = headers[header] { return known }
    let digest = Digest(sha256: header).data
    let found =
      try database.id("SELECT header_id FROM jws_header WHERE digest = ?", [digest])
      ?? database.insert("jws_header", [nil, digest, String(decoding: header, as: UTF8.self)])
    headers[header] = found
    return found
  }

  private func lineID(_ environment: Environment, _ original: String) throws -> Int64 {
    try database.id(
      "SELECT line_id FROM line WHERE original_transaction_id = ? AND environment = ?", [original, environment.name])
      ?? database.insert("line", [nil, environment.name, original])
  }

  private func transactionKey(_ line: Int64, _ transaction: String) throws -> Int64 {
    try database.id(
      "SELECT transaction_key FROM store_transaction WHERE transaction_id = ? AND line_id = ?", [transaction, line])
      ?? database.insert("store_transaction", [nil, line, transaction])
  }

  /// The statement's id, and whether it is new, so that its typed columns must be written too.
  private mutating func statementID(_ statement: AppStore.Statement) throws -> (id: Int64, isNew: Bool) {
    let digest = statement.digest.data
    if let known = try database.id("SELECT statement_id FROM statement WHERE digest = ?", [digest]) {
      return (known, false)
    }
    let header = try headerID(statement.text.header)
    let id = try database.insert(
      "statement", [nil, digest, statement.text.source.text, header, statement.text.signature?.data])
    return (id, true)
  }

  private func hasTypedColumns(_ table: StaticString, _ statement: Int64) throws -> Bool {
    try database.id("SELECT 1 FROM \(table) WHERE statement_id = ?", [statement]) != nil
  }

  // MARK: - Payloads

  private mutating func insert(_ evidence: Evidence, _ arrival: Arrival) throws {
    let payload = try database.insert(
      "payload",
      [
        nil, evidence.digest.data, evidence.kind.rawValue, evidence.trust.rawValue, evidence.environment.name,
        evidence.bundleID, evidence.appAppleID, evidence.statedAt?.milliseconds, evidence.inferredAt?.milliseconds,
        evidence.receiptStatus, evidence.failure?.rawValue, evidence.text.source.text,
        try headerID(evidence.text.header), evidence.text.signature?.data,
      ])
    try deliver(payload, arrival)
    let recordedAt = arrival.receivedAt.milliseconds
    let evidenceAt =
      evidence.statedAt?.milliseconds ?? (arrival.isTold ? recordedAt : nil) ?? evidence.inferredAt?.milliseconds ?? 0
    for version in evidence.transactions { try insert(version, payload, evidenceAt, recordedAt) }
    for version in evidence.renewals { try insert(version, payload, evidenceAt, recordedAt) }
    for version in evidence.appTransactions { try insert(version, payload) }
    for claim in evidence.claims {
      let line = try lineID(claim.environment, claim.originalTransactionID)
      try database.insert(
        "status_claim",
        [nil, payload, line, claim.status, claim.signedAt?.milliseconds, claim.purchaseAt?.milliseconds])
      try projections.note(line: line, evidenceAt: claim.signedAt?.milliseconds ?? evidenceAt, recordedAt: recordedAt)
    }
    if let notification = evidence.notification { try insert(notification, payload, evidence) }
    for (ordinal, problem) in evidence.problems.enumerated() {
      try database.insert("problem", [payload, ordinal, problem.code.rawValue, problem.path, problem.value])
    }
    for data in evidence.receiptData where keepsReceiptData {
      guard try database.id("SELECT 1 FROM receipt_data WHERE digest = ?", [data.digest.data]) == nil else { continue }
      try database.insert("receipt_data", [data.digest.data, data.text.text])
    }
    if let event = evidence.clientEvent { try insert(event, payload) }
    try insertOrder(arrival.orderID ?? evidence.orderID, payload)
    for part in evidence.nested {
      // A nested payload was recorded just before, or was known.
      guard let nested = try database.id("SELECT payload_id FROM payload WHERE digest = ?", [part.digest.data]) else {
        continue
      }
      try database.insert("payload_part", [payload, part.position, nested])
    }
    try insert(evidence.sendAttempts, payload)
  }

  private mutating func deliver(_ payload: Int64, _ arrival: Arrival) throws {
    try database.insert(
      "delivery",
      [payload, arrival.receivedAt.milliseconds, arrival.isTold, try originID(arrival.origin), arrival.line])
  }

  /// A known payload came again. Only a received instant that was told, or one before all others, is worth a row; and
  /// where it changes when the payload was said or learned, the lines in it are derived anew.
  private mutating func deliverAgain(_ payload: Int64, _ arrival: Arrival) throws {
    let received = arrival.receivedAt.milliseconds
    let before = try instants(payload)
    guard arrival.isTold || received < before.recordedAt else { return }
    guard
      try database.id(
        "SELECT 1 FROM delivery WHERE payload_id = ? AND received_at = ? AND is_told = ?",
        [payload, received, arrival.isTold]) == nil
    else { return }
    try deliver(payload, arrival)
    guard try instants(payload) != before else { return }
    let lines = try Int64.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT line_id FROM transaction_version WHERE payload_id = ?1
          UNION SELECT line_id FROM renewal_version WHERE payload_id = ?1
          UNION SELECT line_id FROM status_claim WHERE payload_id = ?1
          """), arguments: [payload])
    projections.forget(lines)
  }

  private struct Instants: Equatable {
    var recordedAt: Int64
    var evidenceAt: Int64
  }

  private func instants(_ payload: Int64) throws -> Instants {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT recorded_at, evidence_at FROM payload_instant WHERE payload_id = ?"),
      arguments: [payload])
    return Instants(recordedAt: row?["recorded_at"] ?? 0, evidenceAt: row?["evidence_at"] ?? 0)
  }

  // MARK: - Versions

  private mutating func insert(
    _ version: TransactionVersion, _ payload: Int64, _ payloadEvidenceAt: Int64, _ recordedAt: Int64
  ) throws {
    let line = try lineID(version.environment, version.originalTransactionID)
    let key = try transactionKey(line, version.transactionID)
    let statement = try statementID(version.statement)
    if try statement.isNew || !hasTypedColumns("transaction_statement", statement.id) {
      try database.insert("transaction_statement", [statement.id] + version.fields.columns)
    }
    let id = try database.insert(
      "transaction_version",
      [
        nil, payload, line, key, statement.id, version.rank.rawValue, version.signedAt?.milliseconds,
        version.statement.position,
      ])
    try identify(line, by: version.fields, isNew: statement.isNew)
    let evidenceAt = version.signedAt?.milliseconds ?? payloadEvidenceAt
    try projections.note(line: line, evidenceAt: evidenceAt, recordedAt: recordedAt)
    try projections.note(
      transaction: key, of: line, version: id, evidenceAt: evidenceAt, rank: version.rank, fields: version.fields)
  }

  private mutating func insert(
    _ version: RenewalVersion, _ payload: Int64, _ payloadEvidenceAt: Int64, _ recordedAt: Int64
  ) throws {
    let line = try lineID(version.environment, version.originalTransactionID)
    let statement = try statementID(version.statement)
    if try statement.isNew || !hasTypedColumns("renewal_statement", statement.id) {
      try database.insert("renewal_statement", [statement.id] + version.fields.columns)
    }
    let id = try database.insert(
      "renewal_version",
      [
        nil, payload, line, statement.id, version.rank.rawValue, version.signedAt?.milliseconds,
        version.statement.position,
      ])
    try identify(line, by: version.fields, isNew: statement.isNew)
    let evidenceAt = version.signedAt?.milliseconds ?? payloadEvidenceAt
    try projections.note(line: line, evidenceAt: evidenceAt, recordedAt: recordedAt)
    try projections.note(renewal: id, of: line, evidenceAt: evidenceAt)
  }

  private mutating func insert(_ version: AppTransactionVersion, _ payload: Int64) throws {
    let statement = try statementID(version.statement)
    if try statement.isNew || !hasTypedColumns("app_transaction_statement", statement.id) {
      try database.insert("app_transaction_statement", [statement.id] + version.fields.columns)
    }
    try database.insert(
      "app_transaction_version",
      [
        nil, payload, version.environment.name, statement.id, version.signedAt?.milliseconds,
        version.statement.position,
      ])
  }

  private func insert(_ fields: NotificationFields, _ payload: Int64, _ evidence: Evidence) throws {
    // The line where its rows stand: their environment is the signed one.
    let line = try fields.originalTransactionID.map { original in
      let environment =
        evidence.transactions.first { $0.originalTransactionID == original }?.environment
        ?? evidence.renewals.first { $0.originalTransactionID == original }?.environment ?? evidence.environment
      return try lineID(environment, original)
    }
    try database.insert(
      "notification",
      [
        payload, fields.type, fields.subtype, fields.uuid, fields.version, line, fields.consumptionRequestReason,
        fields.bundleVersion, fields.externalPurchaseID, fields.externalPurchaseTokenType,
        fields.externalPurchaseTokenCreatedAt?.milliseconds, fields.externalPurchaseTokenExpiresAt?.milliseconds,
        fields.requestIdentifier, fields.summaryProductID, fields.succeededCount, fields.failedCount,
      ])
  }
}
