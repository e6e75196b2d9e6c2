/// What `Migrations/manifest.sql` says of every table and view: what it is for, and how the program treats it.
package struct Manifest: Sendable {
  /// A table or view.
  package struct Relation: Sendable {
    package let name: String
    package let isView: Bool
    private let marks: [String: [String]]

    init(name: String, isView: Bool, marks: [String: [String]]) {
      (self.name, self.isView, self.marks) = (name, isView, marks)
    }

    /// A step of a derivation: for other views.
    var isStep: Bool { marks["step"] != nil }
    /// Stored results of views.
    package var isProjection: Bool { marks["projection"] != nil }
    /// How the file guards itself and stores texts.
    var isMachinery: Bool { marks["machinery"] != nil }
    /// The number of its rows in seals; `nil` where they are not sealed.
    var sealNumber: Int? { marks["sealed"]?.first.flatMap { Int($0) } }
    /// Whether the file refuses every change of its rows.
    var isAppendOnly: Bool { sealNumber != nil || marks["append_only"] != nil }
    /// The columns with texts that an erasure may rewrite.
    var erasableColumns: [String] { marks["erasable"] ?? [] }
    /// The columns with ids of people: an erasure may write only its pseudonym there.
    var identityColumns: [String] { marks["identity"] ?? [] }
    /// Whether an erasure may remove rows.
    var isRemovable: Bool { marks["removable"] != nil }
    /// Whether its rows are the same in every ledger.
    var isConstant: Bool { marks["constant"] != nil }
    /// Whether it is a view that asks: in other engines a table.
    var isParameter: Bool { marks["parameter"] != nil }
    /// The relation that it is in other engines; `nil` where they have its own text.
    var elsewhere: String? { marks["elsewhere"]?.first }
    /// The columns that have no meaning outside of the file.
    var internalColumns: [String] { marks["internal"] ?? [] }
    /// The columns of what arrived, word for word.
    package var textColumns: [String] { marks["text"] ?? [] }
    /// Whether no other engine has it.
    var isSQLiteOnly: Bool { marks["sqlite"] != nil }
    /// Whether an export writes it.
    package var isExported: Bool {
      if marks["exported"] != nil { return true }
      return marks["unexported"] == nil && !(isStep || isProjection || isParameter || isSQLiteOnly || isConstant)
    }
    /// The columns that views compute and that are integers.
    fileprivate var integerColumns: [String] { marks["integer"] ?? [] }

    /// The words that mean something.
    static let words: Set = [
      "step", "projection", "machinery", "sealed", "append_only", "erasable", "identity", "removable", "constant",
      "parameter", "internal", "text", "unexported", "exported", "sqlite", "integer",
      "elsewhere",
    ]
  }

  /// In the order of the file.
  package let relations: [Relation]
  private let places: [String: Int]
  private let integerColumns: Set<String>

  /// - Throws: ``CommentScript/ParseError`` where a word means nothing.
  init(_ script: CommentScript) throws(CommentScript.ParseError) {
    var relations: [Relation] = []
    for comment in script.comments {
      if let unknown = comment.marks.keys.sorted().first(where: { !Relation.words.contains($0) }) {
        throw CommentScript.ParseError(line: comment.line, detail: "'@\(unknown)' means nothing")
      }
      switch comment.target {
      case .table(let name): relations.append(Relation(name: name, isView: false, marks: comment.marks))
      case .view(let name): relations.append(Relation(name: name, isView: true, marks: comment.marks))
      case .column: break
      }
    }
    self.relations = relations
    places = Dictionary(relations.enumerated().map { ($1.name, $0) }) { first, _ in first }
    integerColumns = Set(relations.flatMap(\.integerColumns))
  }

  /// A table or view by its name.
  package subscript(name: String) -> Relation? { places[name].map { relations[$0] } }

  /// The sealed tables, by their numbers.
  var sealedTables: [Relation] {
    relations.filter { $0.sealNumber != nil }.sorted { $0.sealNumber ?? 0 < $1.sealNumber ?? 0 }
  }

  /// The column that holds a row's salt.
  package static let saltName = "salt"

  /// Whether the rows of a table have a salt: those that an erasure may rewrite.
  package func isSalted(_ table: String) -> Bool { self[table]?.internalColumns.contains(Self.saltName) == true }

  /// Whether a column that views compute is an integer.
  func isComputedInteger(_ column: String) -> Bool { integerColumns.contains(column) }

  /// What this program says of its schema.
  package static let current: Manifest = {
    do { return try Manifest(CommentScript(Schema.manifest.sql)) } catch {
      preconditionFailure("\(error)")
    }
  }()
}
