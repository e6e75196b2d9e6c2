/// Cuts a stream of bytes into payloads, in flat memory: one JSON payload (however it is overlaid out), a JSON array of
/// payloads, one payload a line, compact JWS lines.
///
/// Feed it pieces with ``append(_:)`` and end with ``finish()``. A torn payload costs only itself: in a file of lines
/// the next line stands again.
public struct PayloadSplitter {
  /// A payload longer than this is given out in pieces and never parsed: 32 MiB, some twenty thousand receipt rows.
  public static let sizeLimit = 32 << 20

  /// One item, or a piece of one that is too long.
  public enum Output: Sendable, Equatable {
    /// A whole item and the line that it begins on, counted from 1.
    case item([UInt8], line: Int)
    /// The next piece of an item over ``sizeLimit``; the pieces of one follow each other, and the last says so.
    case piece([UInt8], line: Int, isLast: Bool)
  }

  private enum Shape {
    /// Nothing but white space so far.
    case undecided
    /// One item a line.
    case lines
    /// Objects overlaid out over several lines, one after the other.
    case documents
    /// The elements of one array.
    case array
    /// Something else: one item, unless lines turn up in it.
    case foreign
  }

  private var shape = Shape.undecided
  /// Whether a byte order mark was looked for.
  private var isBegun = false
  private var held: [UInt8] = []
  /// How far ``held`` has been looked at.
  private var scanned = 0
  /// How far the first line was searched for its end, while nothing is decided.
  private var searched = 0
  private var brackets = BracketReader()
  private var line = 1
  private var isOversized = false
  private var isArrayOver = false
  private let limit: Int

  /// A splitter at the beginning of a stream.
  public init() { self.init(limit: Self.sizeLimit) }

  init(limit: Int) { self.limit = limit }

  /// Takes the next piece of the stream and gives the items that it completes.
  public mutating func append(_ bytes: [UInt8]) -> [Output] {
    held += bytes
    var outputs: [Output] = []
    if shape == .undecided { decide(isLast: false) }
    advance(&outputs)
    return outputs
  }

  /// Gives what is left at the end of the stream.
  public mutating func finish() -> [Output] {
    var outputs: [Output] = []
    if shape == .undecided { decide(isLast: true) }
    advance(&outputs)
    switch shape {
    case .documents where !isBlank(held[...]), .foreign: outputs += asLines(held)
    case .array where !isArrayOver: finishTornArray(&outputs)
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

  /// An array begins with a bracket. Otherwise the first line decides: a line that is complete by itself begins a file
  /// of lines; one that leaves a bracket open begins a overlaid-out document.
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
      shape = held[start] == UInt8(ascii: "\"") || held[start...].starts(with: Self.jws) ? .lines : .foreign
      return
    }
    decideByLines(from: start, isLast: isLast)
  }

  private mutating func decideByLines(from start: Int, isLast: Bool) {
    let isEnough = isLast || held.count - start > limit
    guard let end = endOfLine(from: max(start, searched)) else {
      // A long first line comes in many pieces: each is searched once.
      searched = held.count
      if isEnough { shape = .lines }
      return
    }
    searched = end
    if Self.isBalanced(held[start..<end]) {
      shape = .lines
      return
    }
    // A first line that is torn, before a second that is whole: lines after all. That is for the whole second line to
    // say, or the same file would give other items where a piece of it ended in between.
    let next = held[(end + 1)...]
    let nextEnd = next.firstIndex(of: 0x0A)
    guard nextEnd != nil || isEnough else { return }
    let second = next[..<(nextEnd ?? next.endIndex)]
    shape = second.first == UInt8(ascii: "{") && Self.isBalanced(second) ? .lines : .documents
  }

  /// How a compact JWS begins: Base 64 URL of a bracket and a quote.
  private static let jws = Array("eyJ".utf8)

  /// Whether a line is whole by itself: an object, or a compact JWS.
  private static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    line.starts(with: jws) || (line.first == UInt8(ascii: "{") && isBalanced(line))
  }

  /// Whether several lines are items of their own: at least one is whole, or each begins as one does and was torn. (A
  /// document that is overlaid out does not begin anew on every line.)
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

  /// The next end of a line, at a place or behind it.
  private func endOfLine(from place: Int) -> Int? {
    held.withUnsafeBytes { bytes in
      ByteSearch.first(0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[place...])).map { place + $0 }
    }
  }

  // MARK: - Advancing

  private mutating func advance(_ outputs: inout [Output]) {
    switch shape {
    case .undecided, .foreign: break
    case .lines: advanceLines(&outputs)
    case .documents: advanceDocuments(&outputs)
    case .array: advanceArray(&outputs)
    }
    if held.count > limit, shape != .undecided { overflow(&outputs) }
  }

  /// Gives out what is held, up to a place, as an item and forgets it.
  private mutating func emit(_ count: Int, _ outputs: inout [Output]) {
    give(0..<count, skipping: 0, &outputs)
    drop(count)
  }

  /// Gives out some of what is held as an item; `skipping` bytes after it are the separator.
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

  /// Forgets what was given out: once for all items of a piece, because what is behind them moves each time.
  private mutating func drop(_ count: Int) {
    held.removeFirst(count)
    scanned = max(0, scanned - count)
  }

  private mutating func advanceLines(_ outputs: inout [Output]) {
    var start = 0
    var place = scanned
    while let end = endOfLine(from: place) {
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
      place = start
    }
    if start > 0 { held.removeFirst(start) }
    scanned = held.count
  }

  /// Follows brackets and strings; calls back at each byte outside a string with the depth after it.
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

  /// An array whose end never came: its last element is torn, but a file of lines may hide behind a stray bracket.
  private mutating func finishTornArray(_ outputs: inout [Output]) {
    if isOversized { return emit(held.count, &outputs) }
    outputs += isBlank(held[...]) ? [.item(Array("[".utf8), line: line)] : asLines(held)
  }

  /// What could not be read as a document is tried line by line, where its lines look like items.
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

  /// More is held than an item may have: what looked like a document may be lines; a true giant goes out in pieces.
  private mutating func overflow(_ outputs: inout [Output]) {
    if shape != .lines, !isOversized, held.contains(0x0A) {
      let found = asLinesIfAny()
      if !found.isEmpty {
        outputs += found
        return
      }
    }
    outputs.append(.piece(held, line: line, isLast: false))
    isOversized = true
    var place = 0
    while let end = endOfLine(from: place) { (line, place) = (line + 1, end + 1) }
    held = []
    scanned = 0
  }

  /// Turns to lines where the held bytes contain whole ones, keeping the last, unfinished line.
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
