internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import TextTemplates

/// Records Apple's objects with their typed columns. Each text is stored once within its transaction.
extension Recorder {
  /// A transaction from a payload, with its rows in the ledger.
  struct RecordedTransaction {
    var originalKey: OriginalTransactionKey
    var key: TransactionKey
    /// Whether the ledger did not have the transaction before.
    var isFirst: Bool
    var info: RecordedObject<LedgerTable.TransactionInfo>
  }

  /// A renewal info from a payload, with its rows in the ledger.
  struct RecordedRenewal {
    var originalKey: OriginalTransactionKey
    var info: RecordedObject<LedgerTable.RenewalInfo>
  }

  /// The row of one of Apple's objects, and whether it is new.
  struct RecordedObject<Table> {
    var id: RowNumber<Table>
    var isNew: Bool
  }

  /// The objects and nested payloads of one payload, with their positions in its text.
  struct PayloadParts {
    var parts: [PayloadLayout.Part] = []
    var payloads: [PayloadID] = []
    /// The transaction infos so far, because a receipt contains most of them twice.
    fileprivate var transactions: [Identity: TransactionInfoID] = [:]

    fileprivate mutating func append(_ kind: PayloadLayout.Kind, _ id: RowNumber<some Any>, _ object: ObjectText) {
      guard let position = object.position else { return }
      parts.append(PayloadLayout.Part(kind: kind, id: id.rawValue, position: position))
    }
  }

  /// The identity of a transaction info within a payload.
  fileprivate struct Identity: Hashable {
    var key: TransactionKey
    var digest: ContentDigest
  }

  mutating func transaction(
    _ version: TransactionVersion, _ text: TextTemplate.Parts?, _ payloadParts: inout PayloadParts
  ) throws -> RecordedTransaction {
    let originalKey = try originalTransactionKey(version.environment, version.originalTransactionID)
    let key = try transactionKey(originalKey, version.transactionID)
    let digest = version.object.digest
    let recorded: RecordedTransaction
    if let key, let known = payloadParts.transactions[Identity(key: key, digest: digest)] {
      recorded = RecordedTransaction(
        originalKey: originalKey, key: key, isFirst: false, info: RecordedObject(id: known, isNew: false))
    } else if let key,
      let known: TransactionInfoID = try statements(.findTransactionInfo).bind(version.transactionID).bind(originalKey)
        .bind(digest).rowNumber()
    {
      recorded = RecordedTransaction(
        originalKey: originalKey, key: key, isFirst: false, info: RecordedObject(id: known, isNew: false))
    } else {
      let id = try nextTransactionInfoID()
      let statement = try statements(.insertTransactionInfo)
      statement.column("transaction_info_id").bind(id)
      statement.column("original_transaction_key").bind(originalKey)
      statement.column("transaction_id").bind(version.transactionID)
      statement.column("transaction_key").bind(key ?? TransactionKey(first: id))
      version.fields.bind(to: statement)
      let _: TransactionInfoID = try insert(version.object, text, with: statement)
      if let seats = version.fields.seats { try insert(seats, id, of: originalKey) }
      if key == nil, newOriginalTransactions.contains(originalKey) {
        newOriginalTransactions.note(version.transactionID, of: originalKey, key: TransactionKey(first: id))
      }
      recorded = RecordedTransaction(
        originalKey: originalKey, key: key ?? TransactionKey(first: id), isFirst: key == nil,
        info: RecordedObject(id: id, isNew: true))
    }
    payloadParts.transactions[Identity(key: recorded.key, digest: digest)] = recorded.info.id
    payloadParts.append(.transactionInfo, recorded.info.id, version.object)
    return recorded
  }

  mutating func renewal(
    _ version: RenewalVersion, _ text: TextTemplate.Parts?, _ payloadParts: inout PayloadParts
  ) throws -> RecordedRenewal {
    let originalKey = try originalTransactionKey(version.environment, version.originalTransactionID)
    let info: RecordedObject<LedgerTable.RenewalInfo>
    let known: RenewalInfoID? = try statements(.findRenewalInfo).bind(originalKey).bind(version.object.digest)
      .rowNumber()
    if let known {
      info = RecordedObject(id: known, isNew: false)
    } else {
      let statement = try statements(.insertRenewalInfo).column("renewal_info_id").bind(nil as Int64?)
        .column("original_transaction_key").bind(originalKey)
      version.fields.bind(to: statement)
      info = RecordedObject(id: try insert(version.object, text, with: statement), isNew: true)
      if let seats = version.fields.seats { try insert(seats, info.id) }
    }
    payloadParts.append(.renewalInfo, info.id, version.object)
    return RecordedRenewal(originalKey: originalKey, info: info)
  }

  mutating func appTransaction(
    _ version: AppTransactionVersion, _ text: TextTemplate.Parts?, _ payloadParts: inout PayloadParts
  ) throws -> AppTransactionInfoID {
    let id: AppTransactionInfoID
    if let known: AppTransactionInfoID = try statements(.findAppTransactionInfo).bind(version.object.digest).rowNumber()
    {
      id = known
    } else {
      let statement = try statements(.insertAppTransactionInfo).column("app_transaction_info_id").bind(nil as Int64?)
      version.fields.bind(to: statement)
      id = try insert(version.object, text, with: statement)
    }
    payloadParts.append(.appTransactionInfo, id, version.object)
    return id
  }

  /// Binds the last columns of an object's table, its text and its salt, and inserts the row.
  private mutating func insert<Table>(
    _ object: ObjectText, _ parts: TextTemplate.Parts?, with statement: BoundStatement
  ) throws -> RowNumber<Table> {
    let (header, template) = (try headerID(object.text.header), try templateID(parts))
    statement.column("digest").bind(object.digest)
    statement.column("header_id").bind(header)
    statement.column("signature").bind(object.text.signature)
    statement.column("template_id").bind(template)
    statement.column("source").bind(text: parts?.values ?? object.text.source)
    return try statement.column("salt").bind(RowSalt.next()).insert()
  }

  // MARK: - Seats

  private func insert(_ seats: TransactionSeatFields, _ info: TransactionInfoID, of originalKey: OriginalTransactionKey)
    throws
  {
    try transaction.insert(
      "transaction_seat_info",
      [
        "transaction_info_id": info, "original_transaction_key": originalKey,
        "additional_transaction_reason": seats.additionalTransactionReason,
        "invitation_management": seats.invitationManagement, "revoked_seat_quantity": seats.revokedSeatQuantity,
      ])
    try insert(seats.priceTiers, into: "transaction_price_tier", of: "transaction_info_id", info)
  }

  private func insert(_ seats: RenewalSeatFields, _ info: RenewalInfoID) throws {
    try transaction.insert(
      "renewal_seat_info", ["renewal_info_id": info, "renewal_quantity": seats.renewalQuantity])
    try insert(seats.renewalPriceTiers, into: "renewal_price_tier", of: "renewal_info_id", info)
  }

  private func insert(
    _ tiers: [PriceTier], into table: StaticString, of column: StaticString, _ info: RowNumber<some Any>
  ) throws {
    for (ordinal, tier) in tiers.enumerated() {
      try transaction.insert(
        table,
        [
          column: info, "ordinal": ordinal, "price_milliunits": tier.price.rawValue, "quantity": tier.quantity,
        ])
    }
  }
}
