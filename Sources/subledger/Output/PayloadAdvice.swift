import AppStore

/// Says what to do about a payload in quarantine, with this program's commands.
enum PayloadAdvice {
  /// Returns what to do next.
  /// - Parameters:
  ///   - reason: why the payload is in quarantine.
  ///   - detail: what is wrong.
  ///   - general: the advice of the library, which names no command.
  static func text(_ reason: PayloadError.Reason, detail: String, general: String) -> String {
    switch (reason.code, reason.signature) {
    case (.signature, .untrustedRoot):
      "If this is test data, run quarantine retry with --trust FILE for its root. Otherwise somebody forged it."
    case (.signature, .wrongCertificateCount):
      "Xcode signs with a single certificate. Import such data with --accept-unverified. Otherwise do not trust it."
    case (.unsigned, _):
      "Fetch it from Apple yourself. If you know that Apple sent it, import it as a file without --signed-only."
    case (.unverified, _): "Import the signed original. For tests and old logs, import with --accept-unverified."
    case (.foreignBundle, _): "Import it into that app's ledger, or add its id with --bundle-id."
    case (.unrecognised, _) where detail.contains("catalogue"): "Import a catalogue with subledger products import."
    case (.unrecognised, _): "If Apple sent this, a newer version may read it. Update, and run quarantine retry."
    case (.fromTheFuture, _): "Check this machine's clock, and the sender. Then run quarantine retry."
    default: general
    }
  }
}
