internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Reads and writes the dated entries about customers.
package struct CustomerEntries<Rows: RowSource> {
  let rows: Rows

  /// Creates a reader of entries.
  /// - Parameter rows: a connection or a transaction.
  package init(rows: Rows) { self.rows = rows }

  /// Returns the customers to whom an id is linked. For each customer, the last entry about the id decides. Only
  /// entries that are effective at the query's `asOf` and recorded by its `knownAt` count.
  package func holders(of identifier: String, _ parameters: QueryParameters = .end) throws -> [String] {
    try rows.texts(
      """
      SELECT DISTINCT c.customer FROM main.customer_link_entry e JOIN main.customer c USING (customer_key)
      WHERE e.identifier = ?1 AND e.action = 'link' AND e.effective_at <= ?2 AND e.entered_at <= ?3
        AND NOT EXISTS (
          SELECT 1 FROM main.customer_link_entry l WHERE l.customer_key = e.customer_key AND l.identifier = e.identifier
            AND l.entry_id > e.entry_id AND l.effective_at <= ?2 AND l.entered_at <= ?3)
      ORDER BY c.customer
      """, [identifier, parameters.asOf.milliseconds, parameters.knownAt.milliseconds])
  }

  /// Returns whether the customer's last entry, about any id, is this link from the given instant or earlier. After any
  /// other entry, the link must be recorded again.
  func isLinked(_ customer: String, _ identifier: String, since: Instant) throws -> Bool {
    try rows.has(
      """
      SELECT 1 FROM customer_link_entry e JOIN customer c USING (customer_key)
      WHERE c.customer = ?1 AND e.identifier = ?2 AND e.action = 'link' AND e.effective_at <= ?3 AND NOT EXISTS (
        SELECT 1 FROM customer_link_entry l WHERE l.customer_key = e.customer_key AND l.entry_id > e.entry_id)
      """, [customer, identifier, since.milliseconds])
  }

  /// Returns the keys of the original transactions that an id leads to now.
  func originalKeys(_ identifier: String) throws -> [OriginalTransactionKey] {
    try rows.rowNumbers(
      "SELECT DISTINCT original_transaction_key FROM int_identifier WHERE identifier = ?1 ORDER BY 1", [identifier])
  }
}

extension CustomerEntries<EvidenceTransaction> {
  /// Returns the key of a customer, and records the customer when this is the first entry about them.
  func key(_ customer: String) throws -> CustomerKey {
    CustomerKey(
      try rows.id("SELECT customer_key FROM customer WHERE customer = ?", [customer])
        ?? rows.insert("customer", ["customer": customer]))
  }

  /// Records one entry about a customer and an id.
  func insert(
    _ customer: String, _ identifier: String, _ action: String, _ effectiveAt: Instant, other: String?,
    _ staffAction: StaffAction
  ) throws {
    try rows.insert(
      "customer_link_entry",
      [
        "customer_key": try key(customer), "identifier": identifier, "action": action,
        "effective_at": effectiveAt.milliseconds,
        "other_customer_key": try other.map(key), "reason": staffAction.reason, "author": staffAction.author,
        "entered_at": staffAction.enteredAt.milliseconds,
      ])
  }

  /// Refuses to take an id from a customer to whom it does not belong. It belongs to them by a link that holds, or by
  /// an original transaction that carries their account token.
  /// - Throws: ``LedgerError`` with `refused_entry`.
  func requireOwnership(_ customer: String, _ identifier: String, at instant: Instant) throws {
    let parameters = QueryParameters(asOf: instant, knownAt: QueryParameters.end.knownAt)
    if try holders(of: identifier, parameters).contains(customer) { return }
    try rows.ask(originalKeys(identifier), parameters)
    guard try rows.has("SELECT 1 FROM temp.customer_original_transaction WHERE customer = ?", [customer]) else {
      throw LedgerError(
        .refusedEntry, "This id does not belong to this customer at that instant. Nothing was recorded.",
        .findCustomer)
    }
  }
}

extension RowSource {
  /// Returns whether an id is an account token: it has a token's form, or evidence contains it as an account token.
  package func isAccountToken(_ id: String) throws -> Bool {
    try AccountToken.isToken(id)
      || has("SELECT 1 FROM int_identifier WHERE identifier = ? AND kind = 'app_account_token'", [id])
  }
}
