import Foundation

/// Random numbers for the rows that an erasure may rewrite: without its salt, nobody can confirm a guess of what a digest
/// was taken of. An erasure destroys the salt.
enum RowSalt {
  /// A number for one row.
  static func next() -> Int64 { Int64.random(in: .min ... .max) }
}
