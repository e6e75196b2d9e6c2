internal import NIOCore
internal import Synchronization

/// The memory for all bodies that arrive or are answered at present. When it is used up, a body that does not arrive in
/// full gives way to newer ones: many senders could begin long bodies and never end them.
final class BodyBudget: Sendable {
  private struct Entry {
    /// The bytes in pieces of at most ``pieceLength``. One array would double its memory each time that it grows.
    var pieces: [[UInt8]] = []
    /// The memory that stays reserved after the bytes were handed over.
    var reserved = 0
    var isArriving = true

    private static let pieceLength = 4000

    mutating func add(_ bytes: ByteBufferView) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let room = pieces.last.map { Self.pieceLength - $0.count } ?? 0
        if room == 0 {
          pieces.append([])
          pieces[pieces.count - 1].reserveCapacity(Self.pieceLength)
        }
        let part = rest.prefix(room == 0 ? Self.pieceLength : room)
        pieces[pieces.count - 1] += part
        rest = rest.dropFirst(part.count)
      }
    }
  }

  private struct State {
    var used = 0
    var entries: [Int: Entry] = [:]
    var next = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Creates a budget of so many bytes.
  init(_ limit: Int) { self.limit = limit }

  /// The bytes that bodies have at present.
  var used: Int { state.withLock { $0.used } }

  /// The part of the budget for one request. It ends with this value.
  final class Part: Sendable {
    private let budget: BodyBudget
    private let id: Int

    fileprivate init(_ budget: BodyBudget, _ id: Int) { (self.budget, self.id) = (budget, id) }

    /// Adds bytes that arrived.
    /// - Throws: ``HTTPProblem`` when no memory is left, or when this body gave way to others.
    func append(_ buffer: ByteBuffer) throws {
      guard budget.append(buffer, to: id) else {
        throw HTTPProblem.unavailable(
          "too_many_bytes", "Too many bodies arrive at the same time. Send the request again.")
      }
    }

    /// Returns the whole body. Its memory stays reserved until the request ends.
    func take() throws -> [UInt8] {
      guard let bytes = budget.take(id) else {
        throw HTTPProblem.unavailable(
          "too_many_bytes", "Too many bodies arrive at the same time. Send the request again.")
      }
      return bytes
    }

    deinit { budget.end(id) }
  }

  /// Begins the part of a request.
  func part() -> Part {
    Part(
      self,
      state.withLock { state in
        state.next += 1
        state.entries[state.next] = Entry()
        return state.next
      })
  }

  private func append(_ buffer: ByteBuffer, to id: Int) -> Bool {
    let count = buffer.readableBytes
    return state.withLock { state in
      guard state.entries[id] != nil else { return false }
      while state.used + count > limit {
        guard let victim = victim(state, for: id, adding: count) else {
          remove(id, &state)
          return false
        }
        remove(victim, &state)
      }
      state.used += count
      state.entries[id]?.reserved += count
      state.entries[id]?.add(buffer.readableBytesView)
      return true
    }
  }

  /// Returns the body that gives way: the longest of those that still arrive, if it is longer or older than this one.
  private func victim(_ state: borrowing State, for id: Int, adding count: Int) -> Int? {
    let mine = (state.entries[id]?.reserved ?? 0) + count
    return state.entries.filter { other, entry in
      other != id && entry.isArriving && entry.reserved > 0 && (entry.reserved >= mine || other < id)
    }.max { ($0.value.reserved, -$0.key) < ($1.value.reserved, -$1.key) }?.key
  }

  private func take(_ id: Int) -> [UInt8]? {
    let pieces: [[UInt8]]? = state.withLock { state in
      guard let entry = state.entries[id] else { return nil }
      state.entries[id]?.pieces = []
      state.entries[id]?.isArriving = false
      return entry.pieces
    }
    return pieces.map { Array($0.joined()) }
  }

  private func end(_ id: Int) { state.withLock { remove(id, &$0) } }

  private func remove(_ id: Int, _ state: inout State) {
    state.used -= state.entries.removeValue(forKey: id)?.reserved ?? 0
  }
}
