import AppStore
import Ledger

/// The payloads that name an id, and why the ledger could not use what they state about it.
struct UnreadList {
  let mentions: [UnreadMention]

  init(_ mentions: [UnreadMention]) { self.mentions = mentions }

  /// Prints the payloads that name an id of which nothing could be read.
  func print(of id: String) {
    Terminal.print(
      Terminal.styled(Terminal.printable(id), .bold) + " is named by \(Messages.count(mentions.count, "payload")), "
        + "and nothing about it could be read.")
    printRows(indent: "  ")
    Terminal.print("  Next: fetch it from Apple, and import the response.")
  }

  /// Prints the section for the card of a purchase; nothing, if the list is empty.
  func printSection() {
    guard !mentions.isEmpty else { return }
    Terminal.print("  Not read   (payloads that name it and could not be used)")
    printRows(indent: "    ")
  }

  private func printRows(indent: String) {
    for mention in mentions {
      let place = Terminal.printable(mention.origin) + (mention.originLine.map { ":\($0)" } ?? "")
      let what =
        mention.quarantineID.map { "a payload in quarantine, number \($0)," }
        ?? Messages.text(mention.payloadKind)
      let digest = mention.payload.map { " [\($0.hexadecimal.prefix(12))]" } ?? ""
      let kinds = mention.kinds.map { $0.replacing("_", with: " ") }.joined(separator: " and ")
      Terminal.print(
        "\(indent)\(Messages.instant(mention.receivedAt))  as \(kinds) in \(what) from \(place)\(digest)")
      for reason in mention.reasons {
        Terminal.print("\(indent)  \(Terminal.printable(reason.path)): \(Messages.problem(reason))")
      }
      if mention.reasons.isEmpty { Terminal.print("\(indent)  It has no transaction and no renewal info.") }
    }
  }

  /// Returns the list as a JSON object.
  func json(of id: String) -> String {
    JSONText.nested([
      ("kind", "\"unread\""), ("identifier", JSONText.string(id)), ("mentions", json),
    ])
  }

  /// The list as a JSON array.
  var json: String {
    JSONText.array(
      mentions.map { mention in
        JSONText.nested([
          ("kinds", JSONText.array(mention.kinds.map(JSONText.string))),
          ("payload", mention.payload.map { JSONText.string($0.hexadecimal) } ?? "null"),
          ("payload_kind", mention.payloadKind.map(JSONText.string) ?? "null"),
          ("quarantine_id", mention.quarantineID.map { String($0) } ?? "null"),
          ("received_at", JSONText.string(mention.receivedAt.description)),
          ("origin", JSONText.string(mention.origin)),
          ("source_line", mention.originLine.map { String($0) } ?? "null"),
          ("reasons", JSONText.array(mention.reasons.map(Self.json))),
        ])
      })
  }

  /// Returns one reason as a JSON object.
  static func json(_ reason: UnreadMention.Reason) -> String {
    JSONText.object(["code", "path", "detail"], [.text(reason.code), .text(reason.path), .text(reason.detail)])
  }
}
