/// Removes Apple's objects from a payload's text, so that each is stored once. It also replaces receipts with their
/// digests.
///
/// Payloads repeat content. Every poll returns all rows of a customer. A notification has about 11,000 bytes, of which
/// 9,000 are certificates. An export inserts each removed object again at its position, byte for byte.
struct SourceCutter {
  private enum Edit {
    case cut
    case replace([UInt8])
  }

  private var edits: [(range: Range<Int>, edit: Edit)] = []

  mutating func cut(_ range: Range<Int>) { edits.append((range, .cut)) }

  /// Replaces a range with other bytes permanently.
  mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) { edits.append((range, .replace(bytes))) }

  /// Applies the edits. Returns the remaining text, the position of each cut in it, and the digest of the text before
  /// the cuts.
  /// - Parameters:
  ///   - digest: the digest, if it is known.
  ///   - arrival: a digest that is valid if exactly its receipts were replaced.
  func apply(
    to bytes: [UInt8], digest: ContentDigest? = nil, arrival: ArrivalDigest? = nil
  ) -> (source: [UInt8], positions: [Int: Int], digest: ContentDigest) {
    var source: [UInt8] = []
    source.reserveCapacity(bytes.count)
    var positions: [Int: Int] = [:]
    var replaced: [(range: Range<Int>, bytes: [UInt8])] = []
    var copied = 0
    for (range, edit) in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard range.lowerBound >= copied else { continue }
      source += bytes[copied..<range.lowerBound]
      switch edit {
      case .cut:
        positions[range.lowerBound] = source.count
      case .replace(let replacement):
        source += replacement
        replaced.append((range, replacement))
      }
      copied = range.upperBound
    }
    source += bytes[copied...]
    let taken = arrival.flatMap { $0.receipts == replaced.map(\.range) ? $0.digest : nil }
    return (source, positions, digest ?? taken ?? Self.digest(of: bytes, replaced))
  }

  private static func digest(of bytes: [UInt8], _ replaced: [(range: Range<Int>, bytes: [UInt8])]) -> ContentDigest {
    guard !replaced.isEmpty else { return ContentDigest(sha256: bytes) }
    var whole: [UInt8] = []
    whole.reserveCapacity(bytes.count)
    var copied = 0
    for (range, replacement) in replaced {
      whole += bytes[copied..<range.lowerBound]
      whole += replacement
      copied = range.upperBound
    }
    return ContentDigest(sha256: whole + bytes[copied...])
  }
}
