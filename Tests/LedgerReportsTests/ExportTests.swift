import AppStore
import Foundation
import GRDB
import Ledger
import TestSupport
import Testing

@testable import LedgerReports
@testable import LedgerSchema
@testable import LedgerStore

/// What leaves the ledger: all of it, once, and put together the same as the ledger itself.
@Suite struct ExportTests {
  private static let parameters = QueryParameters(asOf: day(60), knownAt: day(20_000))

  private static func options(
    _ parameters: QueryParameters = parameters, _ change: (inout ExportOptions) -> Void = { _ in }
  )
    -> ExportOptions
  {
    var options = ExportOptions(parameters: parameters)
    options.partitions = 4
    change(&options)
    return options
  }

  private static func texts(_ ledger: LedgerReader, _ sql: String, _ parameters: QueryParameters) throws -> [String] {
    var (names, rows): ([String], [String]) = ([], [])
    try ledger.query(sql, parameters) {
      names = $0
    } row: { values in
      let cells = zip(names, values).compactMap { name, value in
        switch value {
        case .null: nil as String?
        case .integer(let number): "\(name)=\(number)"
        case .text(let text): "\(name)=\(text)"
        case .blob(let bytes): "\(name)=\(ContentDigest(bytes: bytes).hexadecimal)"
        default: "\(name)=?"
        }
      }
      rows.append(cells.sorted().joined(separator: " "))
    }
    return rows.sorted()
  }

  /// Compares what was exported with the ledger, relation by relation.
  private static func compare(_ reader: ExportReader, _ ledger: LedgerReader, _ parameters: QueryParameters) throws
    -> Int
  {
    var count = 0
    for relation in reader.schemas.last?["relations"] as? [[String: Any]] ?? [] {
      let name = relation["name"] as? String ?? ""
      if name == "changed_original_transaction" { continue }
      let columns = (relation["columns"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      let raw: Set = [
        "payload.source", "transaction_info.source", "renewal_info.source",
        "app_transaction_info.source", "problem.value",
      ]
      let reported = columns.filter { !raw.contains("\(name).\($0)") }
      let isView = relation["kind"] as? String == "view"
      let expected = try texts(ledger, "SELECT \(reported.joined(separator: ", ")) FROM \(name)", parameters)
      // Lines that are as they were keep the instants at which they were exported.
      let left: Set = isView ? ["as_of", "known_at"] : []
      let found = reader.texts(name, without: left)
      let wanted = expected.map { text in
        isView
          ? text.split(separator: " ").filter { !$0.hasPrefix("as_of=") && !$0.hasPrefix("known_at=") }
            .joined(separator: " ") : text
      }
      #expect(found == wanted.sorted(), "\(name)")
      count += found.count
    }
    return count
  }

  @Test(arguments: ["csv", "ndjson"])
  func `an export holds what the tables and views hold, each row once, for its owner alone`(format: String) async throws
  {
    let bench = try LedgerBench([await RandomHistory(seed: 31, count: 60).arrivals])
    let folder = bench.folder.file("export")
    let summary = try bench.ledger.reader.export(to: folder, Self.options())
    #expect(summary.isFull && summary.number == 1 && summary.reason == nil)
    let reader = try ExportReader(folder, format: format)
    #expect(try Self.compare(reader, bench.ledger.reader, Self.parameters) > 200)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(file)")
    }
    #expect(reader.texts("payload").allSatisfy { !$0.contains("source=") })
    let described = try #require(reader.schemas.first?["relations"] as? [[String: Any]])
    for relation in described where relation["name"] as? String != "changed_original_transaction" {
      #expect(!(relation["meaning"] as? String ?? "").isEmpty, "\(relation["name"] ?? "")")
    }
  }

  @Test func `exports put together are the ledger, whatever came between them and in whatever order`() async throws {
    var random = SplitMix(seed: 32)
    let history = await RandomHistory(seed: 32, count: 90)
    let bench = try LedgerBench([])
    let folder = bench.folder.file("export")
    // Received instants have nothing to do with the order of import: what is late has old ones.
    let batches = RandomChoice.split(history.arrivals.shuffled(using: &random), &random)
    var asOf = day(0)
    for (index, batch) in batches.enumerated() {
      try bench.ledger.record(batch)
      if index.isMultiple(of: SampleSize.pick(9, full: 2)) || index == batches.count - 1 {
        asOf = day(Double(index) * 9)
        _ = try bench.ledger.reader.export(to: folder, Self.options(QueryParameters(asOf: asOf, knownAt: day(20_000))))
      }
    }
    let parameters = QueryParameters(asOf: asOf, knownAt: day(20_000))
    let reader = try ExportReader(folder, format: "ndjson")
    #expect(reader.schemas.count > 2 && reader.schemas.dropFirst().allSatisfy { $0["kind"] as? String == "increment" })
    #expect(try Self.compare(reader, bench.ledger.reader, parameters) > 200)
    // Nothing happened: nothing is new, and no line is another.
    let again = try bench.ledger.reader.export(to: folder, Self.options(parameters))
    #expect(!again.isFull && again.number == reader.schemas.count + 1)
    let last = try #require(try ExportReader(folder, format: "csv").schemas.last?["relations"] as? [[String: Any]])
    #expect(
      last.filter { ["new", "changed"].contains($0["content"] as? String) }.allSatisfy { $0["rows"] as? Int == 0 })
  }

