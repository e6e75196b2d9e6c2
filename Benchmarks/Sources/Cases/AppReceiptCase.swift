import AppStore
import Dispatch
import Foundation

/// A case that measures app receipts with 24 purchases. It compares verification and recording with OpenSSL, which only
/// verifies, and the memory of an import with that of an import of half.
struct AppReceiptCase {
  let workshop: Workshop
  let count: Int

  func run(_ report: inout Report) throws {
    let (file, root) = (workshop.path("app-receipts-\(count).ndjson"), workshop.path("app-receipts-\(count).pem"))
    if !FileManager.default.fileExists(atPath: file) {
      workshop.progress("simulating \(count) app receipts")
      try workshop.write([Workshop.executable, "generate-app-receipts", "\(count)", "--root", root], to: file)
    }
    report.data["app receipts"] = "\(count) receipts of 24 purchases, \(workshop.size(file) / count) bytes each"
    let openSSL = workshop.path("verify_receipts")
    _ = try Child.run(["cc", "-O2", workshop.peer("verify_receipts.c"), "-o", openSSL, "-lcrypto"])
    let half = workshop.path("app-receipts-half.ndjson")
    try workshop.write(["head", "-n", "\(count / 2)", file], to: half)
    let ledger = workshop.path("app-receipts.sqlite")
    var (first, again, peer, peaks, decoded) = ([Double](), [Double](), [Double](), [Double](), [Double]())
    for _ in 0..<workshop.runs {
      workshop.progress("importing \(count) app receipts")
      workshop.remove(ledger)
      let small = try workshop.importing(half, into: ledger, arguments: ["--trust", root])
      workshop.remove(ledger)
      let large = try workshop.importing(file, into: ledger, arguments: ["--trust", root])
      first.append(Double(count) / large.seconds)
      peaks.append(Double(large.peakBytes) / Double(small.peakBytes))
      again.append(Double(count) / (try workshop.importing(file, into: ledger, arguments: ["--trust", root]).seconds))
      decoded.append(try decodings(of: file, root))
      let output = try Child.run([openSSL, file, root]).output
      let figures = try JSONDecoder().decode([String: Double].self, from: Data(output.utf8))
      guard figures["verified"] == Double(count) else { throw BenchmarkError("OpenSSL refused receipts: \(output)") }
      peer.append(Double(count) / (figures["seconds"] ?? 1))
    }
    let ours = Figure(name: "subledger", value: first.median, unit: "receipts/s")
    report.data["bytes of file an app receipt"] = "\(try workshop.sizeAfterCheckpoint(ledger) / count)"
    report.measurements += [
      Measurement(
        "app receipts of 24 purchases, verified and recorded", ours,
        against: Figure(name: "OpenSSL's CMS_verify of the same, one process", value: peer.median, unit: "/s"),
        goal: .ratioAtLeast(1)),
      Measurement(
        "the same, verified and decoded, on one core",
        Figure(name: "subledger", value: decoded.median, unit: "receipts/s"),
        against: Figure(name: "OpenSSL's CMS_verify of the same, one process", value: peer.median, unit: "/s"),
        goal: .ratioAtLeast(1)),
      Measurement(
        "the same again: all duplicates", Figure(name: "subledger", value: again.median, unit: "receipts/s"),
        against: Figure(name: "first import", value: first.median, unit: "/s"), goal: .ratioAtLeast(3)),
      Measurement(
        "memory of the import, against that of half",
        Figure(name: "subledger", value: peaks.median, unit: "times"),
        goal: .valueAtMost(1.3)),
    ]
  }

  /// Returns how many receipts one core verifies and decodes in a second, without a ledger.
  private func decodings(of file: String, _ root: String) throws -> Double {
    let lines = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))).split(separator: 0x0A).map(Array.init)
    let trust = try TrustStore(trusting: [[UInt8](Data(contentsOf: URL(fileURLWithPath: root)))])
    let (decoder, clock) = (PayloadDecoder(trust: trust), ContinuousClock())
    nonisolated(unsafe) var seconds = 0.0
    nonisolated(unsafe) var verified = 0
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let start = clock.now
      for line in lines {
        if case .evidence? = await decoder.decode(line).outcomes.first { verified += 1 }
      }
      seconds = (clock.now - start) / .seconds(1)
      isDone.signal()
    }
    isDone.wait()
    guard verified == lines.count else { throw BenchmarkError("\(lines.count - verified) receipts were refused") }
    return Double(verified) / seconds
  }
}
