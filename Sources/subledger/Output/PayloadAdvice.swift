/// Says what to do about a payload in quarantine, with this program's commands.
enum PayloadAdvice {
  /// Returns what to do next.
  /// - Parameters:
  ///   - reason: the stable name of the reason for the quarantine.
  ///   - detail: what is wrong.
  ///   - general: the advice of the library, which names no command.
  static func text(_ reason: String, detail: String, general: String) -> String {
    switch reason {
    case "signature/untrusted_root":
      "If this is test data, run quarantine retry with --trust FILE for its root. Otherwise somebody forged it."
    case "signature/wrong_certificate_count":
      "Xcode signs with a single certificate. Import such data with --accept-unverified. Otherwise do not trust it."
    case "unsigned":
      "Fetch it from Apple yourself. If you know that Apple sent it, import it as a file without --signed-only."
    case "unverified": "Import the signed original. For tests and old logs, import with --accept-unverified."
    case "foreign_bundle": "Import it into that app's ledger, or add its id with --bundle-id."
    case "unrecognised" where detail.contains("catalogue"): "Import a catalogue with subledger products import."
    case "unrecognised": "If Apple sent this, a newer version may read it. Update, and run quarantine retry."
    case "from_the_future": "Check this machine's clock, and the sender. Then run quarantine retry."
    default: general
    }
  }
}
