import Ledger

/// The data dictionary as text for people, and as Markdown and JSON for tools.
enum SchemaText {
  /// Returns a list of relations, each with its kind, its number of columns and a summary.
  static func overview(_ relations: [DataDictionary.Relation]) -> String {
    layOut(
      ["name", "is", "columns", "what it is"],
      relations.map { [$0.name, $0.kind.rawValue, String($0.columns.count), $0.summary] })
  }

  /// Returns the description of a relation, column by column.
  static func description(_ relation: DataDictionary.Relation) -> String {
    let head = Terminal.styled(relation.name, .bold) + ": a \(relation.kind.rawValue)"
    let comment = wrapped(relation.comment, width: Terminal.width - 2).map { "  " + $0 }
    let columns = layOut(
      ["column", "type", "what it says"], relation.columns.map { [$0.name, $0.type, $0.comment] }, indent: 2)
    return ([head] + comment).joined(separator: "\n") + "\n\n" + columns
  }

  /// Returns the relations and their columns as a Markdown document.
  static func markdown(_ relations: [DataDictionary.Relation]) -> String {
    func cell(_ text: String) -> String { text.replacing("|", with: "\\|").replacing("<", with: "&lt;") }
    return relations.map { relation in
      let rows = relation.columns.map { "| `\($0.name)` | \($0.type) | \(cell($0.comment)) |" }
      return """
        ## \(relation.name)

        A \(relation.kind.rawValue). \(cell(relation.comment))

        | column | type | what it says |
        |---|---|---|
        \(rows.joined(separator: "\n"))

        """
    }.joined(separator: "\n")
  }

  /// Returns the relations and their columns as JSON.
  static func json(_ relations: [DataDictionary.Relation]) -> JSONTree {
    .list(
      relations.map { relation in
        .object([
          ("name", .text(relation.name)), ("kind", .text(relation.kind.rawValue)),
          ("group", .text(relation.group.rawValue)), ("comment", .text(relation.comment)),
          ("references", .list(relation.references.map(JSONTree.text))),
          (
            "columns",
            .list(
              relation.columns.map { column in
                .object([
                  ("name", .text(column.name)), ("type", .text(column.type)),
                  ("comment", .text(column.comment)),
                ])
              })
          ),
        ])
      })
  }

  /// Returns rows in aligned columns, and wraps the last column.
  private static func layOut(_ head: [String], _ rows: [[String]], indent: Int = 0) -> String {
    let widths = head.indices.dropLast().map { index in ([head] + rows).map { $0[index].count }.max() ?? 0 }
    let margin = widths.reduce(indent) { $0 + $1 + 2 }
    var text = ""
    for (number, row) in ([head] + rows).enumerated() {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) + "  " }
      let lines = wrapped(row[widths.count], width: max(Terminal.width - margin, 30))
      let first = String(repeating: " ", count: indent) + cells.joined() + lines[0]
      text += (number == 0 ? Terminal.styled(first, .bold) : first) + "\n"
      for line in lines.dropFirst() { text += String(repeating: " ", count: margin) + line + "\n" }
    }
    return text
  }

  /// Returns a text as lines of at most `width` characters, broken between words.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
