internal import AppStore
internal import GRDB

/// Records Apple's objects: each text once, with its typed columns.
extension Recorder {
  /// One of Apple's objects on record, and whether it is new.
  struct RecordedObject {
    var id: Int64
    var isNew: Bool
  }

  /// What one payload is made of, beside its own text.
  struct PlacedParts {
    var parts: [PayloadLayout.Part] = []
    var payloads: [Int64] = []
    /// The objects so far: a receipt states most transactions twice.
    var objects: [Digest: RecordedObject] = [:]
  }

  /// Finds or inserts an object, and notes where it stood.
  /// - Parameters:
  ///   - isTyped: whether its typed columns are on record.
  ///   - insertTyped: inserts them.
  private mutating func object(
    _ statement: AppStore.Statement, _ placed: inout PlacedParts, isTyped: (Int64) throws -> Bool,
    insertTyped: (Int64) throws -> Void
  ) throws -> RecordedObject {
    let object: RecordedObject
    if let known = placed.objects[statement.digest] {
      object = known
    } else if let known = try steps(.findStatement).bind(statement.digest).number() {
      object = RecordedObject(id: known, isNew: false)
      if try !isTyped(known) { try insertTyped(known) }
    } else {
      let (header, form) = (try headerID(statement.text.header), try formID(statement.parts))
      let id = try steps(.insertStatement).bind(nil as Int64?).bind(statement.digest)
        .bind(text: statement.parts?.values ?? statement.text.source).bind(header).bind(statement.text.signature)
        .bind(form).insert()
      object = RecordedObject(id: id, isNew: true)
      try insertTyped(id)
    }
    placed.objects[statement.digest] = object
    if let position = statement.position {
      placed.parts.append(PayloadLayout.Part(kind: .object, id: object.id, position: position))
    }
    return object
  }

  mutating func object(_ version: TransactionVersion, _ placed: inout PlacedParts) throws -> RecordedObject {
    let steps = steps
    return try object(version.statement, &placed) { id in
      try steps(.hasTransactionStatement).bind(id).number() != nil
    } insertTyped: { id in
      let step = try steps(.insertTransactionStatement).bind(id)
      version.fields.bind(to: step)
      try step.run()
    }
  }

  mutating func object(_ version: RenewalVersion, _ placed: inout PlacedParts) throws -> RecordedObject {
    let steps = steps
    return try object(version.statement, &placed) { id in
      try steps(.hasRenewalStatement).bind(id).number() != nil
    } insertTyped: { id in
      let step = try steps(.insertRenewalStatement).bind(id)
      version.fields.bind(to: step)
      try step.run()
    }
  }

  mutating func object(_ version: AppTransactionVersion, _ placed: inout PlacedParts) throws -> RecordedObject {
    let database = database
    return try object(version.statement, &placed) { id in
      try database.has("SELECT 1 FROM app_transaction_info WHERE apple_object_id = ?", [id])
    } insertTyped: { id in
      try database.insert("app_transaction_info", [id] + version.fields.columns)
    }
  }
}
