package import AppStore
package import Ledger
internal import LedgerPresentation

/// The page of the latest requests for a refund.
package struct RefundsPage {
  struct Row {
    let requested: String
    let purchase: PageDocument.Link
    let warning: String?
    let reason: String
    let state: String
    let answer: String?
  }

  let open: [Row]
  let decided: [Row]

  /// Creates the page of some requests.
  /// - Parameters:
  ///   - requests: the requests, the newest first.
  ///   - now: the present instant.
  ///   - mayAnswer: whether the user and the server can answer Apple.
  package init(
    _ requests: [(purchase: OriginalTransactionMatch, request: RefundRequest)], now: Instant, mayAnswer: Bool
  ) {
    func row(_ purchase: OriginalTransactionMatch, _ request: RefundRequest) -> Row {
      let id = purchase.originalTransactionID
      let isWaiting = request.outcome == nil && request.requestedAt + Messages.refundAnswerTime > now
      return Row(
        requested: Messages.instant(request.requestedAt), purchase: .init(purchase: id),
        warning: Messages.environmentWarning(purchase.environment), reason: request.reason.map(Printable.text) ?? "",
        state: request.outcome == nil
          ? Messages.timeLeft(request, now) : Messages.request(request, asOf: now),
        answer: mayAnswer && isWaiting ? PageAddress.refundAnswer(id) : nil)
    }
    let waiting = requests.filter { $0.request.outcome == nil }
    // What ends first comes first.
    open = waiting.sorted { $0.request.requestedAt < $1.request.requestedAt }.map(row)
    decided = requests.filter { $0.request.outcome != nil }.map(row)
  }
}
