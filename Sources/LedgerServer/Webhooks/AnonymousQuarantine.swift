internal import AppStore
internal import Ledger
internal import LedgerService
internal import LedgerStore
internal import Synchronization

/// Decides what anonymous senders may put into quarantine. Anybody can post to Apple's addresses, so each day has a
/// quota. Of what is beyond it, only the number, the length and the last digest are recorded.
final class AnonymousQuarantine: Sendable {
  /// What may be put into quarantine on one day of UTC.
  struct Quota: Sendable {
    var payloads: Int64
    var bytes: Int64
  }

  /// How many ids of a payload are stored. Nobody's notification needs more, and a forged text could name thousands.
  static let mentionLimit = 16

  private struct State {
    /// What each day used, with what requests have reserved.
    var days: [Int64: QuarantineDay] = [:]
    /// What was left out, and is not written yet.
    var leftOut: [Int64: QuarantineDay] = [:]
  }

  private let quota: Quota
  private let disk: DiskSpace
  private let state: Mutex<State>

  /// Creates a quarantine that goes on with the numbers of a file.
  /// - Throws: `LedgerError` when the file cannot be read.
  init(_ ledger: LedgerReader, quota: Quota, disk: DiskSpace) throws {
    (self.quota, self.disk) = (quota, disk)
    state = Mutex(State(days: Dictionary(uniqueKeysWithValues: try ledger.quarantineDays().map { ($0.day, $0) })))
  }

  /// Reserves a place for a refused payload.
  /// - Returns: whether there was one. Else the payload is counted.
  func reserve(_ raw: [UInt8], at instant: Instant) -> Bool {
    let empty = QuarantineDay(of: instant)
    let isDiskLow = disk.isLow
    return state.withLock { state in
      var used = state.days[empty.day] ?? empty
      if !isDiskLow, used.payloadCount < quota.payloads, used.byteCount + Int64(raw.count) <= quota.bytes {
        used.payloadCount += 1
        used.byteCount += Int64(raw.count)
        state.days[empty.day] = used
        return true
      }
      var left = state.leftOut[empty.day] ?? empty
      left.leftOutCount += 1
      left.leftOutByteCount += Int64(raw.count)
      left.lastLeftOut = ContentDigest(sha256: raw)
      state.leftOut[empty.day] = left
      return false
    }
  }

  /// Gives a place back that was not used.
  func giveBack(_ raw: [UInt8], at instant: Instant) {
    let day = QuarantineDay(of: instant).day
    state.withLock { state in
      state.days[day]?.payloadCount -= 1
      state.days[day]?.byteCount -= Int64(raw.count)
    }
  }

  /// Writes the numbers of what was left out.
  func note(in ledger: LedgerRecorder) {
    let days = state.withLock { state in
      defer { state.leftOut = [:] }
      return state.leftOut
    }
    guard !days.isEmpty else { return }
    do {
      try ledger.record { transaction in for day in days.values { try transaction.add(day) } }
    } catch {
      state.withLock { state in state.leftOut.merge(days) { $0 + $1 } }
    }
  }
}

extension QuarantineDay {
  fileprivate static func + (later: QuarantineDay, earlier: QuarantineDay) -> QuarantineDay {
    var sum = later
    sum.leftOutCount += earlier.leftOutCount
    sum.leftOutByteCount += earlier.leftOutByteCount
    return sum
  }
}
