internal import AppStore
internal import Crypto
internal import Foundation
internal import GRDB
internal import LedgerSchema

/// A payload that is too long for memory, on its way to quarantine. It is written to disk without its secrets.
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
        .cannotWrite, "A payload over the size limit cannot be stored in the folder \(NSTemporaryDirectory()).",
        "Name another folder in the environment variable TMPDIR.")
    }
    // The file has no name from here on, so the system removes it when the program ends in any way.
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
      throw LedgerError(
        .cannotWrite, "The disk has no space left for a payload of over \(count) bytes.",
        "Free some space, then try again.")
    }
  }

  /// Calls a closure with the payload's digest and a function. The function returns the bytes in parts of one mebibyte.
  func parts(_ body: (ContentDigest, () throws -> Data?) throws -> Void) throws {
    try file.seek(toOffset: 0)
    try body(ContentDigest(bytes: Array(hash.finalize()))) {
      try file.read(upToCount: 1 << 20).flatMap { $0.isEmpty ? nil : $0 }
    }
  }
}

extension LedgerError {
  /// Returns the error for a payload that exceeds the limit before its end.
  static func payloadTooLong(_ limit: Int, _ origin: String, _ line: Int) -> LedgerError {
    LedgerError(
      .payloadTooLong,
      "\(origin):\(line): a payload is longer than \(limit) bytes, and was not read to its end. The payloads before it "
        + "are recorded.",
      "Check that Apple sent this. If it contains several payloads, put each on one line.")
  }
}

extension LedgerRecorder {
  /// Puts an oversized payload into quarantine, with its bytes in parts.
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
          outcome: .refused(refusal, raw: []), receivedAt: receivedAt, isExplicit: isExplicit, origin: origin,
          line: spool.line)
        let id = try recorder.quarantineRow(refusal, digest: digest, count: spool.count, arrival: arrival)
        var ordinal = 0
        while let part = try next() {
          try transaction.insert("quarantine_bytes", ["quarantine_id": id, "ordinal": ordinal, "bytes": part])
          ordinal += 1
        }
      }
      return recorder.summary
    }
  }
}
