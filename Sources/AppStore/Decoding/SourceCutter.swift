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

  /// What remains, with where each cut of the original text now is, and the digest of the text before the cuts.
  /// - Parameters:
  ///   - digest: the digest, where it is known.
  ///   - arrival: a digest that holds where the same ranges gave way.
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
