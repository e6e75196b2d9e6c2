import AppStore
import Foundation
import Ledger
import Storefront

/// Where the data is made and the programs are found; what all cases share.
struct Workshop {
  /// Where everything is put; removed by whoever made it.
  let folder: URL
  /// The checkout that this package is a part of.
  let checkout: URL
  /// How many times each thing is timed.
  let runs: Int

  init(folder: URL, runs: Int) throws {
    self.folder = folder
    self.runs = runs
    // …/Benchmarks/Sources/benchmark/Measuring/Workshop.swift
    checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The program as one takes it to a server: a release build that needs no Swift there.
  var subledger: String { checkout.appending(path: ".build-static/release/subledger").path }
  /// A Python that has the peers.
  var python: String { path("python/bin/python3") }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func peer(_ name: String) -> String { checkout.appending(path: "Benchmarks/Peers/\(name)").path }

  /// Builds the program, and gives Python its libraries.
  func prepare() throws {
    tell("building subledger")
    _ = try Child.run(
      [
        "swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "subledger", "--package-path",
        checkout.path, "--scratch-path", checkout.appending(path: ".build-static").path,
      ])
    guard !FileManager.default.fileExists(atPath: path("python/ready")) else { return }
    tell("installing the peers")
    _ = try Child.run(["python3", "-m", "venv", path("python")])
    _ = try Child.run([python, "-m", "pip", "install", "--quiet", "-r", peer("requirements.txt")])
    try Data().write(to: URL(fileURLWithPath: path("python/ready")))
  }

  /// Says what is being done, beside the table.
  func tell(_ words: String) { FileHandle.standardError.write(Data("\(words) …\n".utf8)) }

  /// Removes a ledger and its log.
  func remove(_ ledger: String) {
    for ending in ["", "-wal", "-shm"] { unlink(ledger + ending) }
  }

  func size(_ path: String) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
  }

  /// A fresh import of a file.
  func importing(_ file: String, into ledger: String, arguments: [String] = []) throws -> Child {
    try Child.run([subledger, "import", file, "--database", ledger] + arguments)
  }

  /// The command that writes the receipts of so many subscribers: this program's own.
  func generator(_ customers: Int, seed: Int, after payments: String) -> [String] {
    [
      Bundle.main.executablePath ?? CommandLine.arguments[0], "generate", "\(customers)", "--seed", "\(seed)",
      "--after", payments,
    ]
  }

  func generate(_ customers: Int, seed: Int, after payments: String) throws -> Child {
    try Child.run(generator(customers, seed: seed, after: payments))
  }

  /// What a Python peer says of itself: a JSON object of figures.
  func ask(_ peer: String, _ arguments: [String]) throws -> [String: Double] {
    let said = try Child.run([python, self.peer(peer)] + arguments).output
    return try JSONDecoder().decode([String: Double].self, from: Data(said.utf8))
  }
}

extension Report {
  /// The machine, and the versions of everything that is compared.
  init(describing workshop: Workshop) {
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    let peers = (try? Child.run([workshop.python, workshop.peer("versions.py")]).output) ?? ""
    machine = [
      "processor": processor.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown",
      "cores": "\(ProcessInfo.processInfo.activeProcessorCount)",
      "system": ProcessInfo.processInfo.operatingSystemVersionString,
      "subledger": (try? Child.run([workshop.subledger, "--version"]).output.trimmingCharacters(in: .newlines)) ?? "",
      "peers": peers.trimmingCharacters(in: .newlines),
    ]
  }
}
