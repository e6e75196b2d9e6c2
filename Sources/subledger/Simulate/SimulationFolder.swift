import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation
import LedgerPresentation
import ProgramSupport

/// The folder of a simulation.
///
/// It contains `payloads/` with one file per format, `products.json`, `truth.ndjson`, `authority/`, `reports/` with
/// `terms.csv` where these are asked for, and `simulation.json` with the arguments of the simulation.
final class SimulationFolder {
  let path: String
  private var files: [Format: OutputFile] = [:]
  private var pending: [Format: [UInt8]] = [:]

  var payloads: String { path + "/payloads" }
  var authority: String { path + "/authority" }
  var reports: String { path + "/reports" }
  private var truth: String { path + "/truth.ndjson" }
  private var products: String { path + "/products.json" }
  var terms: String { path + "/terms.csv" }
  private var marker: String { path + "/simulation.json" }

  /// The parts that can be imported, by the names of their folders.
  enum Part: String {
    case payloads, reports
  }

  /// Returns the folder of a part, if `simulate --out` wrote a folder; else `nil`. What is beside it is not imported.
  static func folder(of part: Part, in path: String) -> String? {
    let path = withoutSlash(path)
    let folder = "\(path)/\(part.rawValue)"
    return FileManager.default.fileExists(atPath: path + "/simulation.json") && isFolder(folder) ? folder : nil
  }

  /// Checks a folder, and writes nothing.
  /// - Throws: exit code 73 after a message, if the folder has files of another origin, or a link in place of a file.
  init(_ path: String) throws {
    self.path = Self.withoutSlash(path)
    let inside = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let isFile = FileManager.default.fileExists(atPath: path) && inside.isEmpty && !Self.isFolder(path)
    // A run that was interrupted before its first message leaves only its authority.
    guard !isFile, inside.isEmpty || inside == ["authority"] || FileManager.default.fileExists(atPath: marker) else {
      Terminal.complain("\(path) has files that no simulation made. Nothing was written. Name a new folder.")
      throw ExitCode(73)
    }
    // All names are checked first, so that a refused run changes nothing.
    for name in [payloads, authority, marker, truth, products, reports, terms] + Format.allCases.map(file) {
      try OutputFile.refuseLink(name)
    }
  }

  private static func withoutSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Removes the files of an earlier run, except the authority, and writes `simulation.json` first.
  ///
  /// With that file, an interrupted run can be repeated in the same folder.
  func begin(catalogue: [UInt8], arguments: [String]) throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
    let made = JSONText.object([
      "arguments": .text(arguments.dropFirst().joined(separator: " "))
    ])
    try OutputFile.write(Data((made + "\n").utf8), to: marker)
    try manager.createDirectory(atPath: payloads, withIntermediateDirectories: true)
    for format in Format.allCases { try? manager.removeItem(atPath: file(format)) }
    try? manager.removeItem(atPath: truth)
    for name in [reports, terms] { try? manager.removeItem(atPath: name) }
    try OutputFile.write(Data(catalogue), to: products)
  }

  /// Writes the files of reports, and the taxes and commissions that their proceeds follow from.
  func write(_ files: [SimulatedReports.File]) throws {
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
    for file in files { try OutputFile.write(Data(file.bytes), to: "\(reports)/\(file.name)") }
    try OutputFile.write(Data(SimulatedReports.termsTable.utf8), to: terms)
  }

  private func file(_ format: Format) -> String { payloads + "/" + format.rawValue + ".ndjson" }

  func append(_ line: [UInt8], format: Format) throws {
    pending[format, default: []] += line
    if pending[format, default: []].count > 1 << 18 { try flush(format) }
  }

  func flush() throws { for format in Format.allCases { try flush(format) } }

  private func flush(_ format: Format) throws {
    guard let bytes = pending[format], !bytes.isEmpty else { return }
    pending[format] = []
    if files[format] == nil { files[format] = try OutputFile(file(format)) }
    try files[format]?.write(Data(bytes))
  }

  /// Writes the messages that wait in memory, and the true states of the customers' purchases.
  /// - Parameters:
  ///   - count: the number of customers.
  ///   - store: returns the store of a customer, after everything has happened in it.
  func finish(truthOf count: Int, _ store: (Int) throws -> SimulatedStore) throws {
    try flush()
    let file = try OutputFile(truth)
    var lines = ""
    for customer in 0..<count {
      lines += Self.truth(of: try store(customer))
      guard lines.utf8.count > 1 << 18 else { continue }
      try file.write(Data(lines.utf8))
      lines = ""
    }
    try file.write(Data(lines.utf8))
  }

  /// Returns the true states of a customer's purchases, one line of JSON per state.
  private static func truth(of store: SimulatedStore) -> String {
    var text = ""
    for subscription in store.subscriptions {
      let account = store.accounts[subscription.account]
      for entry in subscription.entries(until: store.clock) {
        text +=
          JSONText.object([
            "original_transaction_id": .text(String(subscription.id)),
            "environment": .text(store.rate.environment.name),
            "customer": .text(account.customer),
            "since": .text(entry.since.description),
            "state": .text(entry.state.rawValue),
            "product_id": .text(store.catalog.products[entry.product].id),
            "access_ends_at": .text(entry.accessEndsAt.description),
            "seats": entry.seats.map { .integer($0) } ?? .null,
          ]) + "\n"
      }
    }
    return text
  }
}
