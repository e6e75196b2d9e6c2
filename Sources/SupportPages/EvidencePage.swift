internal import AppStore
package import Ledger
internal import LedgerPresentation

/// The page of one payload: what it is, where it came from, and its text.
package struct EvidencePage {
  struct Problem {
    let path: String
    let text: String
  }

  let digest: String
  let sentence: String
  let warning: String?
  let facts: [Fact]
  let deliveries: [String]
  let problems: [Problem]
  let purchases: [PageDocument.Link]
  let leftOut: String?
  let text: String
  let isCut: Bool
  let download: String

  /// The greatest length of the text on the page, in UTF-8 bytes. The download has all of it.
  private static let limit = 64_000

  /// Creates the page of a payload.
  package init(_ payload: RecordedPayload) {
    digest = payload.digest.hexadecimal
    sentence = Messages.payload(payload)
    warning = Messages.environmentWarning(payload.environment)
    let facts = [
      Fact("Signature", Messages.signature(payload)),
      Fact("Changed", payload.isErased ? Messages.erased : nil),
      Fact("Stated by Apple", payload.statedAt.map { Messages.instant($0) }),
      Fact("Notification", payload.notification?.uuid.map(Printable.text)),
      Fact("Environment", payload.environment), Fact("App", payload.bundleID.map(Printable.text)),
      Fact("Length", Messages.count(payload.text.count, "byte")),
    ]
    self.facts = facts.compactMap(\.self)
    deliveries = payload.deliveries.map(Messages.delivery)
    problems = payload.problems.map { Problem(path: Printable.text($0.path), text: Messages.problem($0)) }
    purchases = payload.purchases.map { .init(purchase: $0.originalTransactionID) }
    let more = payload.purchaseCount - purchases.count
    leftOut = more > 0 ? "… and \(Messages.count(more, "more purchase"))." : nil
    let whole = ReadableJSON.text(payload.text) ?? String(decoding: payload.text, as: UTF8.self)
    isCut = whole.utf8.count > Self.limit
    text = Printable.lines(isCut ? String(decoding: whole.utf8.prefix(Self.limit), as: UTF8.self) : whole)
    download = PageAddress.payloadText(payload.digest)
  }
}
