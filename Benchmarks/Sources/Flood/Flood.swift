import ArgumentParser
import Foundation
import Synchronization

/// A command that floods a server with everything that senders without a token can send, and posts genuine
/// notifications beside it. It fails when one of them was not stored in time, or when the server grew too much.
struct Flood: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Flood a server beside genuine notifications, and state what became of both.",
    discussion: """
      The attackers send forgeries, pages, bodies that never end, bodies of 4 MiB, and nothing at all. Exit code 1: a \
      genuine notification was not answered 200 within 5 s or is not in the file, or the memory or the file grew \
      beyond its limit.
      """)

  @Option(help: "How long the flood lasts, in seconds.") var seconds = 60
  @Option(parsing: .upToNextOption, help: "What the attackers do (default: everything).")
  var attack = Attack.Kind.allCases
  @Option(help: "The subledger to try, with subledger-server beside it.") var program: String
  @Option(help: "The folder where the data is made (default: a temporary folder).") var folder: String?

  /// The limits that the flood is measured by.
  static let (patience, memory, growth) = (5.0, 250 << 20, 64 << 20)

  func run() throws {
    let folderURL =
      folder.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: "subledger-flood-\(UUID().uuidString)")
    let workshop = try Workshop(folder: folderURL, runs: 1, program: program, before: nil)
    defer { if folder == nil { try? FileManager.default.removeItem(at: folderURL) } }
    let server = try FloodedServer(workshop)
    let before = server.size
    let attackers = Attack(port: server.process.port, genuine: server.notifications[0])
    attackers.begin(attack)
    let answers = post(Array(server.notifications.dropFirst()), to: server.process.port)
    let sent = attackers.end()
    let (memory, growth) = (try server.process.memory("VmHWM"), server.size - before)
    try server.process.stop()
    let stored = try server.storedCount()
    let late = answers.filter { $0.status != 200 || $0.seconds > Self.patience }
    let slowest = answers.map(\.seconds).max() ?? 0
    print("attacks: \(sent.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))")
    print("genuine: \(answers.count) sent, \(answers.count - late.count) answered 200 in time, \(stored) in the file")
    print("slowest: \(Int(slowest * 1000)) ms; memory: \(memory >> 20) MB; growth of the file: \(growth >> 20) MB")
    let isGood =
      late.isEmpty && stored == answers.count && answers.count >= seconds && memory <= Self.memory
      && growth <= Self.growth
    for answer in late.prefix(5) { print("late: \(answer)") }
    guard isGood else { throw ExitCode(1) }
    print("OK: the flood stopped nothing.")
  }

  /// Posts genuine notifications, about ten a second, each by a new connection of an address of its own.
  private func post(_ texts: [[UInt8]], to port: Int) -> [(status: Int?, seconds: Double)] {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var answers: [(status: Int?, seconds: Double)] = []
    for text in texts where clock.now < end {
      let begun = clock.now
      let body = Array("{\"signedPayload\":\"".utf8) + text + Array("\"}".utf8)
      let status = RawConnection(to: port, from: "127.0.0.1", patience: 10)?.post("/apple/v2", body)
      answers.append((status, begun.duration(to: clock.now) / .seconds(1)))
      Thread.sleep(forTimeInterval: 0.1)
    }
    return answers
  }
}

/// A server of an empty ledger, as its users run it.
final class FloodedServer {
  /// Genuine notifications, each once.
  let notifications: [[UInt8]]
  let process: ServerProcess
  private let workshop: Workshop
  private let ledger: String

  init(_ workshop: Workshop) throws {
    self.workshop = workshop
    ledger = workshop.path("flood.sqlite")
    workshop.remove(ledger)
    let (file, authority) = (workshop.path("flood.ndjson"), workshop.path("flood-authority"))
    workshop.progress("simulating notifications")
    try FileManager.default.createDirectory(at: workshop.folder, withIntermediateDirectories: true)
    try workshop.write(
      [
        workshop.subledger, "simulate", "--customers", "200", "--seed", "7", "--payload-format", "v2", "--authority",
        authority,
      ], to: file)
    var seen: Set<[UInt8]> = []
    notifications = try SignedTexts.texts(in: file).filter { seen.insert($0).inserted }
    try Data("s3cret".utf8).write(to: URL(fileURLWithPath: workshop.path("secret")))
    process = try ServerProcess(
      workshop, ledger: ledger, log: "flood.log",
      [
        "--trust", authority + "/root.pem", "--shared-secret", "com.example.meditation=\(workshop.path("secret"))",
      ])
    workshop.progress("flooding port \(process.port)")
  }

  /// The size of the ledger with its log, in bytes.
  var size: Int { workshop.size(ledger) + workshop.size(ledger + "-wal") }

  /// The number of notifications in the file that counted.
  func storedCount() throws -> Int {
    let text = try Child.run([
      workshop.subledger, "query", "--database", ledger, "--format", "csv",
      "SELECT COUNT(*) AS n FROM payload WHERE kind = 'notification_v2'",
    ]).output
    return text.split(whereSeparator: \.isNewline).last.flatMap { Int($0) } ?? -1
  }
}
