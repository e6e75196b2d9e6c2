public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// An original transaction that an id led to.
public struct OriginalTransactionMatch: Sendable, Equatable {
  /// The kinds of id that lead to an original transaction.
  public enum Kind: String, Sendable, CaseIterable {
    /// Apple's `originalTransactionId`, the id that all renewals share.
    case originalTransactionID = "original_transaction_id"
    /// Apple's `transactionId`, the id of one purchase or renewal.
    case transactionID = "transaction_id"
    /// Apple's `webOrderLineItemId`, the id of a paid period.
    case webOrderLineItemID = "web_order_line_item_id"
    /// Apple's `appAccountToken`, which the app gave to the purchase.
    case appAccountToken = "app_account_token"
    /// Apple's `appTransactionId`, the id of the customer and the app.
    case appTransactionID = "app_transaction_id"
    /// Apple's `notificationUUID`, the id of a notification.
    case notificationUUID = "notification_uuid"
    /// An order id from the customer's invoice, which was looked up at Apple.
    case orderID = "order_id"
    /// Apple's `previousOriginalTransactionId`, the id of the subscription before this one.
    case previousOriginalTransactionID = "previous_original_transaction_id"
  }

  /// The name of the environment, such as `Production`.
  public var environment: String
  /// The original transaction id.
  public var originalTransactionID: String
  /// The kind of id that led to it.
  public var kind: Kind
  /// The whole id that led to it, also when only its beginning was given.
  public var identifier: String
  let originalTransactionKey: OriginalTransactionKey
}

/// Something that an id, or the beginning of an id, can mean.
public enum Match: Sendable, Equatable {
  /// A customer, by the app's own id or an account token.
  case customer(String)
  /// An original transaction, by any id that names it.
  case purchase(OriginalTransactionMatch)
  /// A notification that concerns no original transaction, such as a test: its UUID, type and environment.
  case notification(uuid: String, type: String, environment: String)
  /// A customer order that was looked up at Apple and has no purchases.
  case order(String)
  /// A recorded payload, by its digest.
  case payload(ContentDigest)
  /// An id that payloads name and about which nothing could be read; see `LedgerReader.unreadMentions(of:knownAt:)`.
  case unread(String)
}

extension LedgerReader {
  /// The greatest number of matches of each kind.
  static let matchLimit = 25

  /// Returns everything that an id can mean, in every environment. It searches customers, all ids of Apple's that name
  /// a purchase, notification UUIDs, looked-up orders and payload digests. When nothing has exactly this id, it returns
  /// everything whose id begins with the text. It returns at most 25 matches of each kind.
  /// - Parameter text: an id, or the beginning of one. Spaces around it do not count.
  /// - Returns: the matches, and whether they have the whole id.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func search(_ text: String) throws -> (matches: [Match], isExact: Bool) {
    let text = CheckedText.trimmed(text)
    return try lookUp("int_identifier") { database in
      let exact = try IDSearch(database: database, text: text, isExact: true).matches()
      guard exact.isEmpty else { return (exact, true) }
      return (try IDSearch(database: database, text: text, isExact: false).matches(), false)
    }
  }

  /// Returns the purchase that has exactly this id, Production first; `nil` where there is none.
  /// - Parameter id: any id of Apple's that names a purchase. Spaces around it do not count.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func purchase(withID id: String) throws -> OriginalTransactionMatch? {
    let (matches, isExact) = try search(id)
    for case .purchase(let purchase) in matches where isExact { return purchase }
    return nil
  }

  /// Returns the ids that share the longest beginning with an id that was not found. It may have a typing error.
  /// - Parameters:
  ///   - text: the id. The shared beginning has at least three characters.
  ///   - limit: the greatest number of matches.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func nearest(to text: String, limit: Int = 5) throws -> [Match] {
    try lookUp("int_identifier") { database in
      // No id in the ledger is longer.
      var beginning = text.prefix(64)
      while beginning.count > 3 {
        beginning.removeLast()
        let found = try IDSearch(database: database, text: String(beginning), isExact: false).matches()
        if !found.isEmpty { return Array(found.prefix(limit)) }
      }
      return []
    }
  }
}

/// Searches for one text in every index of ids.
private struct IDSearch {
  let database: Database
  let text: String
  let isExact: Bool

  /// The spellings to search for. Apple writes UUIDs in small letters, and other programs write capitals.
  private var spellings: [String] {
    var all: [String] = []
    for spelling in [text, text.lowercased(), text.uppercased()] where !all.contains(spelling) { all.append(spelling) }
    return all
  }

  /// Returns a condition that an index can answer, with its arguments.
  private func condition(_ column: String) -> (sql: String, arguments: [String]) {
    if isExact {
      return ("\(column) IN (\(spellings.map { _ in "?" }.joined(separator: ",")))", spellings)
    }
    let parts = spellings.map { _ in "(\(column) >= ? AND \(column) < ?)" }
    return (
      "(\(parts.joined(separator: " OR ")))", spellings.flatMap { [$0, $0 + "\u{10FFFF}"] }
    )
  }

  /// Runs a query in which `$ID` stands for the condition.
  /// - Parameter times: how often the query contains the condition.
  private func rows(_ sql: String, _ column: String, times: Int = 1) throws -> [Row] {
    let (condition, arguments) = condition(column)
    return try Row.fetchAll(
      database, sql: sql.replacing("$ID", with: condition) + " LIMIT \(LedgerReader.matchLimit)",
      arguments: StatementArguments(repeatElement(arguments, count: times).joined()))
  }

