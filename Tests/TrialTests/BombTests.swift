import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// Texts made to cost as much as possible. What each may cost is limited, and stated: a megabyte of any text takes no more
/// than some seconds of a processor, its payload no more than sixty bytes of memory a byte, and the file grows by no more
/// than twelve bytes a byte and 500 a payload.
@Suite(.takesTurns) struct BombTests {
  /// How long the texts are: at most what one payload may have.
  static let size = SampleSize.pick(8_000, full: min(125_000 * Trials.length, 15_000_000))

  private static func many(_ text: String, separator: String = "") -> String {
    Array(repeating: text, count: size / (text.utf8.count + separator.utf8.count)).joined(separator: separator)
  }

  private static func numbered(_ length: Int, separator: String = ",", _ text: (Int) -> String) -> String {
    (0..<(size / length)).map(text).joined(separator: separator)
  }

  private static func receipt(_ rows: String) -> String {
    "{\"status\":0,\"environment\":\"Production\",\"receipt\":{\"bundle_id\":\"b\",\"request_date_ms\":\"1700000000000\"},"
      + "\"latest_receipt_info\":[\(rows)]}"
  }

  private static let row = TransactionFixture("1", originalID: "1", day(0), day(30)).row

  static let bombs: [(name: String, text: @Sendable () -> String)] = [
    ("arrays in arrays", { many("[") }), ("objects in objects", { many("{\"a\":") }),
    ("texts in texts", { (0..<12).reduce("{}") { text, _ in "{\"payload\":\(HostileTests.json(text))}" } }),
    ("many keys", { "{" + numbered(13) { "\"k\($0)\":1" } + "}" }),
    (
      "long escaped keys",
      {
        "{" + (0..<990).map { "\"\\u006b\($0)\(String(repeating: "x", count: size / 1000))\":1" }.joined(separator: ",")
          + "}"
      }
    ),
    (
      "long like keys",
      {
        "{" + (0..<990).map { "\"\(String(repeating: "x", count: size / 1000))\($0)\":1" }.joined(separator: ",") + "}"
      }
    ),
    ("the same key again", { "{" + many("\"k\":1", separator: ",") + "}" }),
    ("digits", { "{\"status\":" + many("9") + "}" }),
    ("an instant of digits", { receipt("{\"transaction_id\":\"1\",\"purchase_date_ms\":\"\(many("9"))\"}") }),
    (
      "an exponent",
      { receipt("{\"transaction_id\":\"1\",\"original_transaction_id\":\"1\",\"purchase_date_ms\":1e999999999}") }
    ),
    ("a long id", { receipt(TransactionFixture(many("7"), originalID: "1", day(0), day(30)).row) }),
    ("rows without anything", { receipt(many("{\"transaction_id\":{}}", separator: ",")) }),
    (
      "rows with wrong fields",
      {
        receipt(
          many(
            "{\"transaction_id\":\"1\",\"purchase_date_ms\":\"1700000000000\",\"quantity\":{},\"expires_date_ms\":[]}",
            separator: ","))
      }
    ),
    ("the same row again", { receipt(many(row, separator: ",")) }),
    (
      "short rows of many lines",
      {
        receipt(
          numbered(95) {
            "{\"original_transaction_id\":\"\($0)\",\"transaction_id\":\"\($0)\",\"purchase_date_ms\":\"1700000000000\"}"
          })
      }
    ),
    (
      "short rows of no line",
      { receipt(numbered(65) { "{\"transaction_id\":\"\($0)\",\"purchase_date_ms\":\"1700000000000\"}" }) }
    ),
    ("empty payloads", { "[" + many("{}", separator: ",") + "]" }),
    ("tiny payloads", { numbered(12, separator: "\n") { "{\"a\":\($0)}" } }),
    ("tiny documents", { numbered(14, separator: "\n\n") { "{\n\"a\":\($0)}" } }),
    ("tiny signed texts", { numbered(20, separator: "\n") { "eyJhIjoxfQ.e30.\($0)" } }),
    ("spaces", { many(" ") }), ("one line", { "{\"a\":\"" + many("x") }),
    ("backslashes", { "{\"password\":\"" + many("\\") }),
    ("secrets", { many("\"password\":\"") }), ("signed texts without end", { many("eyJ") + ".a.b" }),
    ("reports", { numbered(110, separator: "\n") { PayloadFixture.event("purchasing", at: day(Double($0) / 1000)) } }),
  ]

  /// The size of a ledger without evidence.
  private static let emptySize = Result {
    let program = try Program()
    #expect(try program.run(["import", "-", "--database", "l.sqlite"]).code == 0)
    return try FileManager.default.attributesOfItem(atPath: program.folder.file("l.sqlite"))[.size] as? Int ?? 0
  }

  @Test(arguments: bombs.map(\.name))
  func `no text costs more than is stated`(name: String) async throws {
    let bomb = try #require(Self.bombs.first { $0.name == name })
    let program = try Program()
    let text = bomb.text()
    _ = try program.folder.write(text, to: "bomb")
    // A debug build is ten times slower than the program that is used.
    let seconds = 10 + text.utf8.count * 20 / 1_000_000
    let memory = 400_000 + text.utf8.count * 60 / 1000
    let result = try Shell.run(
      // One arena: else the C library reserves address space for each thread, and where the limit leaves none it asks the
      // kernel for every allocation.
      "ulimit -t \(seconds); ulimit -v \(memory); export MALLOC_ARENA_MAX=1; "
        + "'\(Program.path)' import bomb --received-at 2024-01-01 --database l.sqlite --format json", in: program.folder
    )
    #expect([0, 65].contains(result.code), "\(name): \(result.code) \(result.complaints.prefix(300))")
    let counts = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Int] ?? [:]
    let payloads = counts["payloads"] ?? 0
    #expect(payloads > 0)
    let file = try FileManager.default.attributesOfItem(atPath: program.folder.file("l.sqlite"))[.size] as? Int ?? 0
    #expect(
      try file < 100_000 + Self.emptySize.get() + 12 * text.utf8.count + 500 * payloads,
      "\(name): \(file) bytes of \(text.utf8.count)")
    // Once more costs nothing on disk.
    let again = try program.run(
      ["import", "bomb", "--received-at", "2024-01-01", "--database", "l.sqlite", "--format", "json"])
    #expect(again.output.contains("\"recorded\": 0, \"duplicates\": \(payloads)"), "\(name): \(again.output)")
    Trials.report("texts made to cost as much as possible", 1)
  }
}
