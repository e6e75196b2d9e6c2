package import AppStore

/// The texts of one payload, each split into its template and its own values, as a ledger stores them.
///
/// Decoding runs on many cores and recording on one, so the texts are split before they are recorded.
package struct SplitTexts: Sendable {
  /// The text of the payload, without the objects that are stored separately; `nil` if it cannot be split.
  package let payload: TextTemplate.Parts?
  /// The texts of ``Evidence/transactions``, in their order; `nil` for one that cannot be split.
  package let transactions: [TextTemplate.Parts?]
  /// The texts of ``Evidence/renewals``, in their order.
  package let renewals: [TextTemplate.Parts?]
  /// The texts of ``Evidence/appTransactions``, in their order.
  package let appTransactions: [TextTemplate.Parts?]

  /// Splits all texts of a payload.
  package init(_ evidence: Evidence) {
    payload = TextTemplate.split(evidence.text.source, columns: evidence)
    transactions = evidence.transactions.map(Self.split)
    renewals = evidence.renewals.map(Self.split)
    appTransactions = evidence.appTransactions.map(Self.split)
  }

  private static func split(_ version: some ObjectVersion & TemplateValues) -> TextTemplate.Parts? {
    TextTemplate.split(version.object.text.source, columns: version)
  }
}
