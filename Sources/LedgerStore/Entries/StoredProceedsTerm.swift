package import AppStore
package import GRDB

extension ProceedsTerm {
  /// Reads a statement from a row of the view `proceeds_term`; `nil` for a term that this program does not know.
  package init?(_ row: Row) {
    guard let kind = Kind(rawValue: row["term"]) else { return nil }
    self.init(
      kind, storefront: row["country"], bundleID: row["bundle_id"], day: Instant(milliseconds: row["begins_at"]),
      rate: row["rate"], source: row["source"])
  }
}
