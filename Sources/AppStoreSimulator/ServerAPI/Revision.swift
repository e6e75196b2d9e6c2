import AppStore
import Crypto
import Foundation

/// The cursor of a walk through transactions: after which one the next page begins. It belongs to one question.
struct Revision {
  /// The place of a transaction in a walk.
  struct Position: Comparable {
    let at: Instant
    let id: Int64

    static func < (one: Position, other: Position) -> Bool { (one.at, one.id) < (other.at, other.id) }
  }

  /// The last transaction of the page; `nil` for an empty one.
  let position: Position?
  private let parameters: [UInt8]

  /// Creates the cursor of a page.
  /// - Parameters:
  ///   - position: the last transaction of the page; `nil` for an empty one.
  ///   - parameters: what was asked, without the revision.
  init(after position: Position?, of parameters: [String]) {
    self.position = position
    self.parameters = Self.digest(parameters)
  }

  /// Reads a cursor that was given before.
  /// - Throws: ``APIError/invalidRevision`` if the text is not a cursor of this question.
  init(_ text: String, of parameters: [String]) throws(APIError) {
    let bytes = Base64URL.decode(ArraySlice(Array(text.utf8))) ?? []
    self.parameters = Self.digest(parameters)
    guard bytes.count > Self.digestLength, Array(bytes.prefix(Self.digestLength)) == self.parameters else {
      throw .invalidRevision
    }
    let numbers = String(decoding: bytes.dropFirst(Self.digestLength), as: UTF8.self).split(separator: "_")
    switch numbers.count {
    case 1 where numbers[0] == "0": position = nil
    case 2:
      guard let at = Int64(numbers[0]), let id = Int64(numbers[1]) else { throw .invalidRevision }
      position = Position(at: Instant(milliseconds: at), id: id)
    default: throw .invalidRevision
    }
  }

  /// The cursor as text for a query.
  var text: String {
    let numbers = position.map { "\($0.at.milliseconds)_\($0.id)" } ?? "0"
    return String(decoding: Base64URL.encode(parameters + Array(numbers.utf8)), as: UTF8.self)
  }

  private static let digestLength = 12

  private static func digest(_ parameters: [String]) -> [UInt8] {
    // The length before each text keeps two questions apart whose texts are the same when joined.
    let text = parameters.map { "\($0.utf8.count):\($0)" }.joined()
    return Array(SHA256.hash(data: Data(text.utf8)).prefix(digestLength))
  }
}
