internal import Crypto
internal import LedgerSchema
import Synchronization

/// Random numbers for the rows that an erasure may rewrite: without its salt, nobody can confirm a guess of what a digest
/// was taken of. An erasure destroys the salt.
enum RowSalt {
  /// Numbers that no row has yet: asking for many at once costs little more than asking for one.
  private static let waiting = Mutex<[Int64]>([])
  private static let count = 512

  /// A number for one row.
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
