internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Records Apple's objects with their typed columns. Each text is stored once within its transaction.
extension Recorder {
  /// A transaction from a payload, with its rows in the ledger.
  struct RecordedTransaction {
    var line: Int64
    var key: Int64
    /// Whether the ledger did not have the transaction before.
    var isFirst: Bool
    var info: RecordedObject
  }

  /// A renewal info from a payload, with its rows in the ledger.
  struct RecordedRenewal {
    var line: Int64
    var info: RecordedObject
  }

  /// The row of one of Apple's objects, and whether it is new.
  struct RecordedObject {
    var id: Int64
    var isNew: Bool
  }

  /// The objects and nested payloads of one payload, with their positions in its text.
  struct PlacedParts {
    var parts: [PayloadLayout.Part] = []
    var payloads: [Int64] = []
    /// The transaction infos so far, because a receipt contains most of them twice.
    fileprivate var transactions: [Identity: Int64] = [:]

    fileprivate mutating func place(_ kind: PayloadLayout.Kind, _ id: Int64, _ statement: ObjectText) {
      guard let position = statement.position else { return }
      parts.append(PayloadLayout.Part(kind: kind, id: id, position: position))
    }
  }

  /// The identity of a transaction info within a payload.
  fileprivate struct Identity: Hashable {
    var key: Int64
    var digest: ContentDigest
  }

  mutating func transaction(_ version: TransactionVersion, _ placed: inout PlacedParts) throws -> RecordedTransaction {
    let line = try originalTransactionKey(version.environment, version.originalTransactionID)
    let key = try transactionKey(line, version.transactionID)
    let digest = version.statement.digest
    let recorded: RecordedTransaction
    if let key, let known = placed.transactions[Identity(key: key, digest: digest)] {
      recorded = RecordedTransaction(
        line: line, key: key, isFirst: false, info: RecordedObject(id: known, isNew: false))
    } else if let key,
      let known = try steps(.findTransactionInfo).bind(version.transactionID).bind(line).bind(digest).number()
    {
      recorded = RecordedTransaction(
        line: line, key: key, isFirst: false, info: RecordedObject(id: known, isNew: false))
    } else {
      let id = try nextTransactionInfoID()
      let step = try steps(.insertTransactionInfo)
      step.column("transaction_info_id").bind(id)
      step.column("original_transaction_key").bind(line)
      step.column("transaction_id").bind(version.transactionID)
      step.column("transaction_key").bind(key ?? id)
      version.fields.bind(to: step)
      _ = try insert(version.statement, with: step)
      if let seats = version.fields.seats { try insert(seats, id, of: line) }
      if key == nil, newOriginalTransactions.contains(line) {
        newOriginalTransactions.note(version.transactionID, of: line, key: id)
      }
      recorded = RecordedTransaction(
        line: line, key: key ?? id, isFirst: key == nil, info: RecordedObject(id: id, isNew: true))
    }
    placed.transactions[Identity(key: recorded.key, digest: digest)] = recorded.info.id
    placed.place(.transactionInfo, recorded.info.id, version.statement)
    return recorded
  }

  mutating func renewal(_ version: RenewalVersion, _ placed: inout PlacedParts) throws -> RecordedRenewal {
    let line = try originalTransactionKey(version.environment, version.originalTransactionID)
    let info: RecordedObject
    if let known = try steps(.findRenewalInfo).bind(line).bind(version.statement.digest).number() {
      info = RecordedObject(id: known, isNew: false)
    } else {
      let step = try steps(.insertRenewalInfo).column("renewal_info_id").bind(nil as Int64?)
        .column("original_transaction_key").bind(line)
      version.fields.bind(to: step)
      info = RecordedObject(id: try insert(version.statement, with: step), isNew: true)
      if let seats = version.fields.seats { try insert(seats, info.id) }
    }
    placed.place(.renewalInfo, info.id, version.statement)
    return RecordedRenewal(line: line, info: info)
  }

  mutating func appTransaction(_ version: AppTransactionVersion, _ placed: inout PlacedParts) throws -> Int64 {
    let id: Int64
    if let known = try steps(.findAppTransactionInfo).bind(version.statement.digest).number() {
      id = known
    } else {
      let step = try steps(.insertAppTransactionInfo).column("app_transaction_info_id").bind(nil as Int64?)
      version.fields.bind(to: step)
      id = try insert(version.statement, with: step)
    }
    placed.place(.appTransactionInfo, id, version.statement)
    return id
  }

  /// Binds the last columns of an object's table, its text and its salt, and inserts the row.
  private mutating func insert(_ statement: ObjectText, with step: Step) throws -> Int64 {
    let (header, form) = (try headerID(statement.text.header), try formID(statement.parts))
    step.column("digest").bind(statement.digest)
    step.column("header_id").bind(header)
    step.column("signature").bind(statement.text.signature)
    step.column("form_id").bind(form)
    step.column("source").bind(text: statement.parts?.values ?? statement.text.source)
    return try step.column("salt").bind(RowSalt.next()).insert()
  }

  // MARK: - Seats

  private func insert(_ seats: TransactionSeatFields, _ info: Int64, of originalKey: Int64) throws {
    try transaction.insert(
      "transaction_seat_info",
      [
        "transaction_info_id": info, "original_transaction_key": originalKey,
        "additional_transaction_reason": seats.additionalTransactionReason,
        "invitation_management": seats.invitationManagement, "revoked_seat_quantity": seats.revokedSeatQuantity,
      ])
    try insert(seats.priceTiers, into: "transaction_price_tier", of: "transaction_info_id", info)
  }

  private func insert(_ seats: RenewalSeatFields, _ info: Int64) throws {
    try transaction.insert(
      "renewal_seat_info", ["renewal_info_id": info, "renewal_quantity": seats.renewalQuantity])
    try insert(seats.renewalPriceTiers, into: "renewal_price_tier", of: "renewal_info_id", info)
  }

  private func insert(
    _ tiers: [PriceTier], into table: StaticString, of column: StaticString, _ info: Int64
  ) throws {
    for (ordinal, tier) in tiers.enumerated() {
      try transaction.insert(
        table,
        [
          column: info, "ordinal": ordinal, "price_milliunits": tier.priceMilliunits, "quantity": tier.quantity,
        ])
    }
  }
}
