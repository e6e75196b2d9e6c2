package import AppStore
internal import Ledger
package import LedgerPresentation

/// What an answer of the past would be with other knowledge, and which evidence makes the difference.
struct KnowledgeSection {
  let sentence: String
  let answers: [String]
  let rows: [TimelineSection.Row]
  let leftOut: String?
  let target: String

  /// The greatest number of events. The page that compares has all of them.
  private static let limit = 10

  private static func parted(_ entries: [Timeline.Entry], at instant: Instant) -> (
    before: [Timeline.Entry], after: [Timeline.Entry]
  ) {
    (entries.filter { $0.happenedAt <= instant }, entries.filter { $0.happenedAt > instant })
  }

  /// Creates the section; `nil` where both limits of knowledge give the same answer.
  /// - Parameter comparison: the card of the page first, then the card of the other limit of knowledge.
  init?(_ comparison: Comparison, customer: String) {
    guard !comparison.isSame else { return nil }
    let (page, other) = (comparison.first, comparison.second)
    let isLater = other.parameters.knownAt > page.parameters.knownAt
    sentence =
      isLater
      ? "With what is known now, the answer for that instant is another one. The evidence below arrived later."
      : "At that instant the ledger knew less, and its answer was another one. The evidence below arrived later."
    answers = other.answers
    // What had happened by the instant of the page explains it best.
    let (before, after) = Self.parted(isLater ? other.entries : page.entries, at: page.parameters.asOf)
    let entries = before + after.reversed()
    let path = PageAddress.person(customer)
    rows = entries.prefix(Self.limit).map { TimelineSection.row($0, path, ownPurchase: nil) }
    let more = entries.count - rows.count
    leftOut = more > 0 ? "… and \(Messages.count(more, "more event"))." : nil
    target = PageAddress.compare(customer, page.parameters, other.parameters)
  }
}

/// The page that compares what a person has at two instants, or as known at two instants.
package struct ComparePage {
  struct Side {
    let title: String
    let answers: [String]
    let target: String
    let rows: [TimelineSection.Row]
  }

  let customer: String
  let person: String
  let path: String
  let sentence: String
  let sides: [Side]
  let asOf: String
  let knownAt: String
  let otherAsOf: String
  let otherKnownAt: String

  /// The instants of a page, as its address states them; `nil` for now.
  package struct Instants: Sendable {
    package var asOf: Instant?
    package var knownAt: Instant?

    package init(asOf: Instant?, knownAt: Instant?) { (self.asOf, self.knownAt) = (asOf, knownAt) }
  }

  /// Creates the page of two cards.
  package init(_ customer: String, _ comparison: Comparison, _ first: Instants, _ second: Instants) {
    self.customer = Printable.text(customer)
    (person, path) = (PageAddress.person(customer), PageAddress.compare(customer))
    sentence = comparison.isSame ? "Both answers are the same." : "The answers differ."
    func side(_ side: Comparison.Side, _ instants: Instants) -> Side {
      let bar = TimeBar(path: PageAddress.person(customer), asOf: instants.asOf, knownAt: instants.knownAt)
      return Side(
        title: bar.description, answers: side.answers, target: PageAddress.person(customer, bar.query),
        rows: side.entries.map { TimelineSection.row($0, PageAddress.person(customer), ownPurchase: nil) })
    }
    sides = [side(comparison.first, first), side(comparison.second, second)]
    (asOf, knownAt) = (first.asOf?.description ?? "", first.knownAt?.description ?? "")
    (otherAsOf, otherKnownAt) = (second.asOf?.description ?? "", second.knownAt?.description ?? "")
  }
}
