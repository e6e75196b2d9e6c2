import Foundation
import TestSupport
import Testing

/// What `subledger import` reads in a folder, and what it leaves alone.
@Suite(.takesTurns) struct ImportFolderTests {
  @Test func `the folder of a simulation is recognised, and only its payloads are imported`() throws {
    let program = try Program()
    let made = try program.run(["simulate", "--customers", "2", "--out", "world"])
    let count = try #require(made.output.firstMatch(of: /^(\d+) messages/)?.1)
    for folder in ["world", "world/"] {
      let done = try program.run(["import", folder, "--trust", "world/authority/root.pem"])
      #expect(done.code == 0 && done.output.hasPrefix("\(count) payloads:"), "\(done)")
    }
    #expect(try program.run(["quarantine", "list"]).output == "")
  }

  @Test func `a private key never enters a ledger`() throws {
    let program = try Program()
    let key =
      "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----\n"
    try FileManager.default.createDirectory(atPath: program.folder.file("in"), withIntermediateDirectories: true)
    try program.folder.write(key, to: "in/AuthKey_1.p8")
    try program.folder.write(key, to: "in/key.PEM")
    let skipped = try program.run(["import", "in"])
    #expect(skipped.complaints.contains("in/AuthKey_1.p8 (key or certificate), in/key.PEM (key or certificate)"))
    #expect(skipped.output.hasPrefix("0 payloads"))
    // A file of another name, standard input, and a key behind something else.
    try program.folder.write("{}\n" + key, to: "in/notes.txt")
    for (path, input) in [("in", ""), ("in/notes.txt", ""), ("in/AuthKey_1.p8", ""), ("-", key)] {
      let refused = try program.run(["import", path], input: input)
      #expect(refused.code == 66 && refused.complaints.contains("contains a private key"), "\(path): \(refused)")
    }
    #expect(try program.run(["query", "SELECT COUNT(*) AS n FROM quarantine", "--format", "csv"]).output == "n\n0\n")
  }

  @Test func `the most frequent problems are named, with what shows them`() throws {
    let program = try Program()
    let rows =
      (1...3).map { "{\"transaction_id\":\"***\($0)\",\"product_id\":\"p\",\"purchase_date_ms\":\"1\"}" }
      + (1...2).map { "{\"transaction_id\":\"\($0)\",\"product_id\":\"p\"}" }
    try program.folder.write(
      "{\"status\":0,\"environment\":\"Production\",\"latest_receipt_info\":[\(rows.joined(separator: ","))]}",
      to: "in.json")
    let done = try program.run(["import", "in.json"])
    #expect(
      done.output.contains(
        "Not used, or doubtful: redacted_id (3), missing_original_transaction_id (2), missing_purchase_date (2)."),
      "\(done)")
    #expect(done.output.contains("See them with: subledger query \"SELECT code, path, value FROM problem\""))
  }
}
