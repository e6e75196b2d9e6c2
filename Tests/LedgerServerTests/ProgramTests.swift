import AppStore
import Foundation
import Ledger
import Synchronization
import TestSupport
import Testing

/// The built program, as an operator runs it.
@Suite(.takesTurns) struct ProgramTests {
  /// A running server.
  final class Server {
    let client: Client
    private let program: RunningProgram

    var pid: Int32 { program.pid }

    /// Starts the server.
    /// - Parameters:
    ///   - folder: the folder of its ledger.
    ///   - arguments: further options.
    ///   - wrapper: commands of a shell that run before the server, in its process.
    init(in folder: TemporaryFolder, _ arguments: [String], wrapper: String? = nil) throws {
      let path = RunningProgram.server
      let all =
        ["run", "--listen", "127.0.0.1:0", "--database", folder.file("l.sqlite")]
        + (arguments.contains("--drain") ? [] : ["--drain", "0s"]) + arguments
      program = try RunningProgram(
        wrapper.map { ["-c", "\($0); exec \"$@\"", "-", path] + all } ?? all, in: folder,
        program: wrapper == nil ? path : "/bin/bash")
      client = Client(port: try program.port())
    }

    /// What the server has written on standard error.
    func log() throws -> String { try program.text() }

    /// Waits for the end.
    /// - Returns: the exit code.
    func waitForEnd() throws -> Int32 { try program.waitForEnd() }

    /// Sends a signal, and waits for the end.
    func end(_ signal: Int32) -> Int32 { program.end(signal) }
  }

