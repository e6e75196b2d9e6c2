internal import Crypto
internal import LedgerSchema
import Synchronization

/// Random numbers for the rows that an erasure may rewrite. Without a row's salt, nobody can confirm a guess of the
/// values behind its digest. An erasure destroys the salt.
enum RowSalt {
  /// Random numbers that no row has used yet. A request for many costs little more than a request for one.
  private static let waiting = Mutex<[Int64]>([])
  private static let count = 512

  /// Returns a random number for one row.
  static func next() -> Int64 {
    waiting.withLock { waiting in
      if waiting.isEmpty {
        let random = SymmetricKey(size: SymmetricKeySize(bitCount: count * Int64.bitWidth))
        waiting = random.withUnsafeBytes { bytes in
          (0..<count).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }
        }
      }
      return waiting.removeLast()
    }
  }
}
