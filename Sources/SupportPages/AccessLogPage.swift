internal import AppStore
package import Ledger
internal import LedgerPresentation

/// What a user looks for in the access log, as written into the form.
package struct AccessLogFields: Sendable {
  package var author: String
  package var about: String
  package var since: String
  package var until: String

  package init(author: String, about: String, since: String, until: String) {
    (self.author, self.about, self.since, self.until) = (author, about, since, until)
  }

  /// The fields that are not empty, for an address.
  var query: [(name: String, value: String)] {
    [("author", author), ("about", about), ("since", since), ("until", until)].filter { !$0.1.isEmpty }
  }
}

/// The page of the access log: who read about whom, and who changed what.
package struct AccessLogPage {
  struct Row {
    let at: String
    let author: String
    let program: String
    let operation: String
    let customer: PageDocument.Link?
    let purchase: PageDocument.Link?
    let instants: String?
    let reason: String
  }

  let author: String
  let about: String
  let since: String
  let until: String
  let rows: [Row]
  let older: String?
  let csv: String
  let ndjson: String

  /// Creates a page of entries.
  /// - Parameters:
  ///   - rows: the entries, the latest first.
  ///   - fields: what was looked for.
  ///   - hasMore: whether there are entries from before these.
  package init(_ rows: [AccessLogRow], _ fields: AccessLogFields, hasMore: Bool) {
    (author, about) = (Printable.text(fields.author), Printable.text(fields.about))
    (since, until) = (Printable.text(fields.since), Printable.text(fields.until))
    self.rows = rows.map { row in
      Row(
        at: Messages.instant(row.enteredAt), author: Printable.text(row.author), program: row.program,
        operation: Messages.operation(row.operation),
        customer: row.customer.map { .init(Printable.text($0), PageAddress.person($0)) },
        purchase: row.originalTransactionID.map { .init(purchase: $0) },
        instants: Self.instants(row), reason: row.reason.map(Printable.text) ?? "")
    }
    older = hasMore ? rows.last.map { PageAddress.accessLog(fields.query + [("before", String($0.entryID))]) } : nil
    csv = PageAddress.accessLogExport(fields.query + [("format", "csv")])
    ndjson = PageAddress.accessLogExport(fields.query + [("format", "ndjson")])
  }

  /// Returns the instants of a reading of the past; `nil` for one of the present.
  private static func instants(_ row: AccessLogRow) -> String? {
    guard let asOf = row.asOf, let knownAt = row.knownAt, asOf != row.enteredAt || knownAt != row.enteredAt else {
      return nil
    }
    return "as of \(Messages.instant(asOf)), known at \(Messages.instant(knownAt))"
  }
}
