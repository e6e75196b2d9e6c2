internal import LedgerSchema
internal import LedgerStore

/// What `schema.json` says of one export: what it holds, how to read it, and from where the next one goes on.
struct ExportManifest: Codable {
  /// What the files of a relation hold.
  enum Content: String, Codable {
    /// Every row.
    case all
    /// The rows that were recorded since the export before.
    case new
    /// Every row of the lines any of whose rows is another than in the export before; see `changed_original_transaction`.
    case changed
  }

  struct Column: Codable, Equatable {
    var name: String
    /// integer (64 bits) or text.
    var type: String
    var meaning: String?
  }

  struct File: Codable, Equatable {
    var path: String
    var format: String
    /// `nil` where the relation is not partitioned.
    var partition: Int?
    var rows: Int
    var bytes: Int
    var sha256: String
  }

  struct Relation: Codable {
    var name: String
    /// table or view.
    var kind: String
    var meaning: String
    var content: Content
    /// The columns that name a row, where there are such.
    var key: [String]
    var isPartitioned: Bool
    var columns: [Column]
    var rows: Int
    var files: [File]
  }

  /// Tells our files from others.
  static let mark = "subledger-export"
  static let currentVersion = 2

  var format = Self.mark
  var formatVersion = Self.currentVersion
  var reading = Self.readingRules
  /// The name of the export's own folder.
  var number: Int
  /// full or increment.
  var kind: String
  /// Why it is full although an increment was possible.
  var reason: String?
  /// The export before; `nil` for a full one.
  var follows: Int?
  /// Where all that was recorded from an instant on was asked for.
  var since: Int64?
  var asOf: Int64
  var knownAt: Int64
  /// Which evidence the views count: 0 all, 1 what is signed, 2 what is signed by Apple.
  var leastTrust: Int64?
  /// The earliest and the latest received instants of what was recorded in this export.
  var recordedFrom: Int64?
  var recordedTo: Int64?
  /// The last seal that the export holds, and its digest, which `audit --against` takes.
  var seal: Int64
  var sealDigest: String?
  var erasures: Int64
  var schemaStep: String
  var viewDigest: String
  var isWithPayloads: Bool
  var isWithViews: Bool
  /// Whether texts in CSV that begin like a formula have an apostrophe before them; `nil` in exports of version 1,
  /// which have none.
  var areFormulasEscaped: Bool?
  var partitions: Int
  var formats: [String]
  var relations: [Relation]

  private static let readingRules = [
    "Read the last export that is full, and then each one after it, in the order of their numbers.",
    "content 'all': the files are the whole relation. 'new': add the rows; a row of the same key is the same row. "
      + "'changed': first remove the rows whose original_transaction_key is in changed_original_transaction beside the relation's name.",
    "Partition: the first four bytes of the SHA-256 of original_transaction_id in UTF-8, as a big-endian number, modulo "
      + "partitions. Rows without a line are in partition 0. A partition without rows has no file.",
    "csv: RFC 4180 with a header, lines end in LF; NULL is nothing at all, an empty text is \"\". ndjson: one object a line, "
      + "integers are numbers, NULL is null.",
    "csv where are_formulas_escaped is true: a text that begins with =, +, -, @, a tab or a carriage return has "
      + "an apostrophe before it, so that no spreadsheet runs it. A text that has an apostrophe of its own looks the "
      + "same: a program reads ndjson, or an export whose formulas are not escaped.",
    "integer: 64 bits; instants are milliseconds since 1970, money is in milliunits of its currency, flags are 0 or 1. "
      + "Digests are text in lowercase hexadecimal digits.",
  ]
}
