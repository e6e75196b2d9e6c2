/// Adds objects that are signed, or that once were, to a draft: transactions, renewal infos and app transactions.
///
/// It only reads. The caller has decided before why the objects count as evidence.
struct SignedRows {
  var builder: EvidenceBuilder

  init(builder: EvidenceBuilder) { self.builder = builder }

  /// One object with its exact text and its position in the payload.
  struct Row {
    var object: JSONValue
    /// The exact text of the object.
    var text: SignedText
    /// The digest of that text as it arrived.
    var digest: ContentDigest
    /// The byte range of the text in the draft's document; `nil` if it cannot be cut out.
    var range: Range<Int>?
    /// The JSON path of the text in the payload.
    var path: String

    var objectText: ObjectText { ObjectText(text: text, digest: digest) }
  }

  /// Puts the path of a signed text in front of the paths of problems inside it.
  private func located(_ problems: [Problem], in row: Row) -> [Problem] {
    problems.map { problem in
      var problem = problem
      if row.path != "$" { problem.path = row.path + problem.path.dropFirst() }
      return problem
    }
  }

  /// Returns the environment of a row: its own, else that of the payload around it. If an unsigned payload supplies the
  /// environment, the evidence counts as unsigned.
  private mutating func environment(stated: String?) -> Environment {
    let own = Environment(apple: stated)
    guard own == .unknown, builder.environment != .unknown else { return builder.recordedEnvironment(own) }
    if builder.trust == .unsigned { builder.addSigningRoot(nil) }
    return builder.recordedEnvironment(builder.environment)
  }

  private func problem(_ code: Problem.Code, in row: Row) -> Problem {
    Problem(code: code, path: row.path, value: row.object.source)
  }

  /// Adds a transaction. Returns the version that was added; if there is none, notes a problem and returns `nil`.
  @discardableResult
  mutating func transaction(_ row: Row) -> TransactionVersion? {
    var reader = FieldReader(row.object)
    defer { builder.note(located(reader.problems, in: row)) }
    let id = reader.identifier("transactionId")
    if id == nil, reader.problems.isEmpty { builder.note([problem(.missingTransactionID, in: row)]) }
    let before = reader.problems.count
    let original = reader.identifier("originalTransactionId")
    let isUnreadable = reader.problems.count > before
    if id != nil, original == nil, !isUnreadable { builder.note([problem(.missingOriginalTransactionID, in: row)]) }
    let stated = reader.text("environment")
    var fields = TransactionFields(signed: &reader)
    fields.purchaseAt = fields.purchaseAt ?? fields.originalPurchaseAt
    if fields.purchaseAt == nil { builder.note([problem(.missingPurchaseDate, in: row)]) }
    guard let id, let originalID = original ?? (isUnreadable ? nil : id), fields.purchaseAt != nil else {
      builder.countUnusableRow()
      return nil
    }
    if fields.bundleID == nil, builder.bundleID != nil, builder.trust == .unsigned { builder.addSigningRoot(nil) }
    let version = TransactionVersion(
      object: row.objectText,
      environment: environment(stated: stated), originalTransactionID: originalID, transactionID: id,
      signedAt: reader.instant("signedDate"), rank: .jws,
      fields: fields)
    builder.add(version, cutting: row.range)
    return version
  }

  /// Adds a renewal info. Returns the version that was added; if there is none, notes a problem and returns `nil`.
  @discardableResult
  mutating func renewal(_ row: Row) -> RenewalVersion? {
    // A genuine transaction in place of the renewal info would hide what is known about the renewal.
    if SignedPayload.kind(of: row.object) == .transaction {
      builder.note([problem(.unexpectedContent, in: row)])
      builder.countUnusableRow()
      return nil
    }
    var reader = FieldReader(row.object)
    defer { builder.note(located(reader.problems, in: row)) }
    guard let originalID = reader.identifier("originalTransactionId") else {
      if reader.problems.isEmpty { builder.note([problem(.unattributedRenewal, in: row)]) }
      builder.countUnusableRow()
      return nil
    }
    let stated = reader.text("environment")
    let signedAt = reader.instant("signedDate")
    let fields = RenewalFields(signed: &reader)
    let version = RenewalVersion(
      object: row.objectText,
      environment: environment(stated: stated), originalTransactionID: originalID, signedAt: signedAt, rank: .jws,
      fields: fields)
    builder.add(version, cutting: row.range)
    return version
  }

  mutating func appTransaction(_ row: Row) {
    var reader = FieldReader(row.object)
    defer { builder.note(located(reader.problems, in: row)) }
    let environment = Environment(apple: reader.text("environment") ?? reader.text("receiptType"))
    let signedAt = reader.instant("signedDate") ?? reader.instant("receiptCreationDate")
    let fields = AppTransactionFields(signed: &reader)
    builder.add(
      AppTransactionVersion(
        object: row.objectText,
        environment: builder.recordedEnvironment(environment == .unknown ? builder.environment : environment),
        signedAt: signedAt,
        fields: fields),
      cutting: row.range)
  }
}
