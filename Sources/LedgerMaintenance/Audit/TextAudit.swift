internal import AppStore
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Compares stored texts with their digests (law 6), one slice of rows at a time.
struct TextAudit {
  private let database: Database
  private let texts: SourceText

  /// A range of rows in a table with texts.
  struct Slice: Sendable {
    /// The kind of text that the rows contain.
    var kind: PayloadLayout.Kind
    /// The keys of the rows.
    var keys: ClosedRange<Int64>
  }

  /// The result of the check on one slice.
  struct Result: Sendable {
    var findings = FindingList()
    var count = 0
  }

  init(_ database: Database) {
    self.database = database
    texts = SourceText(database)
  }

  /// Returns the tables with texts, in slices.
  /// - Parameter first: the first keys to check, by table. A table without one has no rows to check; `nil` checks all
  ///   rows.
  static func slices(_ database: Database, from first: [String: Int64]? = nil) throws -> [Slice] {
    try ([.payload] + PayloadLayout.Kind.objects).flatMap { kind -> [Slice] in
      let table = kind.table
      let ends = try Row.fetchOne(
        database, sql: "SELECT MIN(\(table)_id) AS first, MAX(\(table)_id) AS last FROM main.\(table)")
      guard let ends, let least: Int64 = ends["first"], let last: Int64 = ends["last"] else { return [] }
      guard let first else { return Slices.of(2_000, from: least, through: last).map { Slice(kind: kind, keys: $0) } }
      guard let begin = first[table], begin <= last else { return [] }
      return Slices.of(2_000, from: begin, through: last).map {
        Slice(kind: kind, keys: max($0.lowerBound, begin)...$0.upperBound)
      }
    }
  }

  func check(_ slice: Slice) throws -> Result {
    var result = Result()
    for (id, digest) in try Self.stored(slice.kind, slice.keys, database) {
      result.count += 1
      let text = slice.kind == .payload ? try texts.arrival(payload: id) : try texts.object(slice.kind, id).compact
      if ContentDigest(sha256: text) != digest {
        let table = slice.kind.table
        result.findings.note(
          .digest, "\(table) \(digest.hexadecimal)", "its text has another digest", of: table)
      }
    }
    return result
  }

  /// Returns the texts that can still be compared, because no erasure rewrote them.
  private static func stored(
    _ kind: PayloadLayout.Kind, _ keys: ClosedRange<Int64>, _ database: Database
  ) throws -> [(id: Int64, digest: ContentDigest)] {
    let table = kind.table
    var found: [(Int64, ContentDigest)] = []
    try BoundStatement(
      database,
      """
      SELECT \(table)_id, digest FROM main.\(table) w
      WHERE \(table)_id BETWEEN ? AND ? AND NOT \(SourceText.isErased(table, "w.digest"))
      """
    ).bind(keys.lowerBound).bind(keys.upperBound).each { row in
      found.append((row.number(0) ?? 0, ContentDigest(bytes: row.bytes(1))))
    }
    return found
  }
}
