import AppStore
import Foundation
import Ledger
import LedgerService
import TestSupport
import Testing

/// Tokens: who may ask the server, and until when.
@Suite struct TokenTests {
  private static func isValid(_ text: String, _ ledger: LedgerRecorder, _ now: Instant) throws -> Bool {
    try TokenText(text).flatMap { try ledger.reader.token($0, at: now) }?.isValid(at: now) ?? false
  }

  @Test func `a token is valid from its making until its end or its revocation`() throws {
    let bench = try LedgerBench([])
    let token = try bench.ledger.createToken(
      "web", scopes: [.ask, .ingest], expiresAt: day(20), CustomerFixture.staffAction(1))
    let other = try bench.ledger.createToken("job", scopes: [.ask], CustomerFixture.staffAction(1))
    #expect(try Self.isValid(token.text, bench.ledger, day(19)))
    #expect(try !Self.isValid(token.text, bench.ledger, day(20)))
    try bench.ledger.revokeToken(other.id, CustomerFixture.staffAction(5))
    #expect(try !Self.isValid(other.text, bench.ledger, day(5)))
    #expect(throws: LedgerError.self) { try bench.ledger.revokeToken(other.id, CustomerFixture.staffAction(6)) }
    #expect(throws: LedgerError.self) { try bench.ledger.revokeToken("aaaaaaaa", CustomerFixture.staffAction(6)) }
    #expect(try bench.ledger.reader.tokens().map(\.name) == ["web", "job"])
  }

  @Test func `no other text is a valid token`() throws {
    let bench = try LedgerBench([])
    let token = try bench.ledger.createToken("web", scopes: [.ask], CustomerFixture.staffAction(1)).text
    let other = try bench.ledger.createToken("web", scopes: [.ask], CustomerFixture.staffAction(1)).text
    // The id of one token with the secret of another.
    let mixed = token.prefix(11) + other.dropFirst(11)
    let flipped = token.dropLast() + (token.hasSuffix("A") ? "B" : "A")
    for text in ["", "sl_", String(token.dropLast()), token + "A", String(mixed), String(flipped), token.uppercased()] {
      #expect(try !Self.isValid(text, bench.ledger, day(2)), "\(text)")
    }
    #expect(try Self.isValid(token, bench.ledger, day(2)))
  }

  @Test func `after a rotation both secrets count until the former one ends`() throws {
    let bench = try LedgerBench([])
    let first = try bench.ledger.createToken("web", scopes: [.ask], CustomerFixture.staffAction(1))
    let second = try bench.ledger.rotateToken(first.id, formerUntil: day(6), CustomerFixture.staffAction(5))
    let third = try bench.ledger.rotateToken(first.id, formerUntil: day(9), CustomerFixture.staffAction(8))
    let cases: [(text: TokenText, days: [Double], isValid: Bool)] = [
      (first, [5, 5.9], true), (first, [6, 8, 9], false), (second, [5, 6, 8.9], true), (second, [9, 10], false),
      (third, [8, 100], true),
    ]
    for item in cases {
      for number in item.days { #expect(try Self.isValid(item.text.text, bench.ledger, day(number)) == item.isValid) }
    }
  }

  @Test func `the file has no secret, and the chain covers every entry`() async throws {
    let bench = try LedgerBench([])
    let token = try bench.ledger.createToken("web", scopes: [.ask], CustomerFixture.staffAction(1)).text
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file(name)))
      #expect(data.range(of: Data(token.suffix(43).utf8)) == nil, "\(name)")
      #expect(data.range(of: Data("web".utf8)) != nil || !name.hasSuffix("sqlite-wal"), "canary")
    }
    #expect(try await bench.ledger.reader.audit() == [])
  }

  @Test(arguments: [true, false])
  func `a restored backup revives no token, and its feed begins another run`(isReplacing: Bool) async throws {
    let bench = try LedgerBench([])
    let revoked = try bench.ledger.createToken("web", scopes: [.ask], CustomerFixture.staffAction(1))
    let stored = try bench.ledger.createToken("job", scopes: [.ask], CustomerFixture.staffAction(1))
    try ChangeFeed(bench.ledger).advance(to: day(1))
    let epoch = try bench.ledger.reader.status().lastChange?.epoch
    let (file, other) = (bench.folder.file("backup.sqlite"), bench.folder.file("other.sqlite"))
    let anchor = try bench.ledger.reader.backUp(to: file).anchor
    try bench.ledger.revokeToken(revoked.id, CustomerFixture.staffAction(2))
    let path = isReplacing ? bench.ledger.path : other
    let summary = try Backup.restore(file, to: path, isReplacing: isReplacing, at: day(3))
    #expect(summary.revokedTokens == 2)
    let reader = try LedgerReader(path: path)
    #expect(try reader.tokens().map(\.revokedAt) == [day(3), day(3)])
    for token in [revoked, stored] { #expect(try reader.token(token, at: day(3))?.isValid(at: day(3)) == false) }
    let next = try reader.status().lastChange?.epoch
    #expect(next != nil && next != epoch)
    // The ledger continues the backup, and says who revoked the tokens.
    #expect(try await reader.audit() == [] && reader.anchor()?.seal == (anchor?.seal ?? 0) + 1)
    #expect(try Backup.relation(of: file, to: path) == .earlier(by: 1))
  }
}
