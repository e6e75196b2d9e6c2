public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A line found by an id.
public struct OriginalTransactionMatch: Sendable, Equatable {
  /// The environment.
  public var environment: String
  /// The line's id.
  public var originalTransactionID: String
  /// What kind of id it was found by: `original_transaction_id`, `transaction_id`, `web_order_line_item_id`,
  /// `app_account_token`, `app_transaction_id`, `notification_uuid`, `order_id`, `previous_original_transaction_id`.
  public var kind: String
  /// That id, whole.
  public var identifier: String
  let originalTransactionKey: Int64
}

/// Something that an id, or the beginning of one, may mean.
public enum Match: Sendable, Equatable {
  /// A customer.
  case customer(String)
  /// A line, by any of the ids that name it.
  case line(OriginalTransactionMatch)
  /// A notification that is about no line, a test for instance: its UUID and type.
  case notification(uuid: String, type: String, environment: String)
  /// An order that was looked up and has no purchases.
  case order(String)
  /// A stored payload, by its digest.
  case payload(ContentDigest)
  /// An id that payloads name, and about which nothing could be read; see ``Ledger/unreadMentions(of:knownAt:)``.
  case unread(String)
}

extension LedgerReader {
  /// How many matches of each kind are looked for.
  static let matchLimit = 25

  /// Everything that an id may mean, in every environment: a customer's id, any id of Apple's that names a purchase, a
  /// notification's UUID, a looked-up order, a payload's digest. Where nothing has exactly this id, everything whose id
  /// begins with it; at most 25 of each kind.
  /// - Returns: what was found, and whether by the whole id.
  /// - Throws: ``LedgerError``.
  public func search(_ text: String) throws -> (matches: [Match], isExact: Bool) {
    let text = CheckedText.trimmed(text)
    return try lookUp("int_identifier") { database in
      let exact = try IDSearch(database: database, text: text, isExact: true).matches()
      guard exact.isEmpty else { return (exact, true) }
      return (try IDSearch(database: database, text: text, isExact: false).matches(), false)
    }
  }

  /// The ids that begin most like one that is nowhere: its writer may have slipped.
  /// - Throws: ``LedgerError``.
  public func nearest(to text: String, limit: Int = 5) throws -> [Match] {
    try lookUp("int_identifier") { database in
      // No id of anyone's is longer.
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

/// Looks one text up in every index of ids.
private struct IDSearch {
  let database: Database
  let text: String
  let isExact: Bool

  /// Apple writes UUIDs in small letters, other programs in capitals.
  private var spellings: [String] {
    var all: [String] = []
    for spelling in [text, text.lowercased(), text.uppercased()] where !all.contains(spelling) { all.append(spelling) }
    return all
  }

  /// A condition that an index answers, and its arguments.
  private func condition(_ column: String) -> (sql: String, arguments: [String]) {
    if isExact {
      return ("\(column) IN (\(spellings.map { _ in "?" }.joined(separator: ",")))", spellings)
    }
    let parts = spellings.map { _ in "(\(column) >= ? AND \(column) < ?)" }
    return (
      "(\(parts.joined(separator: " OR ")))", spellings.flatMap { [$0, $0 + "\u{10FFFF}"] }
    )
  }

  /// - Parameter times: how often the statement has the condition.
  private func rows(_ sql: String, _ column: String, times: Int = 1) throws -> [Row] {
    let (condition, arguments) = condition(column)
    return try Row.fetchAll(
      database, sql: sql.replacing("$ID", with: condition) + " LIMIT \(LedgerReader.matchLimit)",
      arguments: StatementArguments(repeatElement(arguments, count: times).joined()))
  }

  func lines() throws -> [OriginalTransactionMatch] {
    guard !text.isEmpty else { return [] }
    var found: [OriginalTransactionMatch] = []
    // One table after the other, because each may have as many matches as are looked for.
    for rank in 1...5 {
      let sql = """
        SELECT original_transaction_key, kind, identifier FROM temp.int_identifier WHERE table_rank = \(rank) AND $ID
        """
      for row in try rows(sql, "identifier") {
        let line: Int64 = row["original_transaction_key"]
        guard !found.contains(where: { $0.originalTransactionKey == line }),
          let place = try Row.fetchOne(
            database.cachedStatement(
              sql:
                "SELECT environment, original_transaction_id FROM main.original_transaction WHERE original_transaction_key = ?"
            ), arguments: [line])
        else { continue }
        found.append(
          OriginalTransactionMatch(
            environment: place["environment"], originalTransactionID: place["original_transaction_id"],
            kind: row["kind"], identifier: row["identifier"], originalTransactionKey: line))
      }
    }
    func rank(_ line: OriginalTransactionMatch) -> (Int, String, String) {
      (line.environment == Environment.production.name ? 0 : 1, line.environment, line.originalTransactionID)
    }
    return found.sorted { rank($0) < rank($1) }
  }

  func matches() throws -> [Match] {
    guard !text.isEmpty else { return [] }
    let customers = try customers()
    var matches = customers.map { Match.customer($0) }
    // A token's lines are on its customer's card.
    matches += try lines().filter { $0.kind != "app_account_token" }.map { Match.line($0) }
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

  /// Customers by their own id, and those whom a token stands for.
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

  /// Ids in payloads of which nothing could be read.
  private func unread() throws -> [Match] {
    try rows(
      """
      SELECT identifier FROM (
        SELECT identifier FROM main.payload_mention WHERE $ID
        UNION SELECT m.identifier FROM main.quarantine_mention m
        WHERE $ID AND NOT EXISTS (
          SELECT 1 FROM main.quarantine_release r WHERE r.quarantine_id = m.quarantine_id)
      )
      """, "identifier", times: 2
    ).map { .unread($0["identifier"]) }
  }

  /// Customers whose app names a transaction that no evidence does.
  private func reporters() throws -> [Match] {
    try rows(
      """
      SELECT DISTINCT COALESCE(customer, app_account_token) AS name FROM main.client_event
      WHERE transaction_id IS NOT NULL AND COALESCE(customer, app_account_token) IS NOT NULL AND $ID
      """, "transaction_id"
    ).map { .customer($0["name"]) }
  }

  /// Payloads by the beginning of their digest, in hexadecimal.
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
