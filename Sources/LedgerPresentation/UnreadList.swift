import AppStore
import Ledger

/// The payloads that name an id, and why the ledger could not use what they state about it.
package struct UnreadList {
  package let mentions: [UnreadMention]

  package init(_ mentions: [UnreadMention]) { self.mentions = mentions }

  /// Returns the list as a JSON object.
  package func json(of id: String) -> String {
    JSONText.nested([
      ("kind", "\"unread\""), ("identifier", JSONText.string(id)), ("mentions", json),
    ])
  }

  /// The list as a JSON array.
  package var json: String {
    JSONText.array(
      mentions.map { mention in
        JSONText.nested([
          ("kinds", JSONText.array(mention.kinds.map { JSONText.string($0.rawValue) })),
          ("payload", mention.payload.map { JSONText.string($0.hexadecimal) } ?? "null"),
          ("payload_kind", JSONText.value(Value(mention.payloadKind))),
          ("quarantine_id", mention.quarantineID.map { String($0) } ?? "null"),
          ("received_at", JSONText.string(mention.receivedAt.description)),
          ("origin", JSONText.string(mention.origin)),
          ("source_line", mention.sourceLine.map { String($0) } ?? "null"),
          ("reasons", JSONText.array(mention.reasons.map(Self.json))),
        ])
      })
  }

  /// Returns one reason as a JSON object.
  package static func json(_ reason: UnreadMention.Reason) -> String {
    JSONText.object([
      "code": .text(reason.code),
      "path": .text(reason.path),
      "detail": .text(reason.detail),
    ])
  }
}
