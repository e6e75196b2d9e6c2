package import AppStore
package import Ledger
internal import LedgerPresentation

/// The page about the ledger and its server, for people: what arrives, what is asked, and what could not be used.
package struct HealthPage {
  struct Refused {
    let number: String
    let received: String
    let reason: String
    let detail: String
    let advice: String
  }

  let notifications: [Fact]
  let warnings: [String]
  let questions: [String]
  let asking: String
  let refused: [Refused]
  let refusedCount: String

  /// Creates the page from what is known at present.
  /// - Parameters:
  ///   - notifications: when the last notification of each environment arrived.
  ///   - warnings: what fails at present, in sentences.
  ///   - questions: what waits for Apple's answer, in sentences.
  ///   - asking: what the server asks Apple by itself, in a sentence.
  ///   - quarantined: the newest payloads in quarantine, the oldest first.
  ///   - quarantineCount: the number of all of them.
  ///   - now: the present instant.
  package init(
    notifications: [(environment: String, receivedAt: Instant)], warnings: [String], questions: [String],
    asking: String, quarantined: [QuarantinedPayload], quarantineCount: Int, now: Instant
  ) {
    self.notifications = notifications.compactMap {
      Fact(
        Printable.text($0.environment),
        "\(Messages.instant($0.receivedAt)), \(Messages.age($0.receivedAt, now)) ago")
    }
    (self.warnings, self.questions, self.asking) = (warnings.map(Printable.text), questions, asking)
    refused = quarantined.reversed().map { item in
      Refused(
        number: String(item.id), received: Messages.instant(item.receivedAt),
        reason: item.reason.rawValue.replacing("_", with: " "),
        detail: Printable.text(item.path) + ": " + Printable.text(item.detail), advice: Printable.text(item.advice))
    }
    refusedCount = Messages.count(quarantineCount, "payload")
  }
}
