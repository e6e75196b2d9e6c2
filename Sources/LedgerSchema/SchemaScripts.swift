extension Schema {
  /// The numbered migrations, in the order in which a file takes them. A released migration is never edited.
  package static var migrations: [Script] { migrationFiles }

  /// The script that describes every table and view, and states how the program treats it. It creates nothing.
  static let dataDictionary = Script("data_dictionary", PackageResources.data_dictionary_sql)

  /// Queries that are useful for every ledger, as SQL text.
  static let examples = Script("examples", PackageResources.examples_sql)

  /// The views, each after the views that it reads. View files are edited in place: a newer program creates them again.
  package static let views: [Script] = inOrder(everyView)

  /// The names of all views.
  package static let viewNames = Set(writtenByName.keys).union(repeatedByName.keys)

  /// All views, in any order.
  static var everyView: [Script] {
    written + repetitions.compactMap { view, names in writtenByName[view]?.renaming(names) }
  }

  /// Returns one view. A command needs few of them, so it does not wait until all are made and put in order.
  package static func view(_ name: String) -> Script? {
    writtenByName[name]
      ?? repeatedByName[name].flatMap { repetition in
        writtenByName[repetition.view]?.renaming(repetition.names)
      }
  }

  /// The texts that decide what the views are: the written ones, and the names that the repeated ones replace.
  static var viewTexts: [String] {
    let names = repetitions.map { view, names in
      ([view] + names.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }).joined(separator: " ")
    }
    return written.map(\.sql) + names
  }

  private static let writtenByName = Dictionary(uniqueKeysWithValues: written.map { ($0.name, $0) })
  private static let repeatedByName = Dictionary(
    uniqueKeysWithValues: repetitions.map { ($0.names[$0.view] ?? $0.view, $0) })

  /// New names that repeat the evidence instant of a version, for each kind of version.
  private static let versions = ["renewal_info_version", "status_claim"].map {
    ["transaction_version": $0, "stg_transaction_version": "stg_\($0)"]
  }

  /// New names that repeat the text of a transaction info. A renewal info, an app transaction info and a payload
  /// without its objects store their texts in the same form.
  private static let texts = [
    textNames("renewal_info", "renewal_info_text"), textNames("app_transaction_info", "app_transaction_info_text"),
    textNames("payload", "payload_rest_text"),
  ]

  /// New names that repeat the compact form of a signed text. For a payload it is made from the payload's own text,
  /// which includes the objects.
  private static let signedTexts = [
    textNames("renewal_info", "renewal_info_text"), textNames("app_transaction_info", "app_transaction_info_text"),
    textNames("payload", "payload_own_text"),
  ]

  private static func textNames(_ table: String, _ text: String) -> [String: String] {
    [
      "transaction_info": table, "transaction_info_id": "\(table)_id", "transaction_info_text": text,
      "transaction_info_value": "\(table)_value",
      "signed_transaction_info_text": "signed_\(table)_text",
    ]
  }

  /// Each written view that is repeated, with the names to replace in its text. The result is a view over other
  /// relations.
  static let repetitions: [(view: String, names: [String: String])] =
    versions.map { ("stg_transaction_version", $0) }
    + texts.map { ("transaction_info_text", $0) }
    + signedTexts.map { ("signed_transaction_info_text", $0) }

  /// The scripts of `Migrations/views`, in any order. The build lists them, with the migrations (`Packaging/ScriptList`).
  private static var written: [Script] { viewFiles }

  /// Puts each view after the views that it reads. If several views could come next, the first by name comes next.
  static func inOrder(_ views: [Script]) -> [Script] {
    let names = Set(views.map(\.name))
    let marks = Script.marks(of: names)
    var waiting = views.sorted { $0.name < $1.name }.map { ($0, $0.needs(among: names, marks: marks)) }
    var ordered: [Script] = []
    var done: Set<String> = []
    while let next = waiting.firstIndex(where: { $0.1.isSubset(of: done) }) {
      let (view, _) = waiting.remove(at: next)
      done.insert(view.name)
      ordered.append(view)
    }
    precondition(waiting.isEmpty, "these views read each other: \(waiting.map(\.0.name))")
    return ordered
  }
}
