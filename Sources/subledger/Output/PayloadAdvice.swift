/// What to do about a payload in quarantine, with this program's commands.
enum PayloadAdvice {
  /// - Parameters:
  ///   - reason: why it is in quarantine: a stable name.
  ///   - detail: what is wrong.
  ///   - general: what to do, in words that name no command.
  static func words(_ reason: String, detail: String, general: String) -> String {
    switch reason {
    case "signature/untrusted_root":
      "If this is test data, import its root with --trust FILE and run quarantine retry; otherwise somebody forged it."
    case "signature/wrong_certificate_count":
      "Xcode signs with one certificate of its own: import that with --accept-unverified; otherwise do not believe it."
    case "unsigned":
      "Ask Apple for it yourself. If you know that Apple sent it, import it as a file without --signed-only."
    case "unverified": "Import the signed original; or, for tests and old logs, import with --accept-unverified."
    case "foreign_bundle": "Import it into that app's ledger, or add its id with --bundle-id."
    case "unrecognised" where detail.contains("catalogue"): "Import a catalogue with subledger products import."
    case "unrecognised": "If Apple sent this, a newer version may know it: keep it, and run quarantine retry then."
    case "from_the_future": "Look at this machine's clock, and at the sender. Then run quarantine retry."
    default: general
    }
  }
}
