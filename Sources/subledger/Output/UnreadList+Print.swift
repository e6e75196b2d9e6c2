import AppStore
import Ledger
import LedgerPresentation

extension UnreadList {
  /// Prints the payloads that name an id of which nothing could be read.
  func print(of id: String) {
    Terminal.print(
      Terminal.styled(Printable.text(id), .bold) + " is named by \(Messages.count(mentions.count, "payload")), "
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
      let location = Printable.text(mention.origin) + (mention.sourceLine.map { ":\($0)" } ?? "")
      let what =
        mention.quarantineID.map { "a payload in quarantine, number \($0)," }
        ?? Messages.text(mention.payloadKind?.rawValue)
      let digest = mention.payload.map { " [\($0.hexadecimal.prefix(12))]" } ?? ""
      let kinds = mention.kinds.map { $0.rawValue.replacing("_", with: " ") }.joined(separator: " and ")
      Terminal.print(
        "\(indent)\(Messages.instant(mention.receivedAt))  as \(kinds) in \(what) from \(location)\(digest)")
      for reason in mention.reasons {
        Terminal.print("\(indent)  \(Printable.text(reason.path)): \(Messages.problem(reason))")
      }
      if mention.reasons.isEmpty { Terminal.print("\(indent)  It has no transaction and no renewal info.") }
    }
  }
}
