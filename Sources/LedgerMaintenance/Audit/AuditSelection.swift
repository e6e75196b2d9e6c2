internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// The rows that an audit checks: all of them, those recorded after a seal, or a random sample.
struct AuditSelection: Sendable {
  /// The ranges of seals to check.
  var seals: [ClosedRange<Int64>]
  /// The rows with texts to check.
  var texts: [TextAudit.Slice]
  /// The subscriptions to check.
  var subscriptions: [SubscriptionSlice]
  /// The first keys that were recorded after the seal, by table; `nil` when everything is checked.
  var first: [String: Int64]?
  /// Whether everything is checked. Then the audit can also compare counts and sums.
  var isWhole: Bool

  /// Selects the rows that an audit checks.
  /// - Parameters:
  ///   - database: a connection to a file that has the program's tables.
  ///   - seal: the seal after which rows are checked; `nil` for all.
  ///   - share: the share of the slices to check, from 0 to 1.
  init(_ database: Database, after seal: Int64?, share: Double) throws {
    isWhole = seal == nil && share >= 1
    first = try seal.map { try Self.firstKeys(after: $0, database) }
    seals = Self.sample(try SealAudit.slices(database, after: seal), share)
    texts = Self.sample(try TextAudit.slices(database, from: first), share)
    subscriptions = Self.sample(try Self.subscriptions(database, first, after: seal), share)
  }

  /// Returns a random share of the slices, at least one.
  private static func sample<Slice>(_ slices: [Slice], _ share: Double) -> [Slice] {
    if share >= 1 || slices.isEmpty { return slices }
    let count = max(1, Int((Double(slices.count) * share).rounded()))
    return slices.indices.shuffled().prefix(count).sorted().map { slices[$0] }
  }

  /// Returns the smallest key that was sealed after a seal, for each table with numbered rows.
  private static func firstKeys(after seal: Int64, _ database: Database) throws -> [String: Int64] {
    var first: [String: Int64] = [:]
    try forEachSection(after: seal, database) { section in
      for entry in section.entries {
        guard section.table.hasNumberedRows, case .integer(let key)? = entry.key.first else { return }
        first[section.table.name] = min(first[section.table.name] ?? .max, key)
      }
    }
    return first
  }

  private static func forEachSection(
    after seal: Int64, _ database: Database, _ body: (SealList.Section) -> Void
  ) throws {
    let tables = Dictionary(uniqueKeysWithValues: try SealedTable.all(database).map { ($0.number, $0) })
    let lists = try Data.fetchCursor(database, sql: "SELECT rows FROM main.seal WHERE seal_id > ?", arguments: [seal])
    while let list = try lists.next() {
      // The check of the seals reports a list that cannot be read.
      for section in (try? SealList.sections([UInt8](list)) { tables[$0] }) ?? [] { body(section) }
    }
  }

  /// Returns the subscriptions of a file: all, or those that were recorded about after a seal.
  static func subscriptions(
    _ database: Database, _ first: [String: Int64]? = nil, after seal: Int64? = nil
  ) throws -> [SubscriptionSlice] {
    guard let first, let seal else {
      let ends = try Row.fetchOne(
        database,
        sql: """
          SELECT MIN(original_transaction_key) AS first, MAX(original_transaction_key) AS last
          FROM main.original_transaction
          """)
      return Slices.of(Int64(SubscriptionSlice.width), from: ends?["first"] ?? 1, through: ends?["last"] ?? 0)
        .map { .range(OriginalTransactionKey($0.lowerBound)...OriginalTransactionKey($0.upperBound)) }
    }
    var keys: Set<OriginalTransactionKey> = []
    for table in versionTables {
      guard let begin = first[table.name] else { continue }
      keys.formUnion(
        try OriginalTransactionKey.fetchSet(
          database, sql: "SELECT original_transaction_key FROM main.\(table.name) WHERE \(table.key) >= ?",
          arguments: [begin]))
    }
    keys.formUnion(try keysOfDeliveries(after: seal, database))
    return SubscriptionSlice.slices(of: keys.sorted())
  }

  private static let versionTables = [
    (name: "transaction_version", key: "version_id"), (name: "renewal_info_version", key: "version_id"),
    (name: "status_claim", key: "claim_id"),
  ]

  /// Returns the subscriptions of payloads that were received again. Their evidence may have other instants since.
  private static func keysOfDeliveries(after seal: Int64, _ database: Database) throws
    -> Set<OriginalTransactionKey>
  {
    var payloads: Set<PayloadID> = []
    try forEachSection(after: seal, database) { section in
      guard section.table.name == "delivery" else { return }
      for entry in section.entries {
        if case .integer(let payload)? = entry.key.first { payloads.insert(PayloadID(payload)) }
      }
    }
    var keys: Set<OriginalTransactionKey> = []
    for table in versionTables {
      let statement = try BoundStatement(
        database, "SELECT original_transaction_key FROM main.\(table.name) WHERE payload_id = ?")
      for payload in payloads {
        try statement.bind(payload).each { if let key = $0.number(0) { keys.insert(OriginalTransactionKey(key)) } }
      }
    }
    return keys
  }
}
