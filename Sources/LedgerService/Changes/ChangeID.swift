internal import GRDB
internal import LedgerSchema

/// The id of an entry of the change feed: the run of the feed, and a number that grows with every entry of it.
///
/// A restored ledger begins another run. So a reader of the feed never takes two different changes for the same one.
public struct ChangeID: Sendable, Hashable, LosslessStringConvertible {
  /// The run of the feed: letters and digits.
  public let epoch: String
  /// The number of the entry; 0 before the first one.
  public let number: Int64

  init(epoch: String, number: Int64) { (self.epoch, self.number) = (epoch, number) }

  /// Reads an id, for example `6f1a20c4-17`; `nil` when the text is not an id.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[1]), number >= 0, String(number) == parts[1],
      (1...16).contains(parts[0].count), parts[0].utf8.allSatisfy(Self.isPlain)
    else { return nil }
    self.init(epoch: String(parts[0]), number: number)
  }

  /// The id as text.
  public var description: String { "\(epoch)-\(number)" }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Reads the id of the last entry; `nil` when the feed has not begun.
  init?(lastOf database: Database) throws {
    guard let epoch = try database.texts("SELECT epoch FROM main.change_feed_position", []).first else { return nil }
    self.init(epoch: epoch, number: try database.id("SELECT MAX(change_id) FROM main.state_change", []) ?? 0)
  }
}

/// Entries of the change feed that follow each other.
public struct ChangePage: Sendable {
  /// The entries, in the order of the feed.
  public var changes: [StateChange]
  /// Ask for the entries after this one next.
  public var next: ChangeID
  /// The id of the last entry of the feed.
  public var last: ChangeID
  /// Whether the feed has the entry after which the caller asked. If not, the page is empty: the ledger was restored,
  /// so read every state again, and then ask for the changes after ``last``.
  public var containsCursor: Bool
}
