internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Compares sealed rows with their seals, and each seal with the one before. The migration `0008_seals` describes them.
struct SealAudit {
  private let database: Database
  private let digester: RowDigester
  private var finder: RowFinder
  private var result = Result()
  private var rewritten: [SealedKey: Rewritten] = [:]
  /// The tables that cannot be read. Their rows are left out.
  private let damaged: Set<String>
  /// Errors in the records of erasures.
  let rewritingFindings: FindingList

  /// The result of a check of some seals.
  struct Result: Sendable {
    var findings = FindingList()
    /// How many rows each table should have, by its number.
    var rowCounts: [Int: Int] = [:]

    mutating func append(_ other: Result) {
      findings.append(other.findings)
      rowCounts.merge(other.rowCounts) { $0 + $1 }
    }
  }

  /// The changes that erasures made to one row.
  private struct Rewritten {
    /// The records of the erasures about the row's groups of columns, the oldest first.
    var records: [[FormerGroup]] = []
    /// The pseudonyms of the erasures that rewrote a group, by the number of the group.
    var pseudonyms: [Int: [String]] = [:]
    /// The sealed digest of a row that was removed.
    var removed: [UInt8]?
    /// The digest of the row after the last erasure; `nil` when the row was removed.
    var digest: [UInt8]?
  }

  /// Reads the records of erasures.
  /// - Parameters:
  ///   - database: a connection, in a transaction that sees one state of the file.
  ///   - damaged: tables that SQLite cannot read. The tables of seals and erasures are not among them.
  init(_ database: Database, damaged: Set<String> = []) throws {
    self.database = database
    self.damaged = damaged
    digester = try RowDigester(database)
    finder = try RowFinder(digester, database)
    (rewritten, rewritingFindings) = try Self.rewrittenRows(database, digester)
  }

  /// Returns slices of the seals after one. Each slice has enough rows to be worth a core's time.
  static func slices(_ database: Database, after seal: Int64?) throws -> [ClosedRange<Int64>] {
    var slices: [ClosedRange<Int64>] = []
    var (first, count) = (seal.map { $0 + 1 } ?? Int64.min, 0)
    try BoundStatement(database, "SELECT seal_id, row_count FROM main.seal WHERE seal_id >= ? ORDER BY seal_id").bind(
      first
    )
    .each { row in
      count += Int(clamping: max(1, row.number(1) ?? 0))
      guard count >= 50_000, let last = row.number(0), last < .max else { return }
      slices.append(first...last)
      (first, count) = (last + 1, 0)
    }
    return slices + [first...Int64.max]
  }

