/// Adds signed (or once signed) objects to a draft: a transaction, a renewal info, an app transaction.
///
/// Whoever calls has settled why the object is believed; here it is only read.
struct SignedRows {
  var draft: EvidenceBuilder

  init(draft: EvidenceBuilder) { self.draft = draft }

  /// One object with its exact text, as it stands in the payload.
  struct Row {
    /// The decoded object.
    var object: JSONValue
    /// Its exact text.
    var text: SignedText
    /// The digest of that text as it arrived.
    var digest: ContentDigest
    /// Where it stood, in the draft's document; `nil` where it cannot be cut out.
    var range: Range<Int>?
    /// Its JSON path in the payload.
    var path: String

    func statement(_ columns: some StatedValues) -> ObjectText {
      ObjectText(text: text, digest: digest, columns: columns)
    }
  }

  /// Problems of an object inside a signed text get that text's path before their own.
  private func located(_ problems: [Problem], in row: Row) -> [Problem] {
    problems.map { problem in
      var problem = problem
      if row.path != "$" { problem.path = row.path + problem.path.dropFirst() }
      return problem
    }
  }

  /// The environment of a row: its own, else that of the payload around it. What that is not signed to say makes all of it
  /// unsigned.
  private mutating func environment(stated: String?) -> Environment {
    let own = Environment(apple: stated)
    guard own == .unknown, draft.environment != .unknown else { return draft.worldly(own) }
    if draft.trust == .unsigned { draft.believe(nil) }
    return draft.worldly(draft.environment)
  }

  private func problem(_ code: Problem.Code, in row: Row) -> Problem {
    Problem(code: code, path: row.path, value: row.object.source)
  }

  /// The version that was added, or `nil` and a problem.
  @discardableResult
  mutating func transaction(_ row: Row) -> TransactionVersion? {
    var reader = FieldReader(row.object)
    defer { draft.note(located(reader.problems, in: row)) }
    let id = reader.identifier("transactionId")
    if id == nil, reader.problems.isEmpty { draft.note([problem(.missingTransactionID, in: row)]) }
    let before = reader.problems.count
    let original = reader.identifier("originalTransactionId")
    let isUnreadable = reader.problems.count > before
    if id != nil, original == nil, !isUnreadable { draft.note([problem(.missingOriginalTransactionID, in: row)]) }
    let stated = reader.text("environment")
    var fields = TransactionFields(signed: &reader)
    fields.purchaseAt = fields.purchaseAt ?? fields.originalPurchaseAt
    if fields.purchaseAt == nil { draft.note([problem(.missingPurchaseDate, in: row)]) }
    guard let id, let line = original ?? (isUnreadable ? nil : id), fields.purchaseAt != nil else {
      draft.loseRow()
      return nil
    }
    if fields.bundleID == nil, draft.bundleID != nil, draft.trust == .unsigned { draft.believe(nil) }
    let version = TransactionVersion(
      statement: row.statement(TransactionValues(transactionID: id, originalTransactionID: line, fields: fields)),
      environment: environment(stated: stated), originalTransactionID: line, transactionID: id,
      signedAt: reader.instant("signedDate"), rank: .jws,
      fields: fields)
    draft.add(version, cutting: row.range)
    return version
  }

  /// The version that was added, or `nil` and a problem.
  @discardableResult
  mutating func renewal(_ row: Row) -> RenewalVersion? {
    // A genuine transaction in the place of renewal info would say that nothing is known of the renewal.
    if SignedPayload.kind(of: row.object) == .transaction {
      draft.note([problem(.unexpectedContent, in: row)])
      draft.loseRow()
      return nil
    }
    var reader = FieldReader(row.object)
    defer { draft.note(located(reader.problems, in: row)) }
    guard let line = reader.identifier("originalTransactionId") else {
      if reader.problems.isEmpty { draft.note([problem(.unattributedRenewal, in: row)]) }
      draft.loseRow()
      return nil
    }
    let stated = reader.text("environment")
    let signedAt = reader.instant("signedDate")
    let fields = RenewalFields(signed: &reader)
    let version = RenewalVersion(
      statement: row.statement(RenewalValues(originalTransactionID: line, fields: fields)),
      environment: environment(stated: stated), originalTransactionID: line, signedAt: signedAt, rank: .jws,
      fields: fields)
    draft.add(version, cutting: row.range)
    return version
  }

  /// Adds an app transaction.
  mutating func appTransaction(_ row: Row) {
    var reader = FieldReader(row.object)
    defer { draft.note(located(reader.problems, in: row)) }
    let environment = Environment(apple: reader.text("environment") ?? reader.text("receiptType"))
    let signedAt = reader.instant("signedDate") ?? reader.instant("receiptCreationDate")
    let fields = AppTransactionFields(signed: &reader)
    draft.add(
      AppTransactionVersion(
        statement: row.statement(fields),
        environment: draft.worldly(environment == .unknown ? draft.environment : environment), signedAt: signedAt,
        fields: fields),
      cutting: row.range)
  }
}
