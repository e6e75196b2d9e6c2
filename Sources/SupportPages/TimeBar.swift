package import AppStore
internal import LedgerPresentation

/// The two instants of a page: what was true when, by what was known when.
package struct TimeBar {
  let path: String
  let asOf: String
  let knownAt: String
  /// Whether an instant other than the present is shown.
  package let isPast: Bool
  let description: String
  let nowTarget: String
  /// The address of the page that compares with the present; `nil` where there is none.
  private(set) var compareTarget: String?
  /// The stated instants, for the addresses of other pages; empty for now.
  let query: [(name: String, value: String)]

  /// Returns the bar with a link to the page that compares these instants with the present.
  func comparing(at path: String) -> TimeBar {
    var bar = self
    bar.compareTarget = PageAddress.of(path, query)
    return bar
  }

  /// Creates the bar of a page.
  /// - Parameters:
  ///   - path: the address of the page, without a query.
  ///   - asOf: the instant that the address states; `nil` for now.
  ///   - knownAt: the limit of knowledge that the address states; `nil` for now.
  package init(path: String, asOf: Instant?, knownAt: Instant?) {
    (self.path, nowTarget) = (path, path)
    (self.asOf, self.knownAt) = (asOf?.description ?? "", knownAt?.description ?? "")
    isPast = asOf != nil || knownAt != nil
    let truth = asOf.map { "what was true at \(Messages.instant($0))" } ?? "what is true now"
    let knowledge = knownAt.map { "as known at \(Messages.instant($0))" } ?? "as known now"
    description = "\(truth), \(knowledge)."
    query =
      (asOf.map { [("as_of", $0.description)] } ?? []) + (knownAt.map { [("known_at", $0.description)] } ?? [])
  }
}