  /// Notifications of a simulated world, and the root that signed them.
  private static func simulation(in folder: TemporaryFolder) throws -> (bodies: [String], trust: [String]) {
    let program = Program(folder: folder)
    let made = try program.run([
      "simulate", "--seed", "11", "--customers", "6", "--payload-format", "v2", "--out", "w",
    ])
    #expect(made.code == 0, "\(made)")
    var bodies: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("w/payloads")).sorted() {
      let text = try String(contentsOfFile: folder.file("w/payloads/\(name)"), encoding: .utf8)
      for line in text.split(separator: "\n") {
        // Without the archive's wrapper, as Apple posts it.
        let payload = try #require(line.firstRange(of: "\"payload\":"))
        bodies.append(String(line[payload.upperBound...].dropLast()).trimmingCharacters(in: .whitespaces))
      }
    }
    return (bodies, ["--trust", folder.file("w/authority/root.pem")])
  }

  private static let states = """
    SELECT original_transaction_id || ' ' || state || ' ' || coalesce(access_ends_at, '') FROM entitlement ORDER BY 1
    """

  @Test func `a world that is posted, shuffled and repeated, has the states of the same world imported`() async throws {
    let folder = try TemporaryFolder()
    let (bodies, trust) = try Self.simulation(in: folder)
    #expect(bodies.count > 20)
    let imported = Program(folder: folder)
    _ = try imported.run(["import", "w/payloads", "--database", "imported.sqlite"] + trust)
    let server = try Server(in: folder, trust)
    let seed = RandomChoice.seed
    var random = SplitMix(seed: seed)
    let posts = (bodies + bodies.prefix(10)).shuffled(using: &random)
    let client = server.client
    let codes = try await withThrowingTaskGroup(of: Int.self) { group in
      for body in posts { group.addTask { try await client.post("/apple/v2", body) } }
      return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(codes == [200: posts.count])
    // The command line works on a file that is being served.
    #expect(try imported.run(["entitlements", "--database", "l.sqlite"]).code == 0)
    #expect(try imported.run(["audit", "--database", "l.sqlite"]).code == 0)
    #expect(server.end(SIGTERM) == 0)
    for _ in 0..<4 {
      // After the first purchases, until the end of the world.
      let instant = "\(Int64.random(in: 1_725_148_800_000...1_767_225_600_000, using: &random))"
      let states = try ["l.sqlite", "imported.sqlite"].map {
        try imported.run(["query", Self.states, "--as-of", instant, "--database", $0]).output
      }
      #expect(states[0] == states[1] && !states[0].isEmpty, "at \(instant), seed \(seed)")
    }
  }

  /// Texts that several senders post, each once, and those that were answered.
  private final class PostedOnce: Sendable {
    private let state: Mutex<(rest: [String], stored: Set<String>)>
    private let last: Int

    /// - Parameter last: after so many answers ``answered(_:)`` returns true.
    init(_ texts: [String], last: Int) {
      state = Mutex((texts, []))
      self.last = last
    }

    var stored: Set<String> { state.withLock { $0.stored } }

    func next() -> String? { state.withLock { $0.rest.popLast() } }

    func answered(_ text: String) -> Bool {
      state.withLock { state in
        state.stored.insert(text)
        return state.stored.count > last
      }
    }
  }

  @Test func `every notification that was answered 200 is there after SIGKILL`() async throws {
    let folder = try TemporaryFolder()
    let (bodies, trust) = try Self.simulation(in: folder)
    let seed = RandomChoice.seed
    var random = SplitMix(seed: seed)
    var answered: Set<String> = []
    for _ in 0..<SampleSize.pick(3, full: 12) {
      let server = try Server(in: folder, trust)
      // The server is killed when so many were answered, while others are under way.
      let rest = PostedOnce(bodies.shuffled(using: &random), last: .random(in: 0..<bodies.count - 10, using: &random))
      let (client, pid) = (server.client, server.pid)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            while let body = rest.next() {
              if (try? await client.post("/apple/v2", body)) == 200, rest.answered(body) { kill(pid, SIGKILL) }
            }
          }
        }
      }
      #expect(server.end(SIGKILL) == SIGKILL)
      #expect(rest.stored.count < bodies.count, "the kill came too late, seed \(seed)")
      answered.formUnion(rest.stored)
      let reader = try LedgerReader(path: folder.file("l.sqlite"))
      let count = try #require(Int(try ServerBench.column(reader, "SELECT COUNT(*) FROM payload")[0]))
      #expect(count >= answered.count, "\(answered.count) were answered 200, seed \(seed)")
      reader.close()
    }
    // Each that was answered is a duplicate now.
    try folder.write(answered.joined(separator: "\n"), to: "answered.ndjson")
    let again = try Program(folder: folder).run(["import", "answered.ndjson", "--database", "l.sqlite"] + trust)
    #expect(answered.isEmpty || again.output.contains(": 0 recorded, \(answered.count) duplicate"), "\(again)")
    // With some notifications missing, the rules may disagree with what Apple states later. This is not damage.
    let findings = try await LedgerReader(path: folder.file("l.sqlite")).audit().filter(\.isTampering)
    #expect(findings == [])
  }

  /// The path of the built server.
  @Test(arguments: [
    (["--listen", "nowhere"], "'nowhere' (--listen)"),
    (["--trust", "missing.pem"], "the certificate file missing.pem"),
    (["--database", "/nowhere/l.sqlite"], "/nowhere/l.sqlite"), (["--drain", "soon"], "'soon' (--drain)"),
    (["--tls-key", "key.pem"], "'key.pem' (--tls-key)"), (["--config", "missing.json"], "missing.json"),
    (["--config", "wrong.json"], "unknown setting, $.listn"), (["--config", "type.json"], "type.json, $.drain must"),
    (["--tls-certificate", "wrong.json", "--tls-key", "wrong.json"], "TLS cannot be served with wrong.json"),
  ])
  func `a wrong setting is named with its source before the server listens`(arguments: [String], words: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"listn": "127.0.0.1:0"}"#, to: "wrong.json")
    try folder.write(#"{"drain": 5}"#, to: "type.json")
    let result = try Program(folder: folder).run(["run"] + arguments, program: RunningProgram.server)
    #expect(result.code != 0 && result.complaints.contains(words), "\(result)")
  }

  @Test func `a port that another program has is named, with what to do`() throws {
    let folder = try TemporaryFolder()
    let server = try Server(in: folder, [])
    let result = try Program(folder: folder).run(
      ["run", "--listen", "127.0.0.1:\(server.client.port)", "--database", "other.sqlite"],
      program: RunningProgram.server)
    #expect(
      result.code != 0
        && result.complaints.contains(
          "Address already in use. Stop the program that has this port, or choose another with --listen."),
      "\(result)")
    #expect(server.end(SIGTERM) == 0)
  }

  @Test func `users of the page are made, listed and changed by command, and their passwords are shown nowhere`() throws
  {
    let program = try Program()
    _ = try EmptyLedger.make(in: program.folder).close()
    let password = "correct horse battery staple"
    try program.folder.write(password + "\nanother line\n", to: "password")
    func users(_ arguments: String..., input: String = "") throws -> Program.Result {
      try program.run(["users"] + arguments + ["--database", "l.sqlite"], input: input, program: RunningProgram.server)
    }
    let file = ["--password-file", "password"]
    #expect(try users("create", "ann", "--role", "support", file[0], file[1]).output == "ann may sign in as support.\n")
    #expect(try users("create", "bob", "--role", "lead", file[0], "-", input: password).code == 0)
    let refused: [(arguments: [String], code: Int32, words: String)] = [
      (["create", "ann", "--role", "lead"] + file, 1, "There is a user with this name."),
      (["create", "a b", "--role", "lead"] + file, 1, "letters, digits"),
      (["create", "eve", "--role", "boss"] + file, 64, "Choose from viewer, support, lead, admin."),
      (["create", "eve", "--role", "lead", file[0], "missing"], 1, "missing cannot be read as UTF-8."),
      (["create", "eve", "--role", "lead"], 64, "--password-file"),
      (["set-role", "eve", "lead"], 1, "No user has this"),
      (["set-role", "bob", "lead"], 1, "already"), (["end-sessions", "eve"], 1, "No user has this name."),
    ]
    for item in refused {
      let result = try program.run(
        ["users"] + item.arguments + ["--database", "l.sqlite"], program: RunningProgram.server)
      #expect(result.code == item.code && result.complaints.contains(item.words), "\(item): \(result)")
      #expect(!result.complaints.contains(password))
    }
    let short = try users("create", "eve", "--role", "lead", file[0], "-", input: "short\n")
    #expect(short.code == 1 && short.complaints.contains("12 to 256 characters"), "\(short)")
    #expect(try users("set-role", "ann", "admin", "--author", "root", "--reason", "new job").code == 0)
    #expect(try users("set-password", "ann", file[0], file[1]).code == 0)
    #expect(try users("end-sessions", "ann").output == "0 sessions of ann ended.\n")
    #expect(try users("remove", "bob").output == "bob may not sign in any more.\n")
    let lines = try users("list").output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("ann  admin  since 20") && lines[0].hasSuffix("by root: new job"))
    #expect(lines[1].hasPrefix("bob  may not sign in  since 20"), "\(lines)")
  }

  @Test func `tokens are listed without escapes, because a name may have some`() throws {
    let program = Program(folder: try TemporaryFolder())
    let made = try program.run(
      ["tokens", "create", "a\u{1B}[2Jb", "--scope", "ask", "--author", "x\u{202E}y", "--reason", "r\u{1B}[0m"],
      program: RunningProgram.server)
    #expect(made.code == 0, "\(made)")
    let listed = try program.run(["tokens", "list"], program: RunningProgram.server).output
    #expect(listed.contains(#"a\u{1b}[2Jb"#) && listed.contains(#"x\u{202e}y: r\u{1b}[0m"#), "\(listed)")
    #expect(!listed.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  @Test func `options count before the environment, this before the file, and this before the default`() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"listen": "127.0.0.1:1", "drain": "1s", "bundle_id": ["a", "b"]}"#, to: "c.json")
    let result = try Program(folder: folder).run(
      ["config", "check", "--config", "c.json", "--listen", "127.0.0.1:3"],
      environment: ["SUBLEDGER_LISTEN": "127.0.0.1:2", "SUBLEDGER_DRAIN": "2s"], program: RunningProgram.server)
    for line in [
      "listen 127.0.0.1:3 (--listen)", "drain 2s (SUBLEDGER_DRAIN)",
      "bundle_id a, b (c.json, $.bundle_id)", "connections 1024 (default)", "OK: the settings can be used.",
    ] { #expect(result.code == 0 && result.output.replacing(/\ +/, with: " ").contains(line), "\(line)\n\(result)") }
  }

  @Test func `with a certificate the server uses TLS 1.2 or later, and nothing else`() async throws {
    let folder = try TemporaryFolder()
    _ = try Self.simulation(in: folder)
    let authority = folder.file("w/authority")
    let server = try Server(
      in: folder, ["--tls-certificate", "\(authority)/chain.pem", "--tls-key", "\(authority)/key.pem"])
    func get(_ arguments: [String]) throws -> (code: Int32, output: String) {
      let result = try Program(folder: folder).run(
        ["-sk"] + arguments, program: "/usr/bin/curl")
      return (result.code, result.output)
    }
    let address = "127.0.0.1:\(server.client.port)/healthz"
    #expect(try get(["https://\(address)"]).output == "{\"status\": \"alive\"}\n")
    #expect(try get(["--tls-max", "1.1", "https://\(address)"]).code != 0)
    #expect(try get(["http://\(address)"]).code != 0)
    #expect(server.end(SIGTERM) == 0)
  }

  @Test func `after SIGTERM the server is not ready, and still answers until the drain is over`() async throws {
    let folder = try TemporaryFolder()
    let server = try Server(in: folder, ["--drain", "5m"])
    kill(server.pid, SIGTERM)
    try await Eventually.isTrue { try await server.client.send("/readyz").status == 503 }
    #expect(try await server.client.post("/apple/v2", "{\"signedPayload\": \"eyJ.a.b\"}") == 200)
    // A second signal ends it at once.
    #expect(server.end(SIGTERM) == SIGTERM)
    let brief = try Server(in: folder, ["--drain", "1s"])
    #expect(brief.end(SIGTERM) == 0)
  }
}
