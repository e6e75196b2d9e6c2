internal import AppStore
internal import Crypto
internal import Foundation
internal import GRDB
internal import LedgerSchema

/// A payload too long to hold, on its way to quarantine: on disk without its secrets, never in memory as a whole.
struct OversizedSpool {
  let line: Int
  private(set) var count = 0
  private let file: FileHandle
  private var hash = SHA256()
  private var redactor = SecretRedactor()

  init(line: Int) throws {
    self.line = line
    let path = NSTemporaryDirectory() + "/subledger-\(UUID().uuidString)"
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forUpdatingAtPath: path)
    else {
      throw LedgerError(
        .cannotWrite, "A payload over the size limit cannot be set aside in \(NSTemporaryDirectory()).",
        "Name another folder with TMPDIR.")
    }
    // Without a name it is gone when this program is, however that ends.
    unlink(path)
    self.file = file
  }

  mutating func append(_ piece: [UInt8]) throws {
    let clean = redactor.next(piece[...])
    hash.update(data: clean)
    count += clean.count
    do {
      try file.write(contentsOf: clean)
    } catch {
      throw LedgerError(.cannotWrite, "There is no space to set aside a payload of over \(count) bytes.")
    }
  }

  /// The digest of the whole, and its bytes in parts of a megabyte.
  func parts(_ body: (ContentDigest, () throws -> Data?) throws -> Void) throws {
    try file.seek(toOffset: 0)
    try body(ContentDigest(bytes: Array(hash.finalize()))) {
      try file.read(upToCount: 1 << 20).flatMap { $0.isEmpty ? nil : $0 }
    }
  }
}

extension LedgerError {
  /// A payload without an end, as far as one looks.
  static func payloadTooLong(_ limit: Int, _ origin: String, _ line: Int) -> LedgerError {
    LedgerError(
      .payloadTooLong,
      "\(origin):\(line): a payload is longer than \(limit) bytes, and was not read to its end. What came before it is "
        + "recorded.",
      "Check that this is what Apple sent; split it into single payloads, one a line.")
  }
}

extension LedgerRecorder {
  /// Keeps an oversized payload aside.
  func quarantine(
    _ spool: OversizedSpool, _ refusal: PayloadError, receivedAt: Instant, isExplicit: Bool, origin: String
  ) throws -> ImportSummary {
    try record { transaction in
      var recorder = Recorder(transaction)
      recorder.summary.payloads = 1
      try spool.parts { digest, next in
        guard try recorder.quarantineID(digest) == nil else {
          recorder.summary.duplicates = 1
          recorder.summary.stillQuarantined = try recorder.isInQuarantine(digest) ? 1 : 0
          return
        }
        recorder.summary.quarantined = 1
        let arrival = Arrival(
          outcome: .refused(refusal, raw: []), receivedAt: receivedAt, isExplicit: isExplicit, origin: origin, line: spool.line)
        let id = try recorder.quarantineRow(refusal, digest: digest, count: spool.count, arrival: arrival)
        var ordinal = 0
        while let part = try next() {
          try transaction.insert("quarantine_bytes", [id, ordinal, part])
          ordinal += 1
        }
      }
      return recorder.summary
    }
  }
}
