internal import LedgerSchema
internal import LedgerStore

/// The contents of `schema.json`: what one export contains, how to read it, and where the next one continues.
struct ExportManifest: Codable {
  /// Which rows the files of a relation contain.
  enum Content: String, Codable {
    /// All rows of the relation.
    case all
    /// The rows that were recorded since the previous export.
    case new
    /// All rows of the original transactions whose rows changed since the previous export; see
    /// `changed_original_transaction`.
    case changed
  }

  struct Column: Codable, Equatable {
    var name: String
    /// The type of its values: `integer` (64 bits) or `text`.
    var type: String
    var meaning: String?
  }

  struct File: Codable, Equatable {
    var path: String
    var format: String
    /// The number of the partition; `nil` when the relation is not partitioned.
    var partition: Int?
    var rows: Int
    var bytes: Int
    var sha256: String
  }

  struct Relation: Codable {
    var name: String
    /// Whether it is a `table` or a `view`.
    var kind: String
    var meaning: String
    var content: Content
    /// The columns that identify a row; empty when there are none.
    var key: [String]
    var isPartitioned: Bool
    var columns: [Column]
    var rows: Int
    var files: [File]
  }

  /// Marks the files of this program.
  static let mark = "subledger-export"
  static let currentVersion = 2

  var format = Self.mark
  var formatVersion = Self.currentVersion
  var reading = Self.readingRules
  /// The number of the export, which is the name of its folder.
  var number: Int
  /// Whether the export is `full` or an `increment`.
  var kind: String
  /// Why it is full although an increment was possible.
  var reason: String?
  /// The number of the previous export; `nil` for a full one.
  var follows: Int?
  /// The instant from which the caller asked for rows, in milliseconds since 1970.
  var since: Int64?
  var asOf: Int64
  var knownAt: Int64
  /// The evidence that the views count: 0 for all, 1 for signed evidence, 2 for evidence that Apple signed.
  var minimumTrust: Int64?
  /// The earliest and the latest received instants of the rows in this export, in milliseconds since 1970.
  var recordedFrom: Int64?
  var recordedTo: Int64?
  /// The number of the last seal in the export, and its digest, which an audit can check.
  var seal: Int64
  var sealDigest: String?
  var erasures: Int64
  var schemaStep: String
  var viewDigest: String
  var isWithPayloads: Bool
  var isWithViews: Bool
  /// The names of the relations that were chosen; `nil` for all.
  var only: [String]?
  /// Whether an apostrophe is written before CSV texts that begin like a formula. It is `nil` in exports of version 1,
  /// which write none.
  var areFormulasEscaped: Bool?
  var partitions: Int
  var formats: [String]
  var relations: [Relation]

  private static let readingRules = [
    "Read the last full export, then each export after it, in the order of their numbers.",
    "content 'all': the files are the whole relation. 'new': add the rows; two rows with one key are the same row. "
      + "'changed': first remove the rows whose original_transaction_key is in changed_original_transaction, with the "
      + "relation's name. Then add the rows.",
    "Partition: the first four bytes of the SHA-256 of original_transaction_id in UTF-8, as a big-endian number, "
      + "modulo partitions. Rows without an original transaction are in partition 0. A partition without rows has no "
      + "file.",
    "for_next_export: numbers from which the next export finds what changed. Not for readers.",
    "csv: RFC 4180 with a header, lines end in LF; NULL is an empty field, an empty text is \"\". ndjson: one object "
      + "on each line, integers are numbers, NULL is null. parquet: integers are BIGINT, texts VARCHAR.",
    "csv where are_formulas_escaped is true: a text that begins with =, +, -, @, a tab or a carriage return has "
      + "an apostrophe before it, so that no spreadsheet runs it. A text that begins with an apostrophe "
      + "looks the same. A program should read ndjson, or an export without escaped formulas.",
    "integer: 64 bits; instants are milliseconds since 1970, money is in milliunits of its currency, flags are 0 or 1. "
      + "Digests are text in lowercase hexadecimal digits.",
  ]
}
