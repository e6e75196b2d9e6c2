import AppStore
import Crypto
import Foundation
import Ledger
import X509

/// Signed V2 notifications: verified and recorded, beside Apple's own library and the machine's limit; again; and what
/// they take on disk.
struct NotificationCase {
  let workshop: Workshop
  let customers: Int

  private var file: String { workshop.path("notifications-\(customers).ndjson") }
  private var authority: String { workshop.path("authority") }
  private var root: String { authority + "/root.pem" }

  func run(_ report: inout Report) throws {
    try makeData()
    let texts = try signedTexts()
    let decoded = texts.map(Self.decodedBytes).reduce(0, +)
    report.data["notifications"] =
      "\(texts.count) notifications of \(customers) customers, \(workshop.size(file) / texts.count) bytes a line"

    let key = try publicKey()
    let ledger = workshop.path("notifications.sqlite")
    var (first, again, python, raw) = ([Double](), [Double](), [Double](), [Double]())
    let peerCount = min(300, texts.count)
    for _ in 0..<workshop.runs {
      workshop.tell("importing \(texts.count) notifications")
      workshop.remove(ledger)
      let count = Double(texts.count)
      first.append(count / (try workshop.importing(file, into: ledger, arguments: ["--trust", root]).seconds))
      again.append(count / (try workshop.importing(file, into: ledger, arguments: ["--trust", root]).seconds))
      let peer = try workshop.ask("verify_notifications.py", [file, root, "\(peerCount)"])
      python.append((peer["count"] ?? 0) / (peer["seconds"] ?? 1))
      raw.append(try verifications(texts, key))
    }
    let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
    let ours = Figure(name: "subledger", value: first.median, unit: "notifications/s")
    report.measurements += [
      Measurement(
        "V2 notifications, verified and recorded", ours,
        against: Figure(name: "app-store-server-library (Python)", value: python.median, unit: "/s"),
        ratio: first.median / python.median, atLeast: 100),
      Measurement(
        "the same, of the machine's limit", ours,
        against: Figure(
          name: "P-256 verifications of their signatures, \(Int(cores)) cores", value: raw.median * cores, unit: "/s"),
        ratio: first.median / (raw.median * cores), atLeast: 0.6),
      Measurement(
        "the same again: all duplicates",
        Figure(name: "subledger", value: again.median, unit: "notifications/s"),
        against: Figure(name: "first import", value: first.median, unit: "/s"),
        ratio: again.median / first.median, atLeast: 3),
      Measurement(
        "bytes on disk a notification",
        Figure(name: "subledger", value: Double(workshop.size(ledger)) / Double(texts.count), unit: "bytes"),
        against: Figure(
          name: "its three decoded objects", value: Double(decoded) / Double(texts.count), unit: "bytes"),
        ratio: Double(workshop.size(ledger)) / Double(decoded), atMost: 1.5),
    ]
    try checkEveryText(texts, in: ledger)
  }

  private func makeData() throws {
    guard !FileManager.default.fileExists(atPath: file) else { return }
    workshop.tell("simulating the notifications of \(customers) customers")
    let made = try Child.run([
      workshop.subledger, "simulate", "--customers", "\(customers)", "--seed", "1", "--format", "v2", "--authority",
      authority,
    ])
    try made.output.write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// The compact texts, as they were sent.
  private func signedTexts() throws -> [[UInt8]] {
    let lines = try Data(contentsOf: URL(fileURLWithPath: file)).split(separator: UInt8(ascii: "\n"))
    let (start, end) = (Array("\"signedPayload\":\"".utf8), UInt8(ascii: "\""))
    return try lines.map { line in
      guard let key = line.firstRange(of: start) else { throw Child.Failure(description: "a line without a payload") }
      return Array(line[key.upperBound...].prefix { $0 != end })
    }
  }

  /// How long the decoded notification is without the two signed texts in it, and they decoded.
  private static func decodedBytes(_ text: [UInt8]) -> Int {
    func payload(_ text: some Collection<UInt8>) -> [UInt8] {
      let segment = String(decoding: text.split(separator: UInt8(ascii: "."))[1], as: UTF8.self)
        .replacing("-", with: "+").replacing("_", with: "/")
      let padded = segment + String(repeating: "=", count: (4 - segment.count % 4) % 4)
      return Data(base64Encoded: padded).map { Array($0) } ?? []
    }
    let outer = payload(text)
    let inner = String(decoding: outer, as: UTF8.self).split(separator: "\"").filter { $0.hasPrefix("eyJ") }
    return outer.count - inner.map(\.utf8.count).reduce(0, +) + inner.map { payload($0.utf8).count }.reduce(0, +)
  }

  /// The key that signed them all: the leaf's.
  private func publicKey() throws -> P256.Signing.PublicKey {
    let chain = try String(contentsOfFile: authority + "/chain.pem", encoding: .utf8)
    let leaf = try Certificate(
      pemEncoded: chain.components(separatedBy: "-----END CERTIFICATE-----")[0] + "-----END CERTIFICATE-----\n")
    guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw Child.Failure(description: "no P-256 key") }
    return key
  }

  /// How many of their outer signatures one core verifies in a second, and does nothing else.
  private func verifications(_ texts: [[UInt8]], _ key: P256.Signing.PublicKey) throws -> Double {
    let parts = try texts.prefix(4000).map { text -> (Data, P256.Signing.ECDSASignature) in
      let dot = text.lastIndex(of: UInt8(ascii: ".")) ?? 0
      let encoded =
        String(decoding: text[(dot + 1)...], as: UTF8.self)
        .replacing("-", with: "+").replacing("_", with: "/") + "=="
      return (
        Data(text[..<dot]), try P256.Signing.ECDSASignature(rawRepresentation: Data(base64Encoded: encoded) ?? Data())
      )
    }
    var isGood = true
    let taken = seconds {
      for (text, signature) in parts { isGood = key.isValidSignature(signature, for: text) && isGood }
    }
    guard isGood else { throw Child.Failure(description: "a signature is not good") }
    return Double(parts.count) / taken
  }

  /// Every text is in the file, byte for byte.
  private func checkEveryText(_ texts: [[UInt8]], in path: String) throws {
    let ledger = try Ledger(path: path, for: .asking)
    for text in texts where try ledger.arrival(Digest(sha256: text)) != text {
      throw Child.Failure(description: "a notification was not given back as it was sent")
    }
    ledger.close()
  }
}
