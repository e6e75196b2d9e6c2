internal import AppStore
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import SupportPages

/// The page about the ledger and its server, for leads.
struct HealthPages: Sendable {
  let readers: ReaderPool
  let log: ReadLog
  let templates: PageTemplates
  /// Asks Apple; `nil` where the server only listens.
  let sync: AppleSync?

  /// The number of payloads in quarantine that the page shows.
  private static let longestList = 50

  var endpoints: [PageEndpoint] {
    [PageEndpoint(.get, "/health", "readHealth", .lead) { try await show($0) }]
  }

  private func show(_ call: PageCall) async throws -> Response {
    let (status, quarantined, questions) = try await readers.read(by: call.key) { ledger in
      (
        try ledger.status(), try ledger.quarantined(limit: Self.longestList),
        sync == nil ? [] : try ledger.openQuestionCounts()
      )
    }
    try await log.write(call.entries([], count: quarantined.count))
    let state = sync?.status
    let silences = (state?.silences ?? []).filter(\.isUnusual).map { silence in
      "No notification of \(silence.environment.name) has arrived since \(Messages.instant(silence.lastReceivedAt)). "
        + AppleSync.silenceAdvice
    }
    let page = HealthPage(
      notifications: status.lastNotifications, warnings: silences + (state?.failures ?? []),
      questions: questions.map { question in
        "\(Messages.count(Int(question.count), "question")) because of \(Self.text(question.reason)), the oldest since "
          + "\(Messages.instant(question.oldestAt))"
      }, asking: asking, quarantined: quarantined, quarantineCount: status.quarantineCount, now: call.now)
    return templates.response(.health, call, "Health", page)
  }

  private var asking: String {
    guard let settings = sync?.settings else {
      return "This server only listens: it has no key of App Store Connect."
    }
    let walks = settings.walksHistory ? "walks the history of notifications" : "does not walk the history"
    let doubts = settings.reconciles ? "asks about doubts" : "does not ask about doubts"
    return "This server \(walks), and \(doubts)."
  }

  private static func text(_ reason: OpenQuestion.Reason) -> String { reason.rawValue.replacing("_", with: " ") }
}
