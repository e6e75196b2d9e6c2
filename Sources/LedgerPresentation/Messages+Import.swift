import Ledger

extension Messages {
  /// Returns the counts of an import in one sentence.
  package static func counts(of summary: ImportSummary) -> String {
    let unusable = summary.withoutUsableTransaction
    return "\(count(summary.payloads, "payload")): \(summary.recorded) recorded, \(duplicates(summary)), "
      + "\(summary.quarantined) in quarantine; \(count(summary.problems, "problem"))"
      + (unusable > 0 ? "; \(unusable) with no usable transaction." : ".")
  }

  /// Returns the number of duplicates, with how many of them an earlier import put into quarantine.
  private static func duplicates(_ summary: ImportSummary) -> String {
    let known = count(summary.duplicates, "duplicate")
    switch summary.stillQuarantined {
    case 0: return known
    case summary.duplicates: return known + ", still in quarantine"
    default: return known + " (\(summary.stillQuarantined) of them still in quarantine)"
    }
  }
}