  @Test func `an export is one state of the ledger, while others record`() async throws {
    let history = await RandomHistory(seed: 33, count: 120)
    let bench = try LedgerBench([Array(history.arrivals.prefix(20))])
    let (folder, path) = (bench.folder.file("export"), bench.ledger.path)
    let asking = try LedgerReader(path: path)
    let recording = Task {
      for arrival in history.arrivals.dropFirst(20) { try bench.ledger.record([arrival]) }
    }
    var seals: [Int64] = []
    repeat {
      seals.append(try asking.export(to: folder, Self.options()).seal)
      let reader = try ExportReader(folder, format: "ndjson")
      // No row without the row that it belongs to.
      let payloads = Set((reader.relations["payload"] ?? []).compactMap { $0["payload_id"] })
      let lines = Set((reader.relations["original_transaction"] ?? []).compactMap { $0["original_transaction_key"] })
      for row in reader.relations["transaction_version"] ?? [] {
        #expect(payloads.contains(row["payload_id"] ?? "") && lines.contains(row["original_transaction_key"] ?? ""))
      }
    } while seals.count < 4
    try await recording.value
    _ = try asking.export(to: folder, Self.options())
    #expect(seals == seals.sorted())
    #expect(try Self.compare(try ExportReader(folder, format: "csv"), asking, Self.parameters) > 200)
  }

  @Test func `since an instant: all that was recorded after the first that was recorded then`() async throws {
    let bench = try LedgerBench([])
    let history = await RandomHistory(seed: 34, count: 30)
    let dated = history.arrivals.sorted { $0.receivedAt < $1.receivedAt }
    for arrival in dated { try bench.ledger.record([arrival]) }
    let since = try #require(dated.dropFirst(dated.count / 2).first?.receivedAt)
    let folder = bench.folder.file("export")
    let summary = try bench.ledger.reader.export(to: folder, Self.options { $0.since = since })
    #expect(!summary.isFull)
    let reader = try ExportReader(folder, format: "csv")
    let received = (reader.relations["delivery"] ?? []).compactMap { $0["received_at"].flatMap { Int64($0) } }
    #expect(received.allSatisfy { $0 >= since.milliseconds } && received.count > 5)
    let expected = try Self.texts(
      bench.ledger.reader, "SELECT * FROM delivery WHERE received_at >= \(since.milliseconds)", Self.parameters)
    #expect(reader.texts("delivery") == expected)
    #expect(try bench.ledger.reader.export(to: folder, Self.options()).rows < summary.rows)
    // An instant after all that the export before holds leaves nothing out between the two.
    let whole = bench.folder.file("whole")
    _ = try bench.ledger.reader.export(to: whole, Self.options())
    for arrival in await RandomHistory(seed: 35, count: 10).arrivals { try bench.ledger.record([arrival]) }
    _ = try bench.ledger.reader.export(to: whole, Self.options { $0.since = day(20_000) })
    #expect(try Self.compare(try ExportReader(whole, format: "csv"), bench.ledger.reader, Self.parameters) > 200)
  }

