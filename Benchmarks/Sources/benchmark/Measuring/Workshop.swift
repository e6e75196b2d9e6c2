import Foundation
import GRDB

/// Holds the paths, programs and settings that all cases share.
struct Workshop {
  /// Where all data is made.
  let folder: URL
  /// The checkout that this package is a part of.
  let checkout: URL
  /// How many times each thing is timed.
  let runs: Int
  /// The program to measure; `nil` where this run builds it.
  let program: String?

  init(folder: URL, runs: Int, program: String?) throws {
    (self.folder, self.runs, self.program) = (folder, runs, program)
    // …/Benchmarks/Sources/benchmark/Measuring/Workshop.swift
    checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The program as it is installed on a server: a static release build.
  var subledger: String { program ?? checkout.appending(path: ".build-static/release/subledger").path }
  /// The Python that has the peers.
  var python: String { path("python/bin/python3") }

  /// This program.
  static let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func peer(_ name: String) -> String { checkout.appending(path: "Benchmarks/Peers/\(name)").path }

  /// Builds the program, and installs the Python peers.
  func prepare() throws {
    if program == nil {
      progress("building subledger")
      _ = try Child.run(
        [
          "swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "subledger", "--package-path",
          checkout.path, "--scratch-path", checkout.appending(path: ".build-static").path,
        ])
    }
    guard !FileManager.default.fileExists(atPath: path("python/ready")) else { return }
    progress("installing the peers")
    _ = try Child.run(["python3", "-m", "venv", path("python")])
    _ = try Child.run([python, "-m", "pip", "install", "--quiet", "-r", peer("requirements.txt")])
    try Data().write(to: URL(fileURLWithPath: path("python/ready")))
  }

  /// Writes to standard error what is being done.
  func progress(_ text: String) { FileHandle.standardError.write(Data("\(text) …\n".utf8)) }

  /// Removes a ledger and its log.
  func remove(_ ledger: String) {
    for ending in ["", "-wal", "-shm"] { unlink(ledger + ending) }
  }

  func size(_ path: String) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
  }

  /// Returns the size of a ledger once its log is written back into it.
  func sizeAfterCheckpoint(_ ledger: String) throws -> Int {
    let database = try DatabaseQueue(path: ledger)
    try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try database.close()
    return size(ledger)
  }

  /// Imports a file.
  func importing(_ file: String, into ledger: String, arguments: [String] = []) throws -> Child {
    try Child.run([subledger, "import", file, "--database", ledger] + arguments)
  }

  /// Runs a command, and writes its standard output to a file, which appears when it is complete.
  func write(_ command: [String], to file: String) throws {
    _ = try Child.run(command, to: file + ".making")
    guard rename(file + ".making", file) == 0 else { throw BenchmarkError("\(file) cannot be written") }
  }

  /// Returns the command that writes the receipts of so many subscribers: this program's own.
  static func generator(_ customers: Int, seed: Int, after payments: String) -> [String] {
    [Self.executable, "generate", "\(customers)", "--seed", "\(seed)", "--after", payments]
  }

  /// Runs a Python peer, which prints a JSON object of figures.
  func runPeer(_ peer: String, _ arguments: [String]) throws -> [String: Double] {
    let output = try Child.run([python, self.peer(peer)] + arguments).output
    return try JSONDecoder().decode([String: Double].self, from: Data(output.utf8))
  }
}

extension Report {
  /// Describes the machine, how busy it is, and the versions of everything that is compared.
  init(describing workshop: Workshop) {
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    let peers = (try? Child.run([workshop.python, workshop.peer("versions.py")]).output) ?? ""
    // Figures of a busy machine mean little: the report says how busy it was.
    let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first
    machine = [
      "load before the run": load.map(String.init) ?? "unknown",
      "processor": processor.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown",
      "cores": "\(ProcessInfo.processInfo.activeProcessorCount)",
      "system": ProcessInfo.processInfo.operatingSystemVersionString,
      "subledger": (try? Child.run([workshop.subledger, "--version"]).output.trimmingCharacters(in: .newlines)) ?? "",
      "peers": peers.trimmingCharacters(in: .newlines),
    ]
  }
}
