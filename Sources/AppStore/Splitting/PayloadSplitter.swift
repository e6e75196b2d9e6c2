/// Splits a stream of bytes into payloads, with a bounded amount of memory. The stream is one of these: a JSON payload
/// (also over several lines), a JSON array of payloads, lines with one payload, compact JWS or receipt each, or one
/// receipt: the file itself, or Base 64 in short lines.
///
/// Pass pieces to ``append(_:)``, and call ``finish()`` at the end. A truncated payload affects no other payload: in a
/// file of lines, the next line is read as usual.
public struct PayloadSplitter {
  /// The maximum length of a payload in bytes: 32 MiB, about twenty thousand receipt rows. A longer payload is returned
  /// in pieces and never parsed.
  public static let sizeLimit = 32 << 20

  /// One item, or a piece of an item that is too long.
  public enum Output: Sendable, Equatable {
    /// A whole item, and the number of the line on which it begins, counted from 1.
    case item([UInt8], line: Int)
    /// The next piece of an item over ``sizeLimit``. The pieces of one item follow each other; `isLast` marks the last
    /// one.
    case piece([UInt8], line: Int, isLast: Bool)
  }

  private enum Shape {
    /// Only white space so far.
    case undecided
    /// One item per line.
    case lines
    /// Objects that span several lines, one after the other.
    case documents
    /// The elements of one array.
    case array
    /// The file of one app receipt, which is not text.
    case receipt
    /// Any other text: one item, unless it turns out to contain lines.
    case foreign
  }

  private var shape = Shape.undecided
  /// Whether the splitter has looked for a byte order mark.
  private var isBegun = false
  private var held: [UInt8] = []
  /// How many bytes of ``held`` were read.
  private var scanned = 0
  /// How far the splitter has searched for the end of the first line, before the shape is decided.
  private var searched = 0
  private var brackets = BracketReader()
  private var line = 1
  private var isOversized = false
  private var isArrayOver = false
  private let limit: Int

  /// Creates a splitter for the start of a stream.
  public init() { self.init(limit: Self.sizeLimit) }

  init(limit: Int) { self.limit = limit }

  /// Reads the next piece of the stream.
  /// - Returns: the items that the piece completes, and pieces of an item that is too long.
  public mutating func append(_ bytes: [UInt8]) -> [Output] {
    held += bytes
    var outputs: [Output] = []
    if shape == .undecided { decide(isLast: false) }
    advance(&outputs)
    return outputs
  }

  /// Ends the stream and returns what is left.
  /// - Returns: the items that remain, truncated or whole.
  public mutating func finish() -> [Output] {
    var outputs: [Output] = []
    if shape == .undecided { decide(isLast: true) }
    advance(&outputs)
    switch shape {
    case .documents where !isBlank(held[...]), .foreign: outputs += asLines(held)
    case .array where !isArrayOver: finishTruncatedArray(&outputs)
    case .array where isBlank(held[...]): break
    case .undecided: break
    default: emit(held.count, &outputs)
    }
    held = []
    return outputs
  }

