import AppStore
import Foundation
import TestSupport
import Testing

/// Who is believed, as the command line says it and lets it be chosen.
@Suite(.takesTurns) struct TrustCommandTests {
  private static let month = TransactionFixture(day(0), day(30))

  /// A refund that Apple signed, by a test authority, and a receipt of a later date that does not know of it.
  private static func program() throws -> Program {
    let program = try Program()
    let (authority, chain) = (try TestAuthority.shared.get(), try TestAuthority.sharedChain.get())
    try Data(authority.rootDER).write(to: URL(fileURLWithPath: program.folder.file("root.der")))
    let refund = try PayloadFixture.signedV2(
      "REFUND", at: day(5), transaction: TransactionFixture(day(0), day(30), revoked: day(5)), chain: chain)
    try program.folder.write(refund + "\n", to: "signed.ndjson")
    try program.folder.write(
      PayloadFixture.receipt(at: day(9), latest: [month], environment: "Production") + "\n", to: "receipt.ndjson")
    return program
  }

  @Test func `an import says once how much it took without a signature, and can be asked to refuse it`() throws {
    let program = try Self.program()
    let both = try program.run(["import", "signed.ndjson", "receipt.ndjson", "--trust", "root.der"])
    #expect(
      both.output
        == "2 payloads: 2 recorded, 0 duplicates, 0 in quarantine; 0 problems.\n"
        + "1 of the recorded payloads is not signed. They count as evidence because you named the files. "
        + "--signed-only refuses such payloads.\n")
    let again = try program.run(["import", "signed.ndjson", "receipt.ndjson", "--trust", "root.der"])
    #expect(again.output.split(separator: "\n").count == 1)
    let strict = try program.run([
      "import", "signed.ndjson", "receipt.ndjson", "--trust", "root.der", "--signed-only", "--database", "s.sqlite",
    ])
    #expect(strict.code == 65 && strict.output.hasPrefix("2 payloads: 1 recorded, 0 duplicates, 1 in quarantine"))
    #expect(strict.complaints.contains("quarantined (unsigned): a verifyReceipt answer carries no signature"))
    // What was refused there stays refused, until somebody says where it comes from.
    let retried = try program.run(["quarantine", "retry", "--database", "s.sqlite"])
    #expect(retried.code == 65)
    #expect(try program.run(["quarantine", "retry", "--accept-unsigned", "--database", "s.sqlite"]).code == 0)
  }

  @Test func `a V1 notification must have the shared secret in a file, which is stored nowhere`() throws {
    let program = try Self.program()
    try program.folder.write("s3cret\n", to: "secret.txt")
    try program.folder.write("other\n", to: "wrong.txt")
    try program.folder.write(PayloadFixture.v1("DID_RENEW", latest: [Self.month]), to: "v1.json")
    let arguments = ["import", "v1.json", "--signed-only", "--shared-secret"]
    #expect(try program.run(arguments + ["b=wrong.txt", "--database", "w.sqlite"]).code == 65)
    // The secret of one app proves nothing about another.
    #expect(try program.run(arguments + ["other=secret.txt", "--database", "w.sqlite"]).code == 65)
    #expect(try program.run(arguments + ["b=secret.txt"]).code == 0)
    for text in ["b=missing.txt", "secret.txt", "=secret.txt"] {
      #expect(try program.run(arguments + [text]).code == 66, "\(text)")
    }
    for name in ["subledger.sqlite", "w.sqlite"] {
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: program.folder.file(name))).range(of: Data("s3cret".utf8)) == nil)
    }
  }

  @Test func `show, why, check and audit tell what unsigned evidence decided against signed evidence`() throws {
    let program = try Self.program()
    _ = try program.run(["import", "signed.ndjson", "receipt.ndjson", "--trust", "root.der"])
    _ = try program.run(["products", "entitle", "pro", "--product", "monthly", "--bundle-id", "b"])
    _ = try program.run(["customers", "link", "ada", "t1", "--author", "anna", "--reason", "asked"])
    let at = ["--as-of", "\(day(20))"]
    let words =
      "Decided by unsigned evidence against signed: by signed evidence alone revoked. "
      + "Has had no access since 2026-01-06 00:00:00Z"
    for command in ["show", "why"] {
      let reported = try program.run([command, "t1"] + at)
      #expect(reported.output.contains(words), "\(reported.output)")
      let signed = try program.run([command, "t1", "--signed-only"] + at)
      #expect(signed.output.contains("by signed evidence alone") && !signed.output.contains("against signed"))
      #expect(signed.output.contains("verified by an added root, Test Root"), "\(signed.output)")
      let apple = try program.run([command, "t1", "--apple-only"] + at)
      #expect(!apple.output.contains("State  ") && !apple.output.contains("Evidence  "), "\(apple.output)")
    }
    let check = try program.run(["check", "ada", "pro"] + at)
    #expect(check.code == 0 && check.output.contains("\"trust\": \"unsigned\", \"added_root\": null"))
    let strict = try program.run(["check", "ada", "pro", "--signed-only"] + at)
    #expect(strict.code == 1 && strict.output.contains("\"trust\": \"verified\", \"added_root\": \"Test Root\""))
    #expect(try program.run(["check", "ada", "pro", "--apple-only"] + at).code != 0)
    let count = "SELECT state, trust FROM entitlement"
    #expect(try program.run(["query", count, "--format", "csv"] + at).output == "state,trust\nactive,unsigned\n")
    #expect(
      try program.run(["query", count, "--format", "csv", "--signed-only"] + at).output
        == "state,trust\nrevoked,verified\n")
    let report = ["report", "active_subscriptions", "--from", "2026-01-20", "--to", "2026-01-21", "--every", "day"]
    let known = ["--format", "csv", "--as-of", "\(day(3000))"]
    #expect(try program.run(report + known).output.contains("e,,,1,,,"))
    #expect(try program.run(report + known + ["--signed-only"]).output.contains("e,,,1,,,") == false)
  }

  @Test func `an audit lists what rests on unsigned evidence and on added roots, and finds no fault in it`() throws {
    let program = try Self.program()
    // So that the answer is about the present.
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    func ago(_ days: Double) -> Instant { Instant(milliseconds: now.milliseconds - Int64(days * 86_400_000)) }
    func ahead(_ days: Double) -> Instant { ago(-days) }
    let chain = try TestAuthority.sharedChain.get()
    let stored = TransactionFixture("p1", originalID: "p1", ago(9), ahead(20))
    let refunded = TransactionFixture("p1", originalID: "p1", ago(9), ahead(20), revoked: ago(5))
    try program.folder.write(
      try PayloadFixture.signedV2("REFUND", at: ago(5), transaction: refunded, chain: chain) + "\n"
        + PayloadFixture.receipt(at: ago(1), latest: [stored], environment: "Production"), to: "now.ndjson")
    _ = try program.run(["import", "now.ndjson", "--trust", "root.der"])
    let audit = try program.run(["audit"])
    #expect(audit.code == 0)
    #expect(audit.output.contains("Production p1: active by covered. Decided by unsigned evidence against signed"))
    #expect(audit.output.contains("1 payload of Production is trusted by this root, Test Root, which is not Apple's"))
    #expect(audit.output.hasSuffix("OK: no problems found.\n"))
    let rows = try program.run(["audit", "--format", "csv"]).output.split(separator: "\n").map {
      $0.prefix { $0 != "," }
    }
    #expect(rows == ["finding", "unsigned_decision", "added_root"])
  }

  @Test func `an app without a catalogue is noticed where the ledger has one`() throws {
    let program = try Self.program()
    _ = try program.run(["import", "receipt.ndjson"])
    #expect(try program.run(["import", "receipt.ndjson"]).complaints.isEmpty)
    _ = try program.run(["products", "entitle", "pro", "--product", "monthly", "--bundle-id", "mine"])
    try program.folder.write(PayloadFixture.receipt(at: day(10), latest: [Self.month]), to: "other.json")
    let warned = try program.run(["import", "other.json"])
    #expect(warned.code == 0)
    #expect(warned.complaints.hasPrefix("The catalogue has no products of b, so its purchases grant nothing."))
    // A filter names the apps that count.
    try program.folder.write(PayloadFixture.receipt(at: day(11), latest: [Self.month]), to: "third.json")
    #expect(try program.run(["import", "third.json", "--bundle-id", "b"]).complaints.isEmpty)
  }

  @Test func `what is received tomorrow is refused`() throws {
    let program = try Self.program()
    let late = try program.run(["import", "receipt.ndjson", "--received-at", "2999-01-01"])
    #expect(late.code == 64 && late.complaints.contains("lies after this machine's clock"))
    try program.folder.write(
      "{\"receivedAt\":\"2999-01-01T00:00:00Z\",\"payload\":\(PayloadFixture.v1("DID_RENEW", latest: [Self.month]))}",
      to: "w.json")
    let wrapped = try program.run(["import", "w.json"])
    #expect(wrapped.code == 65 && wrapped.complaints.contains("quarantined (received_in_the_future)"))
  }
}
