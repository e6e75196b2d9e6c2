import Foundation

/// A reader of exports that combines them by their schema files alone, as a consumer does.
package struct ExportReader {
  package typealias Rows = [[String: String]]

  /// The rows of each relation, combined from all exports.
  package private(set) var relations: [String: Rows] = [:]
  /// The contents of each schema file, in the order of the exports.
  package private(set) var schemas: [[String: Any]] = []

  /// Reads all exports in a folder.
  /// - Parameter format: csv or ndjson.
  package init(_ folder: String, format: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).filter({ $0.count == 6 }).sorted() {
      let path = "\(folder)/\(name)"
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/schema.json"))
      let schema = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
      schemas.append(schema)
      if schema["kind"] as? String == "full" { relations = [:] }
      try read(schema, in: path, format)
    }
  }

  private mutating func read(_ schema: [String: Any], in path: String, _ format: String) throws {
    var read: [String: (content: String, key: [String], rows: Rows)] = [:]
    for relation in schema["relations"] as? [[String: Any]] ?? [] {
      let name = relation["name"] as? String ?? ""
      let files = (relation["files"] as? [[String: Any]] ?? []).filter { $0["format"] as? String == format }
      let rows = try files.flatMap { file in
        let text = try String(contentsOfFile: "\(path)/\(file["path"] as? String ?? "")", encoding: .utf8)
        let rows = format == "csv" ? Self.csv(text) : try Self.ndjson(text)
        guard rows.count == file["rows"] as? Int, text.utf8.count == file["bytes"] as? Int else {
          throw CocoaError(.fileReadCorruptFile)
        }
        return rows
      }
      read[name] = (relation["content"] as? String ?? "", relation["key"] as? [String] ?? [], rows)
    }
    let changed = Set(
      (read["changed_original_transaction"]?.rows ?? []).map {
        "\($0["relation"] ?? "") \($0["original_transaction_key"] ?? "")"
      })
    for (name, (content, key, rows)) in read where name != "changed_original_transaction" {
      var before = content == "all" ? [] : relations[name] ?? []
      if content == "changed" {
        before.removeAll { changed.contains("\(name) \($0["original_transaction_key"] ?? "")") }
      }
      if content == "new" {
        let known = Set(rows.map { row in key.map { row[$0] ?? "" } })
        before.removeAll { row in known.contains(key.map { row[$0] ?? "" }) }
      }
      relations[name] = before + rows
    }
  }

  /// Returns a relation's rows as texts, sorted.
  package func texts(_ relation: String, without left: Set<String> = []) -> [String] {
    (relations[relation] ?? []).map { row in
      row.filter { !left.contains($0.key) }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: " ")
    }.sorted()
  }

  /// Returns rows with values as texts. A NULL is left out, and an integer is its digits.
  package static func ndjson(_ text: String) throws -> Rows {
    try text.split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      return row.compactMapValues { value in
        value is NSNull ? nil : (value as? String) ?? (value as? NSNumber)?.stringValue
      }
    }
  }

  /// Returns the rows of a CSV text (RFC 4180), by a slow and simple method.
  package static func csv(_ text: String) -> Rows {
    var (rows, row, field, isQuoted, wasQuoted): ([[String?]], [String?], String, Bool, Bool) = (
      [], [], "", false, false
    )
    for character in text.unicodeScalars {
      switch character {
      case "\"":
        // Inside quotes, two quotes stand for one.
        if !isQuoted, wasQuoted { field.unicodeScalars.append(character) }
        (isQuoted, wasQuoted) = (!isQuoted, true)
      case ",",
        "\n" where !isQuoted:
        if isQuoted {
          field.unicodeScalars.append(character)
          continue
        }
        row.append(field.isEmpty && !wasQuoted ? nil : field)
        (field, wasQuoted) = ("", false)
        if character == "\n" {
          rows.append(row)
          row = []
        }
      default: field.unicodeScalars.append(character)
      }
    }
    let names = rows.first?.compactMap(\.self) ?? []
    return rows.dropFirst().map { row in
      Dictionary(uniqueKeysWithValues: zip(names, row).compactMap { name, value in value.map { (name, $0) } })
    }
  }
}