  private func isBlank(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  // MARK: - Deciding

  /// Decides the shape of the stream. A bracket begins an array. Otherwise the first line decides. A line that is
  /// complete by itself begins a file of lines. A line that leaves a bracket open begins a document over several lines.
  private mutating func decide(isLast: Bool) {
    if !isBegun {
      guard held.count >= 3 || isLast else { return }
      isBegun = true
      if held.starts(with: [0xEF, 0xBB, 0xBF]) { held.removeFirst(3) }
    }
    guard let start = held.firstIndex(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) else { return }
    if held[start] == UInt8(ascii: "[") {
      line += held[..<start].count(where: { $0 == 0x0A })
      held.removeFirst(start + 1)
      shape = .array
      return
    }
    guard held[start] == UInt8(ascii: "{") else {
      guard held.count - start >= 3 || isLast else { return }
      if ReceiptText.isFile(held[start...]) {
        shape = .receipt
        return
      }
      if !held[start...].starts(with: Self.jws), ReceiptText.isLikely(held[start...]) {
        guard let isLine = isLongLine(from: start, isLast: isLast) else { return }
        shape = isLine ? .lines : .foreign
        return
      }
      shape = held[start] == UInt8(ascii: "\"") || held[start...].starts(with: Self.jws) ? .lines : .foreign
      return
    }
    decideByLines(from: start, isLast: isLast)
  }

  /// The longest line into which a program cuts Base 64 (RFC 2045 §6.8: 76 characters).
  private static let wrappedLine = 80

  /// Returns whether a receipt in Base 64 is on one line; `nil` if the stream does not show it yet.
  private func isLongLine(from start: Int, isLast: Bool) -> Bool? {
    if held.count - start <= Self.wrappedLine, !isLast, !held[start...].contains(0x0A) { return nil }
    return !held[start...].prefix(Self.wrappedLine + 1).contains(0x0A)
  }

  private mutating func decideByLines(from start: Int, isLast: Bool) {
    let isEnough = isLast || held.count - start > limit
    guard let end = endOfLine(from: max(start, searched)) else {
      // A long first line arrives in many pieces. Each piece is searched once.
      searched = held.count
      if isEnough { shape = .lines }
      return
    }
    searched = end
    if Self.isBalanced(held[start..<end]) {
      shape = .lines
      return
    }
    // A truncated first line before a whole second line also means a file of lines. The decision needs the whole second
    // line. Otherwise the items would depend on where a piece of the stream ends.
    let next = held[(end + 1)...]
    let nextEnd = next.firstIndex(of: 0x0A)
    guard nextEnd != nil || isEnough else { return }
    let second = next[..<(nextEnd ?? next.endIndex)]
    shape = second.first == UInt8(ascii: "{") && Self.isBalanced(second) ? .lines : .documents
  }

  /// The first bytes of every compact JWS: a bracket and a quote in Base 64 URL.
  private static let jws = Array("eyJ".utf8)

  /// Returns whether a line is complete by itself: an object or a compact JWS.
  private static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    line.starts(with: jws) || (line.first == UInt8(ascii: "{") && isBalanced(line))
  }

  /// Returns whether several lines are separate items: at least one is whole, or each begins like an item and is
  /// truncated. A document over several lines does not have a beginning on every line.
  private static func areItems(_ lines: [ArraySlice<UInt8>]) -> Bool {
    if lines.contains(where: { isWhole($0) }) { return true }
    let filled = lines.filter { !$0.isEmpty && $0 != [0x0D] }
    return filled.count > 1
      && filled.allSatisfy { $0.first == UInt8(ascii: "{") && $0.count > 1 || $0.starts(with: jws) }
  }

  private static func isBalanced(_ line: ArraySlice<UInt8>) -> Bool {
    var brackets = BracketReader()
    for byte in line { brackets.read(byte) }
    return brackets.depth <= 0 && !brackets.isInString
  }

