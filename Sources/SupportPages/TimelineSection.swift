internal import AppStore
package import LedgerPresentation

/// The part of a timeline that a page shows.
package struct TimelineSection {
  struct Row {
    let happened: String
    let happenedISO: String
    let recorded: String?
    let recordedISO: String
    let isInferred: Bool
    let warning: String?
    let sentence: String
    let purchase: PageDocument.Link?
    let links: [PageDocument.Link]
  }

  /// The number of entries on one page.
  package static let pageSize = 100

  let filters: [PageDocument.Tab]
  let count: String
  let rows: [Row]
  let older: String?
  let newer: String?

  /// Creates a part of a timeline.
  /// - Parameters:
  ///   - timeline: the whole timeline, the newest entry first.
  ///   - subject: what the reader wants to see; `nil` for everything.
  ///   - page: the number of the part, from 0 on.
  ///   - bar: the instants of the page.
  ///   - ownPurchase: the purchase that the page is about, which its rows do not name.
  package init(
    _ timeline: Timeline, subject: Timeline.Subject?, page: Int, _ bar: TimeBar, ownPurchase: String? = nil
  ) {
    func address(_ subject: Timeline.Subject?, _ page: Int) -> String {
      PageAddress.of(
        bar.path,
        bar.query + (subject.map { [("show", $0.rawValue)] } ?? []) + (page > 0 ? [("page", String(page))] : []))
        + "#timeline"
    }
    let present = Set(timeline.entries.map(\.subject))
    filters =
      [PageDocument.Tab(text: "Everything", target: address(nil, 0), isCurrent: subject == nil)]
      + Timeline.Subject.allCases.filter(present.contains).map {
        PageDocument.Tab(text: Self.text($0), target: address($0, 0), isCurrent: $0 == subject)
      }
    let all = timeline.entries.filter { subject == nil || $0.subject == subject }
    let first = min(max(0, page) * Self.pageSize, all.count)
    let shown = all[first..<min(first + Self.pageSize, all.count)]
    count =
      shown.count == all.count
      ? Messages.count(all.count, "event") : "Events \(first + 1) to \(first + shown.count) of \(all.count)"
    older = first + shown.count < all.count ? address(subject, page + 1) : nil
    newer = page > 0 ? address(subject, page - 1) : nil
    rows = shown.map { Self.row($0, bar.path, ownPurchase: ownPurchase) }
  }

  /// Returns an entry as a row of a page.
  /// - Parameters:
  ///   - path: the page that the links to other instants lead to.
  ///   - ownPurchase: the purchase that the page is about, which its rows do not name.
  static func row(_ entry: Timeline.Entry, _ path: String, ownPurchase: String?) -> Row {
    let then = entry.recordedAt.description
    let (happened, recorded) = (Messages.instant(entry.happenedAt), Messages.instant(entry.recordedAt))
    return Row(
      happened: happened, happenedISO: entry.happenedAt.description,
      recorded: recorded == happened ? nil : recorded,
      recordedISO: entry.recordedAt.description, isInferred: entry.isInferred,
      warning: entry.environment.flatMap(Messages.environmentWarning), sentence: entry.sentence,
      purchase: entry.originalTransactionID.flatMap { id in
        id == ownPurchase ? nil : .init(purchase: id)
      },
      links: [
        .init("as we know it now", PageAddress.of(path, [("as_of", entry.happenedAt.description)])),
        .init("as we knew it then", PageAddress.of(path, [("as_of", then), ("known_at", then)])),
      ] + (entry.payload.map { [.init("evidence", PageAddress.payload($0))] } ?? []))
  }

  private static func text(_ subject: Timeline.Subject) -> String {
    switch subject {
    case .money: "Purchases and refunds"
    case .access: "Access"
    case .renewal: "Next renewal"
    case .notification: "Apple’s notifications"
    case .staff: "Staff"
    case .device: "Device"
    }
  }
}
