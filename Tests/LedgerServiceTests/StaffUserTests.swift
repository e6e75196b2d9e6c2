import AppStore
import Foundation
import Ledger
import LedgerService
import TestSupport
import Testing

/// The users of the support page: who may sign in, as what, and for how long.
@Suite struct StaffUserTests {
  private static let text = "correct horse battery staple"

  private static func bench(_ names: [String] = ["ann"], role: StaffRole = .support) throws -> LedgerBench {
    let bench = try LedgerBench([])
    for name in names {
      try bench.ledger.createStaffUser(
        name, role: role, password: Password(new: text), CustomerFixture.staffAction(1))
    }
    return bench
  }

  private static func signIn(_ name: String, _ bench: LedgerBench, _ text: String = text) throws -> StaffUser? {
    try bench.ledger.reader.staffUser(named: name, password: Password(typed: text))
  }

  /// Signs in, and begins a session.
  private static func session(_ name: String, at now: Instant, _ bench: LedgerBench) throws -> SessionSecret {
    let (user, secret) = (try #require(try signIn(name, bench)), SessionSecret())
    try bench.ledger.record { try $0.beginSession(secret, of: user, at: now) }
    return secret
  }

  @Test func `only the name and the password of one user sign in`() throws {
    let bench = try Self.bench(["ann", "bob"])
    #expect(try Self.signIn("ann", bench)?.role == .support)
    let cases = [
      ("ann", Self.text + " "), ("ann", ""), ("ann", Self.text.uppercased()), ("Ann", Self.text), ("", Self.text),
      ("nobody", Self.text), ("ann' OR '1'='1", Self.text), ("ann\0", Self.text),
    ]
    for (name, text) in cases { #expect(try Self.signIn(name, bench, text) == nil, "\(name)") }
  }

  @Test func `a password with an accent is the same however the keyboard composes it`() throws {
    let bench = try LedgerBench([])
    try bench.ledger.createStaffUser(
      "ann", role: .viewer, password: Password(new: "caf\u{E9} au lait, s'il vous plait"),
      CustomerFixture.staffAction(1))
    #expect(try Self.signIn("ann", bench, "cafe\u{301} au lait, s'il vous plait") != nil)
  }

  @Test(arguments: ["", "short", "eleven char", "with a tab\tin its middle", String(repeating: "a", count: 257)])
  func `a password that is too short, too long or cannot be typed is refused`(text: String) {
    #expect { try Password(new: text) } throws: { ($0 as? LedgerError)?.code == .refusedText }
  }

  @Test(arguments: ["", " ", "ann lee", "ann\n", String(repeating: "a", count: 65)])
  func `a name that cannot be typed in one word is refused`(name: String) throws {
    #expect { try Self.bench([name]) } throws: { ($0 as? LedgerError)?.code == .refusedText }
  }

  @Test func `a name belongs to one user for good`() throws {
    let bench = try Self.bench()
    try bench.ledger.setRole(nil, ofStaffUser: "ann", CustomerFixture.staffAction(2))
    #expect {
      try bench.ledger.createStaffUser(
        "ann", role: .admin, password: Password(new: Self.text), CustomerFixture.staffAction(3))
    } throws: { ($0 as? LedgerError)?.code == .refusedEntry }
    #expect(try Self.signIn("ann", bench) == nil)
  }

  @Test func `a session ends after 30 minutes without use, and after 12 hours`() throws {
    let bench = try Self.bench()
    let (begin, minute) = (day(2), 60_000 as Int64)
    func isOpen(_ secret: SessionSecret, minutes: Int64) throws -> Bool {
      try bench.ledger.reader.session(secret, at: begin + minutes * minute) != nil
    }
    let idle = try Self.session("ann", at: begin, bench)
    #expect(try isOpen(idle, minutes: 29) && !isOpen(idle, minutes: 30))
    let used = try Self.session("ann", at: begin, bench)
    for minutes in stride(from: 20 as Int64, to: 720, by: 20) {
      #expect(try isOpen(used, minutes: minutes))
      try bench.ledger.record { try $0.noteUse(of: used, at: begin + minutes * minute) }
    }
    #expect(try isOpen(used, minutes: 719) && !isOpen(used, minutes: 720))
  }

  @Test func `signing out, another role, another password and a command end sessions`() throws {
    let ends: [(String, (LedgerRecorder, SessionSecret) throws -> Void)] = [
      ("sign-out", { ledger, secret in try ledger.record { try $0.endSession(secret) } }),
      ("role", { ledger, _ in try ledger.setRole(.lead, ofStaffUser: "ann", CustomerFixture.staffAction(2)) }),
      ("removal", { ledger, _ in try ledger.setRole(nil, ofStaffUser: "ann", CustomerFixture.staffAction(2)) }),
      (
        "password",
        { ledger, _ in
          try ledger.setPassword(Password(new: "another long password"), ofStaffUser: "ann", at: day(2))
        }
      ),
      ("command", { ledger, _ in try ledger.endSessions(ofStaffUser: "ann") }),
    ]
    for (name, end) in ends {
      let bench = try Self.bench(["ann", "bob"])
      let (ann, bob) = (try Self.session("ann", at: day(2), bench), try Self.session("bob", at: day(2), bench))
      #expect(try bench.ledger.reader.session(ann, at: day(2))?.user.name == "ann")
      try end(bench.ledger, ann)
      #expect(try bench.ledger.reader.session(ann, at: day(2)) == nil, "\(name)")
      #expect(try bench.ledger.reader.session(bob, at: day(2)) != nil, "\(name)")
    }
  }

  @Test func `the file has no password and no secret of a session, and the chain covers users and roles`() async throws
  {
    let bench = try Self.bench()
    let secret = try Self.session("ann", at: day(2), bench)
    try bench.ledger.setRole(.lead, ofStaffUser: "ann", CustomerFixture.staffAction(3))
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
      let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.file(name)))
      for text in [Self.text, secret.text, secret.formToken] {
        #expect(data.range(of: Data(text.utf8)) == nil, "\(name)")
      }
    }
    #expect(try await bench.ledger.reader.audit() == [])
    let users = try bench.ledger.reader.staffUsers()
    #expect(users.map(\.name) == ["ann"] && users[0].role == .lead && users[0].sessionCount == 0)
  }

  @Test func `the access log names a user of the page, and refuses one who does not exist`() throws {
    let bench = try Self.bench()
    var entry = AccessLogEntry(
      .staffUser("ann"), requestID: "r", operation: "showCustomer", enteredAt: day(2))
    entry.customer = "c"
    entry.parameters = QueryParameters(asOf: day(2), knownAt: day(2))
    try bench.ledger.log([entry])
    let reads = try bench.ledger.reader.reads(about: .customer("c"))
    #expect(reads.latest.map(\.author) == ["ann"] && reads.latest.map(\.program) == ["support page"])
    entry.requester = .staffUser("eve")
    #expect { try bench.ledger.log([entry]) } throws: { ($0 as? LedgerError)?.code == .refusedEntry }
  }

  @Test func `roles are ordered, and each may do what those before it may`() {
    #expect(StaffRole.allCases == StaffRole.allCases.sorted())
    #expect(StaffRole.viewer < .support && .support < .lead && .lead < .admin)
  }
}