  /// Returns the next end of a line, at a position or after it.
  private func endOfLine(from offset: Int) -> Int? {
    held.withUnsafeBytes { bytes in
      ByteSearch.first(0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[offset...])).map { offset + $0 }
    }
  }

  // MARK: - Advancing

  private mutating func advance(_ outputs: inout [Output]) {
    switch shape {
    case .undecided, .foreign, .receipt: break
    case .lines: advanceLines(&outputs)
    case .documents: advanceDocuments(&outputs)
    case .array: advanceArray(&outputs)
    }
    if held.count > limit, shape != .undecided { overflow(&outputs) }
  }

  /// Appends the first `count` bytes of ``held`` to the outputs as an item, and removes them.
  private mutating func emit(_ count: Int, _ outputs: inout [Output]) {
    give(0..<count, skipping: 0, &outputs)
    drop(count)
  }

  /// Appends a range of ``held`` to the outputs as an item. The `skipping` bytes after it are the separator.
  private mutating func give(_ range: Range<Int>, skipping: Int, _ outputs: inout [Output]) {
    let bytes = Array(held[range])
    if isOversized {
      outputs.append(.piece(bytes, line: line, isLast: true))
      isOversized = false
    } else if !isBlank(bytes[...]) {
      let leading = bytes.prefix { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
      let lead = leading.count(where: { $0 == 0x0A })
      outputs.append(.item(leading.isEmpty ? bytes : Array(bytes[leading.count...]), line: line + lead))
    }
    line += held[range.lowerBound..<(range.upperBound + skipping)].count(where: { $0 == 0x0A })
  }

  /// Removes bytes that were returned. It is called once for all items of a piece, because each removal moves the bytes
  /// after it.
  private mutating func drop(_ count: Int) {
    held.removeFirst(count)
    scanned = max(0, scanned - count)
  }

  private mutating func advanceLines(_ outputs: inout [Output]) {
    var start = 0
    var offset = scanned
    while let end = endOfLine(from: offset) {
      let bytes = held[start..<end]
      if isOversized {
        outputs.append(.piece(Array(bytes), line: line, isLast: true))
        isOversized = false
      } else if bytes.count > limit {
        outputs.append(.piece(Array(bytes), line: line, isLast: true))
      } else if !isBlank(bytes) {
        outputs.append(.item(Array(bytes), line: line))
      }
      line += 1
      start = end + 1
      offset = start
    }
    if start > 0 { held.removeFirst(start) }
    scanned = held.count
  }

  /// Reads brackets and strings. It calls `stop` for each byte outside of strings, with the depth after that byte.
  private mutating func scan(until stop: (UInt8, Int) -> Bool) -> Int? {
    while scanned < held.count {
      let byte = held[scanned]
      scanned += 1
      guard brackets.read(byte) else { continue }
      if stop(byte, brackets.depth) { return scanned - 1 }
    }
    return nil
  }

  private mutating func advanceDocuments(_ outputs: inout [Output]) {
    var start = 0
    while let end = scan(until: { $0 == UInt8(ascii: "}") && $1 <= 0 }) {
      brackets.depth = 0
      give(start..<(end + 1), skipping: 0, &outputs)
      start = end + 1
    }
    drop(start)
  }

  private mutating func advanceArray(_ outputs: inout [Output]) {
    var start = 0
    while !isArrayOver {
      let end = scan { byte, depth in
        (byte == UInt8(ascii: ",") && depth <= 0) || (byte == UInt8(ascii: "]") && depth < 0)
      }
      guard let end else { break }
      isArrayOver = held[end] == UInt8(ascii: "]")
      brackets.depth = 0
      give(start..<end, skipping: 1, &outputs)
      start = end + 1
    }
    drop(start)
  }

  // MARK: - Bad input

  /// Ends an array without a closing bracket. Its last element is truncated, but lines may follow a stray bracket.
  private mutating func finishTruncatedArray(_ outputs: inout [Output]) {
    if isOversized { return emit(held.count, &outputs) }
    outputs += isBlank(held[...]) ? [.item(Array("[".utf8), line: line)] : asLines(held)
  }

  /// Splits a text that is not a readable document into its lines, if these look like items. Otherwise returns it as
  /// one item.
  private mutating func asLines(_ bytes: [UInt8]) -> [Output] {
    if isOversized {
      isOversized = false
      return [.piece(bytes, line: line, isLast: true)]
    }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let areItems = Self.areItems(lines)
    let first = line
    line += lines.count - 1
    if !areItems {
      let lead = lines.prefix { isBlank($0) }.count
      return [.item(Array(lines[lead...].joined(separator: [0x0A])), line: first + lead)]
    }
    return lines.enumerated().compactMap { isBlank($1) ? nil : .item(Array($1), line: first + $0) }
  }

  /// Handles more bytes than an item may have. The text may be a file of lines after all. Otherwise the item is too
  /// long and is returned in pieces.
  private mutating func overflow(_ outputs: inout [Output]) {
    if shape != .lines, shape != .receipt, !isOversized, held.contains(0x0A) {
      let found = asLinesIfAny()
      if !found.isEmpty {
        outputs += found
        return
      }
    }
    outputs.append(.piece(held, line: line, isLast: false))
    isOversized = true
    var offset = 0
    while let end = endOfLine(from: offset) { (line, offset) = (line + 1, end + 1) }
    held = []
    scanned = 0
  }

  /// Changes to lines if the held bytes contain whole items on lines. It keeps the last, unfinished line.
  private mutating func asLinesIfAny() -> [Output] {
    guard let last = held.lastIndex(of: 0x0A) else { return [] }
    let whole = Array(held[...last])
    guard Self.areItems(whole.split(separator: 0x0A)) else { return [] }
    let rest = Array(held[(last + 1)...])
    let found = asLines(Array(whole.dropLast()))
    line += 1
    held = rest
    scanned = 0
    (shape, brackets) = (.lines, BracketReader())
    return found
  }
}
