/// A number of bytes as a user types it: a whole number, and KiB, MiB or GiB where it is large.
package struct ByteCountText {
  /// The number of bytes.
  package let count: Int64

  /// Reads a number of bytes below 2^53; returns `nil` for any other text.
  package init?(_ text: String) {
    let units: [(name: String, bytes: Int64)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    let unit = units.first { text.hasSuffix($0.name) }
    guard let number = Int64(text.dropLast(unit?.name.count ?? 0)), number >= 0 else { return nil }
    let (count, isTooLarge) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
    guard !isTooLarge, count < 1 << 53 else { return nil }
    self.count = count
  }
}
