import Foundation
import GRDB

/// The paths, programs and settings that all cases share.
struct Workshop {
  /// The folder of all data.
  let folder: URL
  /// The checkout that contains this file.
  let checkout: URL
  /// The number of times that each operation is timed.
  let runs: Int
  /// The program to measure; `nil` where this run builds it.
  let program: String?
  /// An earlier program, to compare imports with; `nil` for no such comparison.
  let before: String?

  init(folder: URL, runs: Int, program: String?, before: String?) throws {
    (self.folder, self.runs, self.program, self.before) = (folder, runs, program, before)
    // …/Benchmarks/Sources/Measuring/Workshop.swift
    checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The program as servers have it: a static release build.
  var subledger: String { program ?? checkout.appending(path: ".build-static/release/subledger").path }
  /// The Python program that has the peers installed.
  var python: String { path("python/bin/python3") }

  /// The path of this program.
  static let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func peer(_ name: String) -> String { checkout.appending(path: "Benchmarks/Peers/\(name)").path }

  /// Builds the program, and installs the Python peers.
  func prepare() throws {
    if program == nil {
      progress("building subledger")
      for product in ["subledger", "subledger-server"] {
        _ = try Child.run([
          "swift", "build", "-c", "release", "--static-swift-stdlib", "--product", product, "--package-path",
          checkout.path, "--scratch-path", checkout.appending(path: ".build-static").path,
        ])
      }
    }
    guard !FileManager.default.fileExists(atPath: path("python/ready")) else { return }
    progress("installing the peers")
    _ = try Child.run(["python3", "-m", "venv", path("python")])
    _ = try Child.run([python, "-m", "pip", "install", "--quiet", "-r", peer("requirements.txt")])
    try Data().write(to: URL(fileURLWithPath: path("python/ready")))
  }

  /// Writes the present step to standard error.
  func progress(_ text: String) { FileHandle.standardError.write(Data("\(text) …\n".utf8)) }

  /// Removes a ledger with its `-wal` and `-shm` files.
  func remove(_ ledger: String) {
    for ending in ["", "-wal", "-shm"] { unlink(ledger + ending) }
  }

  func size(_ path: String) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
  }

  /// Returns the size of a ledger in bytes, after its write-ahead log is copied into it.
  func sizeAfterCheckpoint(_ ledger: String) throws -> Int {
    let database = try DatabaseQueue(path: ledger)
    try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try database.close()
    return size(ledger)
  }

  /// Imports a file into a ledger, and returns the measurements.
  func importing(
    _ file: String, into ledger: String, arguments: [String] = [], by program: String? = nil
  ) throws -> Child {
    try Child.run([program ?? subledger, "import", file, "--database", ledger] + arguments)
  }

  /// Runs a command, and writes its standard output to a file. The file appears when it is complete.
  func write(_ command: [String], to file: String) throws {
    _ = try Child.run(command, to: file + ".making")
    guard rename(file + ".making", file) == 0 else { throw BenchmarkError("\(file) cannot be written") }
  }

  /// Returns the command of this program that writes the receipts of a number of subscribers.
  static func generator(_ customers: Int, seed: Int, after payments: String) -> [String] {
    [Self.executable, "generate", "\(customers)", "--seed", "\(seed)", "--after", payments]
  }

  /// Runs a Python peer, and returns the JSON object of figures that it prints.
  func runPeer(_ peer: String, _ arguments: [String]) throws -> [String: Double] {
    let output = try Child.run([python, self.peer(peer)] + arguments).output
    return try JSONDecoder().decode([String: Double].self, from: Data(output.utf8))
  }
}

extension Report {
  /// Creates a report with the machine, its load, and the versions of all compared programs.
  init(describing workshop: Workshop) {
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    let peers = (try? Child.run([workshop.python, workshop.peer("versions.py")]).output) ?? ""
    // Figures of a busy machine are of little use, so the report states the load.
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