  /// Checks some seals, each together with the one before it.
  mutating func check(_ seals: ClosedRange<Int64>) throws -> Result {
    result = Result()
    let before = try Row.fetchOne(
      database, sql: "SELECT seal_id, digest FROM main.seal WHERE seal_id < ? ORDER BY seal_id DESC LIMIT 1",
      arguments: [seals.lowerBound])
    var last = (id: before?["seal_id"] as Int64? ?? 0, digest: (before?["digest"] as Data?).map { [UInt8]($0) })
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT seal_id, digest, row_count, rows FROM main.seal WHERE seal_id BETWEEN ? AND ? ORDER BY seal_id",
      arguments: [seals.lowerBound, seals.upperBound])
    while let row = try rows.next() {
      let (id, digest, list) = (row["seal_id"] as Int64, [UInt8](row["digest"] as Data), [UInt8](row["rows"] as Data))
      let follows = last.id < .max && id == last.id + 1
      if !follows {
        note(.seal, "seal \(id)", "does not follow seal \(last.id): the seals between them are missing", of: "seal")
      }
      try check(id, digest, list, count: row["row_count"], previous: follows ? last.digest : nil)
      last = (id, digest)
    }
    return result
  }

  private static func rewrittenRows(
    _ database: Database, _ digester: RowDigester
  ) throws -> ([SealedKey: Rewritten], FindingList) {
    var (rewritten, findings) = ([SealedKey: Rewritten](), FindingList())
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT w.table_number, w.row_key, w.former, w.digest, e.pseudonym FROM main.rewritten_row w
        LEFT JOIN main.erasure e USING (erasure_id) ORDER BY w.rewriting_id
        """)
    while let row = try rows.next() {
      guard let table = digester[row["table_number"]],
        let key = try? SealList.key([UInt8](row["row_key"] as Data), of: table)
      else {
        findings.note(.seal, "rewritten_row", "a record does not name a row of a sealed table", of: "rewritten_row")
        continue
      }
      let (former, digest) = ([UInt8](row["former"] as Data), (row["digest"] as Data?).map { [UInt8]($0) })
      var all = rewritten[key] ?? Rewritten()
      all.digest = digest
      if digest == nil {
        all.removed = former
      } else if let groups = FormerGroup.groups(former, count: table.groupCount) {
        all.records.append(groups)
        for (group, left) in groups.enumerated() {
          if case .digest = left, let pseudonym: String = row["pseudonym"] {
            all.pseudonyms[group, default: []].append(pseudonym)
          }
        }
      } else {
        findings.note(
          .seal, "rewritten_row", "a record about \(table.name) cannot be read", of: "rewritten_row")
      }
      rewritten[key] = all
    }
    return (rewritten, findings)
  }

  // MARK: - Seals

  private mutating func check(
    _ id: Int64, _ digest: [UInt8], _ list: [UInt8], count: Int, previous: [UInt8]?
  ) throws {
    guard let sections = try? SealList.sections(list, table: { digester[$0] }) else {
      return note(.seal, "seal \(id)", "its list of rows cannot be read", of: "seal")
    }
    if sections.map(\.entries.count).reduce(0, +) != count {
      note(.seal, "seal \(id)", "its row_count differs from its list of rows", of: "seal")
    }
    var digests: [UInt8] = []
    var isWhole = true
    for section in sections {
      if damaged.contains(section.table.name) {
        isWhole = false
        continue
      }
      let present = try self.digests(section.table, section.entries)
      for (entry, found) in zip(section.entries, present) {
        if let sealed = try check(section.table, entry, found) { digests += sealed } else { isWhole = false }
      }
    }
    // When a row differs, the digest of the seal cannot match, and the row is a finding already.
    guard isWhole, id == 1 || previous != nil else { return }
    if SealDigest.of(previous: previous, id: id, list: list, rows: digests) != digest {
      note(.seal, "seal \(id)", "its digest does not match its rows and the seal before it", of: "seal")
    }
  }

  /// Compares a row with its seal.
  /// - Returns: the sealed digest, when the row or the record of an erasure proves it; else `nil`.
  private mutating func check(
    _ table: SealedTable, _ entry: SealList.Entry, _ found: [UInt8]?
  ) throws -> [UInt8]? {
    if found != nil { result.rowCounts[table.number, default: 0] += 1 }
    let lawful = rewritten[SealedKey(table: table.number, values: entry.key)]
    var sealed = found
    if let lawful {
      guard lawful.digest == found else {
        let words = found == nil ? "was removed after it was recorded" : "differs from what an erasure made of it"
        note(found == nil ? .removedRow : .changedRow, table.rowDescription(entry.key), words, of: table.name)
        return nil
      }
      if found == nil {
        sealed = lawful.removed
      } else {
        // The row proves the groups that no erasure rewrote, and the record of the erasure proves the others.
        _ = try finder.digest(table, entry.key)
        sealed = Array(digester.text.digest(FormerGroup.sealed(lawful.records)))
        try checkIdentities(table, entry.key, lawful)
      }
    }
    guard let sealed, found != nil || table.isRemovable else {
      note(.removedRow, table.rowDescription(entry.key), "was removed after it was recorded", of: table.name)
      return nil
    }
    guard sealed.starts(with: entry.short) else {
      note(.changedRow, table.rowDescription(entry.key), "was changed after it was recorded", of: table.name)
      return nil
    }
    return sealed
  }

  /// Checks that an erasure wrote only its own pseudonym in place of a person's id. Another id could move purchases.
  private mutating func checkIdentities(
    _ table: SealedTable, _ key: [SealedKey.Value], _ rewritten: Rewritten
  ) throws {
    for (group, column) in table.identities.enumerated() {
      guard let pseudonyms = rewritten.pseudonyms[group] else { continue }
      let value = try String.fetchOne(
        database,
        sql: "SELECT t.\(column.name.quotedDatabaseIdentifier) FROM \(table.quoted) t WHERE \(table.condition)",
        arguments: StatementArguments(key.map(\.databaseValue)))
      guard let value, !pseudonyms.contains(where: { Self.isPseudonym(value, $0) }) else { continue }
      note(
        .changedRow, table.rowDescription(key), "\(column.name) was rewritten, but not with the erasure's pseudonym",
        of: table.name)
    }
  }

  /// Returns whether a value is the pseudonym, or a numbered one of the same person. It may follow the prefix of a
  /// queue's name.
  private static func isPseudonym(_ value: String, _ pseudonym: String) -> Bool {
    let name =
      ["customer ", "token ", "device "].first { value.hasPrefix($0) }.map { value.dropFirst($0.count) } ?? value[...]
    guard name.hasPrefix(pseudonym) else { return false }
    let rest = name.dropFirst(pseudonym.count)
    return rest.isEmpty || rest.first == "-" && Int(rest.dropFirst()) != nil
  }

  /// Returns the present digests of rows, in the order of their entries; `nil` for a row that does not exist.
  private mutating func digests(_ table: SealedTable, _ entries: [SealList.Entry]) throws -> [[UInt8]?] {
    let numbers = entries.compactMap { entry in
      if case .integer(let number)? = entry.key.first { number } else { nil }
    }
    guard table.hasNumberedRows, let first = numbers.min(), let last = numbers.max(), numbers.count > 1,
      last - first < 4 * Int64(numbers.count)
    else { return try entries.map { try finder.digest(table, $0.key) } }
    // Rows that were recorded together have neighbouring keys, so one query reads all of them.
    var found: [Int64: [UInt8]] = [:]
    found.reserveCapacity(numbers.count)
    let key = "t.\(table.key[0].name.quotedDatabaseIdentifier)"
    try BoundStatement(
      database,
      "SELECT \(key), \(RowDigester.expression(table)) FROM \(table.quoted) t WHERE \(key) BETWEEN ? AND ?"
    ).bind(first).bind(last).each { columns in found[columns.number(0) ?? 0] = columns.bytes(1) }
    return numbers.map { found[$0] }
  }

  // MARK: - Rows without a seal

  /// Finds the rows that are in no seal.
  /// - Parameter sealed: how many rows of each table are in a seal and exist.
  mutating func insertedRows(besides sealed: [Int: Int]) throws -> FindingList {
    result = Result()
    for table in digester.tables where !damaged.contains(table.name) {
      let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table.quoted)") ?? 0
      guard count != sealed[table.number] ?? 0 else { continue }
      let keys = try sealedKeys(table)
      let columns = table.key.map { "t.\($0.name.quotedDatabaseIdentifier)" }.joined(separator: ", ")
      let rows = try Row.fetchCursor(database, sql: "SELECT \(columns) FROM \(table.quoted) t")
      while let row = try rows.next() {
        let key = zip(table.key, row.databaseValues).map { Self.value($0, $1) }
        if !keys.contains(key) {
          note(.insertedRow, table.rowDescription(key), "is in no seal: the ledger did not record it", of: table.name)
        }
      }
    }
    return result.findings
  }

  private func sealedKeys(_ table: SealedTable) throws -> Set<[SealedKey.Value]> {
    var keys: Set<[SealedKey.Value]> = []
    let lists = try Data.fetchCursor(database, sql: "SELECT rows FROM main.seal")
    while let list = try lists.next() {
      let sections = (try? SealList.sections([UInt8](list)) { digester[$0] }) ?? []
      for section in sections where section.table.number == table.number {
        for entry in section.entries { keys.insert(entry.key) }
      }
    }
    return keys
  }

  private static func value(_ column: SealedTable.Column, _ value: DatabaseValue) -> SealedKey.Value {
    switch column.kind {
    case .integer: .integer(Int64.fromDatabaseValue(value) ?? 0)
    case .text: .text(Array((String.fromDatabaseValue(value) ?? "").utf8))
    case .blob: .blob(Data.fromDatabaseValue(value).map { [UInt8]($0) } ?? [])
    }
  }

  private mutating func note(_ code: AuditFinding.Code, _ location: String, _ detail: String, of table: String) {
    result.findings.note(code, location, detail, of: table)
  }
}