  func purchases() throws -> [OriginalTransactionMatch] {
    guard !text.isEmpty else { return [] }
    var found: [OriginalTransactionMatch] = []
    // One query for each table, because each may have as many matches as the limit allows.
    for rank in 1...5 {
      let sql = """
        SELECT original_transaction_key, kind, identifier FROM temp.int_identifier WHERE table_rank = \(rank) AND $ID
        """
      for row in try rows(sql, "identifier") {
        let key: OriginalTransactionKey = row["original_transaction_key"]
        guard !found.contains(where: { $0.originalTransactionKey == key }),
          let originalTransaction = try Row.fetchOne(
            database.cachedStatement(
              sql:
                "SELECT environment, original_transaction_id FROM main.original_transaction WHERE original_transaction_key = ?"
            ), arguments: [key])
        else { continue }
        found.append(
          OriginalTransactionMatch(
            environment: originalTransaction["environment"],
            originalTransactionID: originalTransaction["original_transaction_id"],
            kind: try row.value("kind"), identifier: row["identifier"], originalTransactionKey: key))
      }
    }
    func rank(_ purchase: OriginalTransactionMatch) -> (Int, String, String) {
      (
        purchase.environment == Environment.production.name ? 0 : 1, purchase.environment,
        purchase.originalTransactionID
      )
    }
    return found.sorted { rank($0) < rank($1) }
  }

  func matches() throws -> [Match] {
    guard !text.isEmpty else { return [] }
    let customers = try customers()
    var matches = customers.map { Match.customer($0) }
    // The customer of a token is a match already, and shows these purchases.
    matches += try purchases().filter { $0.kind != .appAccountToken }.map { Match.purchase($0) }
    matches += try rows(
      """
      SELECT n.notification_uuid, n.notification_type, p.environment FROM main.notification n
      JOIN main.payload p USING (payload_id) WHERE n.notification_uuid IS NOT NULL AND n.original_transaction_key IS NULL AND $ID
      """, "n.notification_uuid"
    ).map {
      .notification(uuid: $0["notification_uuid"], type: $0["notification_type"], environment: $0["environment"])
    }
    matches += try rows(
      """
      SELECT DISTINCT order_id FROM main.order_lookup o WHERE $ID AND NOT EXISTS (
        SELECT 1 FROM temp.int_identifier n WHERE n.identifier = o.order_id AND n.kind = 'order_id')
      """, "o.order_id"
    ).map { .order($0["order_id"]) }
    if matches.isEmpty { matches += try unread() }
    if matches.isEmpty { matches += try reporters() }
    if matches.isEmpty { matches += try payloads() }
    return matches
  }

  /// Returns the customers that have this id, and the customers that a token with this id is linked to.
  private func customers() throws -> [String] {
    var found = try rows("SELECT customer FROM main.customer WHERE $ID", "customer").map { $0["customer"] as String }
    let tokens =
      try rows(
        "SELECT DISTINCT identifier FROM temp.int_identifier WHERE kind = 'app_account_token' AND $ID",
        "identifier"
      ).map { $0["identifier"] as String }
      + rows(
        "SELECT DISTINCT app_account_token FROM main.client_event WHERE app_account_token IS NOT NULL AND $ID",
        "app_account_token"
      ).map { $0["app_account_token"] as String }
    for token in tokens {
      let owners = try CustomerEntries(rows: database).holders(of: token)
      found += owners.isEmpty ? [token] : owners
    }
    found += try rows(
      "SELECT DISTINCT customer FROM main.client_event WHERE customer IS NOT NULL AND $ID", "customer"
    ).map { $0["customer"] as String }
    var seen: Set<String> = []
    return found.filter { seen.insert($0).inserted }
  }

  /// Finds ids that occur in payloads from which nothing could be read.
  private func unread() throws -> [Match] {
    try rows(
      """
      SELECT identifier FROM (
        SELECT identifier FROM main.payload_mention WHERE $ID
        UNION SELECT q.identifier FROM main.quarantine_mention q WHERE $ID AND \(QuarantinedPayload.isWaiting)
      )
      """, "identifier", times: 2
    ).map { .unread($0["identifier"]) }
  }

  /// Finds customers whose app reported a transaction id that no evidence names.
  private func reporters() throws -> [Match] {
    try rows(
      """
      SELECT DISTINCT COALESCE(customer, app_account_token) AS name FROM main.client_event
      WHERE transaction_id IS NOT NULL AND COALESCE(customer, app_account_token) IS NOT NULL AND $ID
      """, "transaction_id"
    ).map { .customer($0["name"]) }
  }

  /// Finds payloads by the beginning of their digest, in hexadecimal digits.
  private func payloads() throws -> [Match] {
    let digits = Array(text.lowercased().utf8)
    guard (8...64).contains(digits.count), digits.allSatisfy({ Self.value($0) != nil }) else { return [] }
    func bytes(_ filler: UInt8) -> Data {
      let padded = digits + [UInt8](repeating: filler, count: 64 - digits.count)
      return Data(
        stride(from: 0, to: 64, by: 2).map { (Self.value(padded[$0]) ?? 0) << 4 | (Self.value(padded[$0 + 1]) ?? 0) })
    }
    return try Data.fetchAll(
      database, sql: "SELECT digest FROM main.payload WHERE digest BETWEEN ? AND ? LIMIT \(LedgerReader.matchLimit)",
      arguments: [bytes(UInt8(ascii: "0")), bytes(UInt8(ascii: "f"))]
    ).map { .payload(ContentDigest(bytes: [UInt8]($0))) }
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
