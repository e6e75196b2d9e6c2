import AppStore
import Foundation
import Properties
import TestSupport
import Testing

/// What fuzzing has found stays found: every input of `Data/found`, and others of the worst kind, through every target.
@Suite struct FoundTests {
  static let folder = "Tests/AppStoreTests/Data"

  static func targets() throws -> FuzzTargets {
    try FuzzTargets(
      roots: [
        try Checkout.bytes("\(folder)/apple_test_root.der"), try Checkout.bytes("\(folder)/receipts/apple_root_ca.cer"),
      ],
      signed: try Checkout.bytes("\(folder)/apple_test_notification.jws"))
  }

  static func check(_ bytes: [UInt8], _ name: String, targets: [FuzzTarget] = FuzzTarget.allCases) async throws {
    let checks = try Self.targets()
    for target in targets {
      do { try await checks.check(target, bytes) } catch { Issue.record("\(name) at \(target): \(error)") }
    }
  }

  @Test(arguments: Checkout.files(in: "\(folder)/found", ending: ""))
  func `what was found once holds at every target`(path: String) async throws {
    try await Self.check(try Checkout.bytes(path), path)
  }

  @Test(arguments: ["mbaasy_transaction_sandbox.b64", "tikhop_sandbox_g5.b64", "tikhop_xcode_2020.b64"])
  func `a receipt may be cut and bent anywhere`(name: String) async throws {
    let text = try Checkout.bytes("\(Self.folder)/receipts/\(name)")
    let receipt = [UInt8](try #require(Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters)))
    try await Self.check(receipt, name, targets: [.receipt, .payload, .splitter])
    var random = SplitMix(seed: 12)
    for _ in 0..<40 {
      var bent = receipt
      bent[Int.random(in: 0..<bent.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      try await Self.check(bent, name, targets: [.receipt])
      try await Self.check(
        Array(receipt.prefix(Int.random(in: 0..<receipt.count, using: &random))), name, targets: [.receipt])
    }
  }

  @Test(arguments: Checkout.files(in: folder, ending: ".jws"))
  func `a signed text may be cut and bent anywhere`(path: String) async throws {
    let text = try Checkout.bytes(path)
    try await Self.check(text, path)
    var random = SplitMix(seed: 11)
    for _ in 0..<20 {
      var bent = text
      bent[Int.random(in: 0..<bent.count, using: &random)] = UInt8.random(in: 0x20..<0x7F, using: &random)
      try await Self.check(bent, path, targets: [.payload])
      try await Self.check(
        Array(text.prefix(Int.random(in: 0..<text.count, using: &random))), path, targets: [.payload])
    }
  }

  @Test(arguments: Checkout.files(in: "\(folder)/reports", ending: ""))
  func `a report may be cut and bent anywhere`(path: String) async throws {
    let text = try Checkout.bytes(path)
    try await Self.check(text, path, targets: [.report])
    var random = SplitMix(seed: 13)
    for _ in 0..<20 {
      var bent = text
      bent[Int.random(in: 0..<bent.count, using: &random)] = UInt8.random(in: 0x09..<0x7F, using: &random)
      try await Self.check(bent, path, targets: [.report])
      try await Self.check(
        Array(text.prefix(Int.random(in: 0..<text.count, using: &random))), path, targets: [.report])
    }
  }

  /// Texts that are long or deep, each with the targets that read such.
  static let giants: [(name: String, text: String, targets: [FuzzTarget])] = [
    ("open brackets", repeated("[", 200_000), [.payload, .splitter, .catalogue, .eraser, .template]),
    ("open objects", repeated("{\"a\":", 40_000), [.payload, .splitter, .catalogue, .eraser, .template]),
    ("a long string", "{\"product_id\":\"" + repeated("x", 1_000_000) + "\",\"transaction_id\":\"1\"}", [.payload]),
    ("a string of escapes", "{\"payload\":\"" + repeated("\\ud83d", 100_000) + "\"}", [.payload, .eraser, .redactor]),
    ("white space", repeated(" ", 1_000_000), [.payload, .instant, .catalogue]),
    ("many zeros", "{\"status\":" + repeated("9", 100_000) + "}", [.payload, .event]),
    ("signed texts without end", repeated("eyJ", 20_000) + ".", [.payload, .eraser]),
    ("keys of a secret", repeated("\"password\":\"", 20_000), [.payload, .redactor]),
    ("backslashes", "{\"password\":\"" + repeated("\\", 100_000), [.payload, .redactor, .eraser, .template]),
    ("torn lines", repeated("{\"a\":\"x\n", 2000), [.splitter]),
  ]

  /// Repeats a text, in the small samples a tenth as often.
  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: SampleSize.pick(count / 10, full: count / 4))
  }

  @Test(arguments: giants.map(\.name))
  func `what is long or deep is read or refused`(name: String) async throws {
    let giant = try #require(Self.giants.first { $0.name == name })
    try await Self.check(Array(giant.text.utf8), name, targets: giant.targets)
  }

  @Test func `texts inside texts are read to the bottom`() async throws {
    var text = "{\"customer\":\"user-42\",\"password\":\"x\"}"
    for _ in 0..<12 {
      text = "eyJhIjoxfQ." + "{\"data\":\"\(text.contains("\"") ? text.base64URL : text)\"}".base64URL + ".c2ln"
    }
    try await Self.check(Array(text.utf8), "texts inside texts")
  }
}
