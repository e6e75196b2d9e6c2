/// Takes statements out of a payload's text, so that each is kept once, and puts digests where receipts stood.
///
/// A payload repeats itself: every poll brings all rows of a customer again, every notification some eleven thousand
/// bytes of which nine are certificates. What is cut is inserted again, byte for byte, at its position.
struct SourceCutter {
  private enum Edit {
    case cut
    case replace([UInt8])
  }

  private var edits: [(range: Range<Int>, edit: Edit)] = []

  /// Takes a range out.
  mutating func cut(_ range: Range<Int>) { edits.append((range, .cut)) }

  /// Puts other bytes in place of a range, for good.
  mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) { edits.append((range, .replace(bytes))) }

  /// What remains, with where each cut of the original text now is, and the digest of the text before the cuts, where
  /// it is not known.
  func apply(to bytes: [UInt8], digest: Digest? = nil) -> (source: [UInt8], positions: [Int: Int], digest: Digest) {
    guard !edits.isEmpty else { return (bytes, [:], digest ?? Digest(sha256: bytes)) }
    var source: [UInt8] = []
    var whole: [UInt8] = []
    var positions: [Int: Int] = [:]
    var copied = 0
    if digest == nil { whole.reserveCapacity(bytes.count) }
    for (range, edit) in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard range.lowerBound >= copied else { continue }
      source += bytes[copied..<range.lowerBound]
      if digest == nil { whole += bytes[copied..<range.lowerBound] }
      switch edit {
      case .cut:
        positions[range.lowerBound] = source.count
        if digest == nil { whole += bytes[range] }
      case .replace(let replacement):
        source += replacement
        if digest == nil { whole += replacement }
      }
      copied = range.upperBound
    }
    source += bytes[copied...]
    if digest == nil { whole += bytes[copied...] }
    return (source, positions, digest ?? Digest(sha256: whole))
  }
}