  @Test(arguments: [("2000000000000001", 10, 6), ("350610000980006", 0, 2), ("é", 14, 6)])
  func `a partition is the first four bytes of the id's SHA-256, modulo their number`(
    id: String, ofSixteen: Int, ofSeven: Int
  ) {
    #expect(SubscriptionPartitions.partition(of: id, count: 16) == ofSixteen)
    #expect(SubscriptionPartitions.partition(of: id, count: 7) == ofSeven)
  }

  @Test func `the rows of a subscription are all in the partition of its id`() async throws {
    let bench = try LedgerBench([await RandomHistory(seed: 35, count: 40).arrivals])
    let folder = bench.folder.file("export")
    _ = try bench.ledger.reader.export(to: folder, Self.options { $0.partitions = 7 })
    for relation in ["original_transaction", "entitlement", "transaction_current"] {
      for partition in 0..<7 {
        let path = "\(folder)/000001/\(relation)/part-0\(partition).csv"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
        for row in ExportReader.csv(text) {
          #expect(SubscriptionPartitions.partition(of: row["original_transaction_id"] ?? "", count: 7) == partition)
        }
      }
    }
  }

  @Test(arguments: [
    ("plain text", "plain text", #""plain text""#), ("", "\"\"", "\"\""), ("a,b", "\"a,b\"", "\"a,b\""),
    ("say \"so\"", "\"say \"\"so\"\"\"", #""say \"so\"""#), ("two\nlines", "\"two\nlines\"", #""two\u000alines""#),
    ("a\rb", "\"a\rb\"", #""a\u000db""#), ("\\.", "\"\\.\"", #""\\.""#), ("é€😀", "é€😀", "\"é€😀\""),
    ("\u{1}\u{1F}", "\u{1}\u{1F}", #""\u0001\u001f""#), ("NULL", "NULL", "\"NULL\""),
  ])
  func `texts are quoted as RFC 4180 and JSON have it`(text: String, csv: String, json: String) {
    let (first, second) = (RowBytes(capacity: 1), RowBytes(capacity: 1))
    var text = text
    text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return }
      first.append(csv: start, bytes.count, isRaw: true)
      second.append(json: start, bytes.count)
    }
    #expect(String(decoding: first.bytes, as: UTF8.self) == csv)
    #expect(String(decoding: second.bytes, as: UTF8.self) == json)
  }

  @Test func `numbers are written as they are`() {
    for number in [0, 7, -7, 1_795_297_485_732, Int64.max, .min] {
      let bytes = RowBytes(capacity: 1)
      bytes.append(number)
      #expect(String(decoding: bytes.bytes, as: UTF8.self) == String(number))
    }
  }

  @Test func `every table and view is exported, or is known not to be`() throws {
    let schema = try PortableSchema.read()
    let tables = try DatabaseQueue().write { database in
      try Schema.migrate(database)
      return try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
    }
    let manifest = SchemaRelations.current.relations
    #expect(Set(manifest.filter { !$0.isView }.map(\.name)) == tables)
    #expect(Set(manifest.filter(\.isView).map(\.name)) == Set(Schema.views.map(\.name)))
    let left = manifest.filter { !$0.isView && !$0.isExported && !$0.isConstant }.map(\.name)
    #expect(Set(schema.tables.map(\.name)).isDisjoint(with: left))
    // Other engines derive what SQLite stores.
    let derived = manifest.filter { $0.derived != nil }.map(\.name)
    #expect(Set(schema.tables.map(\.name)).isDisjoint(with: derived))
    #expect(Set(schema.tables.map(\.name)).union(left).union(derived) == tables)
    #expect(Schema.parameterRelations.count == 5)
    #expect(ExportRelation.viewNames.contains("entitlement") && !ExportRelation.viewNames.contains("param_query"))
  }
}
