/// The purpose of every table and view, and how the program treats it: the parsed content of `Migrations/data_dictionary.sql`,
/// and of the marks in the files of views that it does not describe. These are steps.
package struct SchemaRelations: Sendable {
  /// A table or view, with the marks that the data dictionary gives it.
  package struct Relation: Sendable {
    package let name: String
    package let isView: Bool
    private let marks: [String: [String]]

    init(name: String, isView: Bool, marks: [String: [String]]) {
      (self.name, self.isView, self.marks) = (name, isView, marks)
    }

    /// Whether it is a step of a derivation, which only other views read.
    var isStep: Bool { marks["step"] != nil }
    /// Whether it stores the results of views.
    package var isProjection: Bool { marks["projection"] != nil }
    /// Whether analysts read it, although it stores the results of views.
    var isPublic: Bool { marks["public"] != nil }
    /// Whether a server keeps its rows about its own work, and may change them.
    package var isService: Bool { marks["service"] != nil }
    /// Whether it serves the file itself: it protects the evidence or stores texts.
    var isMachinery: Bool { marks["machinery"] != nil }
    /// The number that stands for the table in seals, or `nil` when its rows are not sealed.
    var sealNumber: Int? { marks["sealed"]?.first.flatMap { Int($0) } }
    /// Whether the file refuses every change of its rows.
    var isAppendOnly: Bool { sealNumber != nil || marks["append_only"] != nil }
    /// The columns with texts that an erasure may rewrite.
    var erasableColumns: [String] { marks["erasable"] ?? [] }
    /// The columns with ids of people. An erasure may write only the person's pseudonym there.
    var identityColumns: [String] { marks["identity"] ?? [] }
    /// Whether an erasure may remove its rows.
    var isRemovable: Bool { marks["removable"] != nil }
    /// Whether its rows are equal in every ledger.
    var isConstant: Bool { marks["constant"] != nil }
    /// Whether it is a view that holds the parameters of a query. Other engines have a table in its place.
    var isParameter: Bool { marks["parameter"] != nil }
    /// The relation that replaces it in other engines, or `nil` when they use its own text.
    var elsewhere: String? { marks["elsewhere"]?.first }
    /// The view whose rows it stores, or `nil`.
    package var derived: String? { marks["derived"]?.first }
    /// The columns that have no meaning outside of the file.
    var internalColumns: [String] { marks["internal"] ?? [] }
    /// The columns with text exactly as it arrived.
    package var textColumns: [String] { marks["text"] ?? [] }
    /// Whether only SQLite has it, and no other engine.
    var isSQLiteOnly: Bool { marks["sqlite"] != nil }
    /// Whether an export writes its rows.
    package var isExported: Bool {
      if marks["exported"] != nil { return true }
      return marks["unexported"] == nil && !(isStep || isProjection || isParameter || isSQLiteOnly || isConstant)
    }
    /// The columns that views compute as integers.
    fileprivate var integerColumns: [String] { marks["integer"] ?? [] }

    /// The words that are valid after `-- @`.
    static let words: Set = [
      "key", "step", "projection", "service", "machinery", "sealed", "append_only", "erasable", "identity", "removable",
      "constant",
      "parameter", "internal", "text", "unexported", "exported", "sqlite", "integer",
      "elsewhere", "derived", "public",
    ]
  }

  /// All tables and views, in the order of the data dictionary. Steps come last.
  package let relations: [Relation]
  private let indices: [String: Int]
  private let integerColumns: Set<String>

  /// Reads tables and views from the comments of a script.
  /// - Parameters:
  ///   - script: the comments on tables and views.
  ///   - views: further views. Those without a comment in the script are steps.
  /// - Throws: `CommentScript/ParseError` when a mark has an unknown word.
  init(_ script: CommentScript, views: [Schema.Script] = []) throws(CommentScript.ParseError) {
    var relations: [Relation] = []
    func check(_ marks: [String: [String]], line: Int, of name: String = "") throws(CommentScript.ParseError) {
      guard let unknown = marks.keys.sorted().first(where: { !Relation.words.contains($0) }) else { return }
      throw CommentScript.ParseError(line: line, detail: "'@\(unknown)'\(name) is not a known mark")
    }
    for comment in script.comments {
      try check(comment.marks, line: comment.line)
      switch comment.target {
      case .table(let name): relations.append(Relation(name: name, isView: false, marks: comment.marks))
      case .view(let name): relations.append(Relation(name: name, isView: true, marks: comment.marks))
      case .column: break
      }
    }
    let described = Set(relations.map(\.name))
    for view in views.sorted(by: { $0.name < $1.name }) where !described.contains(view.name) {
      let marks = view.marks.merging(["step": []]) { mark, _ in mark }
      try check(marks, line: 1, of: " of \(view.name)")
      relations.append(Relation(name: view.name, isView: true, marks: marks))
    }
    self.relations = relations
    indices = Dictionary(relations.enumerated().map { ($1.name, $0) }) { first, _ in first }
    integerColumns = Set(relations.flatMap(\.integerColumns))
  }

  /// Returns the table or view of a name, or `nil` when the data dictionary has none.
  package subscript(name: String) -> Relation? { indices[name].map { relations[$0] } }

  /// The sealed tables, ordered by their numbers in seals.
  var sealedTables: [Relation] {
    relations.filter { $0.sealNumber != nil }.sorted { $0.sealNumber ?? 0 < $1.sealNumber ?? 0 }
  }

  /// The name of the column that holds a row's salt.
  package static let saltName = "salt"

  /// Returns whether the rows of a table have a salt. An erasure may rewrite such rows.
  package func isSalted(_ table: String) -> Bool { self[table]?.internalColumns.contains(Self.saltName) == true }

  /// Returns whether a column that views compute is an integer.
  func isComputedInteger(_ column: String) -> Bool { integerColumns.contains(column) }

  /// The data dictionary that is embedded in this program.
  package static let current: SchemaRelations = {
    do { return try SchemaRelations(CommentScript(Schema.dataDictionary.sql), views: Schema.everyView) } catch {
      preconditionFailure("\(error)")
    }
  }()
}
