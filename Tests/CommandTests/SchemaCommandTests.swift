import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// `subledger schema`: the data dictionary, for people and for tools.
@Suite(.takesTurns) struct SchemaCommandTests {
  @Test func `without a name it lists the public relations, one per line`() throws {
    let program = try Program()
    let overview = try program.run(["schema"])
    #expect(overview.code == 0)
    #expect(overview.output.hasPrefix("name "))
    #expect(overview.output.contains("\nentitlement                    view   36       Who has access.\n"))
    #expect(!overview.output.contains("\nrule_input"))
    #expect(overview.complaints.contains("subledger schema NAME"))
    let all = try program.run(["schema", "--all"])
    #expect(all.output.contains("\nrule_input "))
    // No file was needed, and none was made.
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.path) == [])
  }

  @Test
  func `with names it describes each column: its type, its unit, and what NULL means, in lines of a readable length`()
    throws
  {
    let program = try Program()
    let reported = try program.run(["schema", "seal", "refund_request"])
    #expect(reported.code == 0)
    #expect(
      reported.output.hasPrefix(
        """
        seal: a table
          The rows that one database transaction recorded, with a digest of them and of the seal before. The
          format is described in Migrations/0008_seals.sql.

          column     type     what it says
          seal_id    INTEGER  The number of the seal, from 1, in the order of recording.
        """))
    #expect(reported.output.contains("\nrefund_request: a view\n"))
    #expect(
      reported.output.contains("\n  outcome                   TEXT     refunded or declined. NULL: still open.\n"))
    #expect(reported.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(try program.run(["schema", "rule_input"]).code == 0, "a step may be asked for by name")
  }

  @Test func `a name that is nowhere exits 1 and names the nearest`() throws {
    let program = try Program()
    let near = try program.run(["schema", "seal", "entitlments"])
    #expect(near.code == 1 && near.output.isEmpty)
    #expect(near.complaints.contains("The schema has no table or view 'entitlments'. Nearest: entitlement"))
    let far = try program.run(["schema", "\u{1B}[31mzzzzzzzz"])
    #expect(
      far.code == 1 && far.complaints.contains("List them with subledger schema") && !far.complaints.contains("\u{1B}"))
  }

  @Test func `JSON, CSV and Markdown tell everything`() throws {
    let program = try Program()
    let json = try program.run(["schema", "--format", "json"]).output
    let relations = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    let names = relations.compactMap { $0["name"] as? String }
    #expect(names.first == "entitlement" && names.contains("payload") && !names.contains("param_scope"))
    let columns = try #require(relations.first?["columns"] as? [[String: Any]])
    #expect(columns.count == 36 && columns.allSatisfy { ($0["comment"] as? String)?.isEmpty == false })
    let all = try program.run(["schema", "--format", "json", "--all"]).output
    #expect(all.contains("\"name\": \"param_scope\""))
    let csv = try program.run(["schema", "--format", "csv"]).output
    #expect(csv.hasPrefix("relation,kind,group,column,type,comment\nentitlement,view,public,,,\"Who has access."))
    #expect(csv.contains("\nseal,table,public,row_count,INTEGER,How many rows it seals.\n"))
    let markdown = try program.run(["schema", "--format", "markdown"]).output
    #expect(markdown.contains("## seal\n\nA table. The rows that one database transaction recorded"))
    #expect(markdown.contains("\n| `row_count` | INTEGER | How many rows it seals. |\n"))
  }

  @Test func `words are searched together, and a table names those of a like name`() throws {
    let program = try Program()
    let found = try program.run(["schema", "auto renew"])
    #expect(found.code == 0 && found.output.contains("entitlement_period"))
    #expect(found.complaints.contains("subledger report: auto_renew_off."))
    #expect(try program.run(["schema", "cohort"]).complaints.contains("subledger report: retention"))
    #expect(try program.run(["schema", "customer"]).complaints.contains("See also: customer_original_transaction, "))
  }

  @Test func `Datasette's metadata describes the file of that name, hides the steps, and brings queries`() throws {
    let program = try Program()
    let text = try program.run(["schema", "--format", "datasette", "--database", "shop/my ledger.v1.sqlite"]).output
    let metadata = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let databases = try #require(metadata["databases"] as? [String: [String: Any]])
    let database = try #require(databases["my ledger.v1"])
    #expect((database["description_html"] as? String)?.contains("<a href=\"my+ledger~2Ev1/entitlement\">") == true)
    let tables = try #require(database["tables"] as? [String: [String: Any]])
    #expect(tables["entitlement"]?["hidden"] == nil)
    #expect((tables["entitlement"]?["columns"] as? [String: String])?["state"]?.hasPrefix("active, ") == true)
    #expect(tables["projection_original_transaction"]?["hidden"] as? Bool == true)
    #expect(tables["rule_input"]?["allow"] as? Bool == false)
    #expect((tables["quarantine"]?["units"] as? [String: String]) == ["byte_count": "byte"])
    // What begins with a hidden table's name is hidden by Datasette too: then it is named in the introduction.
    let introduction = try #require(database["description_html"] as? String)
    let hidden = tables.filter { $0.value["hidden"] as? Bool == true }.map(\.key)
    let steps = Set(try DataDictionary.current().relations.filter { $0.group != .public }.map(\.name))
    for (name, _) in tables where !steps.contains(name) && hidden.contains(where: name.hasPrefix) {
      #expect(introduction.contains(">\(name)</a>"), "\(name)")
    }
    #expect(introduction.contains("/quarantine?_labels=off\">"))
    let queries = try #require(database["queries"] as? [String: [String: Any]])
    #expect(queries.count > 10 && queries.values.allSatisfy { ($0["sql"] as? String)?.contains("SELECT") == true })
    #expect(try program.run(["schema", "seal", "--format", "datasette"]).code == 64)
  }

  @Test func `a scope is SQL for the purchases of one id, or of all, and an unknown id has none`() throws {
    let program = try Program()
    _ = try program.run(["demo"])
    let one = try program.run(["scope", "2000000000000004", "--database", "demo.sqlite", "--as-of", "2026-03-03"])
    #expect(one.code == 0 && one.output.contains("\nCREATE TEMP VIEW transaction_fact AS\n"))
    #expect(one.output.contains("\nINSERT INTO temp.param_query VALUES (1772496000000, "))
    #expect(one.output.contains("\nINSERT INTO temp.param_subscription VALUES ("))
    let all = try program.run(["scope", "--database", "demo.sqlite"])
    #expect(all.code == 0 && !all.output.contains("param_subscription VALUES"))
    let none = try program.run(["scope", "2000000000000009", "--database", "demo.sqlite"])
    #expect(none.code == 1 && none.output.isEmpty && none.complaints.contains("Nothing has the id 2000000000000009"))
  }
}
