import AppStore
import Crypto
import Dispatch
import Foundation
import Ledger
import Synchronization
import X509

/// A case that measures signed V2 notifications. It compares verification and recording with the machine's limit and
/// with Apple's own library. It also measures a second import, and the size of the file.
struct NotificationCase {
  let workshop: Workshop
  let customers: Int

  private var file: String { workshop.path("notifications-\(customers).ndjson") }
  private var authority: String { workshop.path("authority") }
  private var root: String { authority + "/root.pem" }

  func run(_ report: inout Report) throws {
    try makeData()
    let texts = try SignedTexts.texts(in: file)
    report.data["notifications"] =
      "\(texts.count) notifications of \(customers) customers, \(workshop.size(file) / texts.count) bytes a line"

    let key = try publicKey()
    let ledger = workshop.path("notifications.sqlite")
    var (first, again, python, limit) = ([Double](), [Double](), [Double](), [Double]())
    for _ in 0..<workshop.runs {
      workshop.progress("importing \(texts.count) notifications")
      workshop.remove(ledger)
      let count = Double(texts.count)
      first.append(count / (try workshop.importing(file, into: ledger, arguments: ["--trust", root]).seconds))
      again.append(count / (try workshop.importing(file, into: ledger, arguments: ["--trust", root]).seconds))
      // The library takes about 20 ms for each notification, so a few hundred suffice.
      let peer = try workshop.runPeer("verify_notifications.py", [file, root, "\(min(300, texts.count))"])
      python.append((peer["count"] ?? 0) / (peer["seconds"] ?? 1))
      limit.append(try verificationsPerSecond(texts, key))
    }
    let ours = Figure(name: "subledger", value: first.median, unit: "notifications/s")
    report.measurements += [
      Measurement(
        "V2 notifications, verified and recorded", ours,
        against: Figure(
          name: "P-256 verifications alone, \(Self.cores) cores", value: limit.median, unit: "/s"),
        goal: .ratioAtLeast(0.4)),
      Measurement(
        "the same", ours,
        against: Figure(
          name: "app-store-server-library (Python), the same chain", value: python.median, unit: "/s"),
        goal: .ratioAtLeast(150)),
      Measurement(
        "the same again: all duplicates",
        Figure(name: "subledger", value: again.median, unit: "notifications/s"),
        against: Figure(name: "first import", value: first.median, unit: "/s"), goal: .ratioAtLeast(3)),
      try size(of: ledger, texts),
    ]
    try checkEveryText(texts, in: ledger)
    try BeforeCase(
      workshop: workshop, name: "V2 notifications", file: file, count: texts.count, arguments: ["--trust", root]
    ).run(&report)
  }

  private static let cores = ProcessInfo.processInfo.activeProcessorCount

  private func size(of ledger: String, _ texts: [[UInt8]]) throws -> Measurement {
    let count = Double(texts.count)
    let decoded = texts.map(SignedTexts.decodedByteCount).reduce(0, +)
    return Measurement(
      "bytes of file a notification",
      Figure(name: "subledger", value: Double(try workshop.sizeAfterCheckpoint(ledger)) / count, unit: "bytes"),
      against: Figure(name: "its three decoded objects", value: Double(decoded) / count, unit: "bytes"),
      goal: .ratioAtMost(1.4))
  }

  private func makeData() throws {
    guard !FileManager.default.fileExists(atPath: file) else { return }
    workshop.progress("simulating the notifications of \(customers) customers")
    try workshop.write(
      [
        workshop.subledger, "simulate", "--customers", "\(customers)", "--seed", "1", "--payload-format", "v2",
        "--authority",
        authority,
      ], to: file)
  }

  /// Returns the public key of all signatures, which is the leaf's.
  private func publicKey() throws -> P256.Signing.PublicKey {
    let chain = try String(contentsOfFile: authority + "/chain.pem", encoding: .utf8)
    let leaf = try Certificate(
      pemEncoded: chain.components(separatedBy: "-----END CERTIFICATE-----")[0] + "-----END CERTIFICATE-----\n")
    guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw BenchmarkError("the leaf has no P-256 key") }
    return key
  }

  /// Returns how many of the notifications' own signatures all cores together verify in a second, without other work.
  ///
  /// Each notification counts as one signature, which covers the two signed texts inside.
  private func verificationsPerSecond(_ texts: [[UInt8]], _ key: P256.Signing.PublicKey) throws -> Double {
    let parts = try texts.prefix(8000).map { text -> (Data, P256.Signing.ECDSASignature) in
      let (signed, signature) = SignedTexts.parts(text)
      return (signed, try P256.Signing.ECDSASignature(rawRepresentation: signature))
    }
    let bad = Atomic(0)
    let taken = seconds {
      DispatchQueue.concurrentPerform(iterations: Self.cores) { core in
        for index in stride(from: core, to: parts.count, by: Self.cores)
        where !key.isValidSignature(parts[index].1, for: parts[index].0) {
          bad.add(1, ordering: .relaxed)
        }
      }
    }
    guard bad.load(ordering: .relaxed) == 0 else { throw BenchmarkError("a signature of \(file) is not good") }
    return Double(parts.count) / taken
  }

  /// Checks that the ledger returns every text, byte for byte.
  private func checkEveryText(_ texts: [[UInt8]], in path: String) throws {
    let ledger = try LedgerReader(path: path)
    for text in texts where try ledger.arrival(ContentDigest(sha256: text)) != text {
      throw BenchmarkError("\(path) does not give back a notification as it was sent")
    }
    ledger.close()
  }
}
