internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Stores the figures of reports as rows. The reports' own texts are sealed, and the figures are read from them.
struct AppleFigures {
  private let projections: ProjectionTransaction

  init(_ projections: ProjectionTransaction) { self.projections = projections }

  /// Stores the figures of a report.
  /// - Parameters:
  ///   - report: the report.
  ///   - id: its number in the file.
  ///   - known: the ids of stored terms by their bytes. Those of the report are added.
  func store(_ report: AppleReport, id: Int64, _ known: inout [[UInt8]: Int64]) throws {
    var ids: [Int64] = []
    ids.reserveCapacity(report.terms.count)
    for terms in report.terms {
      let termsID = try known[terms.key] ?? find(terms)
      known[terms.key] = termsID
      ids.append(termsID)
    }
    let insert = try projections.statement(.insertion(into: "apple_figure"))
    for (number, figure) in report.figures.enumerated() {
      insert.column("report_id").bind(id)
      insert.column("figure_number").bind(number + 1)
      insert.column("terms_id").bind(ids[figure.terms])
      insert.column("day_at").bind(figure.day)
      insert.column("purchase_day_at").bind(figure.purchaseDay)
      insert.column("original_start_day_at").bind(figure.counts.originalStartDay)
      insert.column("consecutive_paid_periods").bind(figure.counts.consecutivePaidPeriods)
      insert.column("days_before_canceling").bind(figure.counts.daysBeforeCanceling)
      insert.column("days_canceled").bind(figure.counts.daysCanceled)
      insert.column("units").bind(figure.units)
      insert.column("customer_amount_milliunits").bind(figure.customerAmount?.rawValue)
      insert.column("proceeds_amount_milliunits").bind(figure.proceedsAmount?.rawValue)
      insert.column("row_count").bind(figure.rows)
      try insert.run()
    }
  }

  /// Reads the figures of all reports again from their texts.
  func rebuild() throws {
    try projections.execute("DELETE FROM main.apple_figure")
    try projections.execute("DELETE FROM main.apple_figure_terms")
    var known: [[UInt8]: Int64] = [:]
    for id in try projections.numbers("SELECT report_id FROM main.apple_report ORDER BY report_id", []) {
      guard let stored = try StoredAppleReport(id, projections) else { continue }
      try store(stored.decoded(), id: id, &known)
    }
  }

  /// Returns the id of the row with the terms, and inserts the row when there is none.
  private func find(_ terms: AppleFigureTerms) throws -> Int64 {
    let digest = ContentDigest(sha256: terms.key)
    if let id = try projections.id("SELECT terms_id FROM apple_figure_terms WHERE digest = ?", [digest.data]) {
      return id
    }
    return try projections.insert(
      "apple_figure_terms",
      [
        "measure": terms.measure.rawValue, "event": terms[.event], "app_apple_id": terms[.appAppleID],
        "product_apple_id": terms[.productAppleID], "product_id": terms[.productID],
        "product_name": terms[.productName], "subscription_group_id": terms[.subscriptionGroupID],
        "duration": terms[.duration], "offer_type": terms[.offerType], "offer_name": terms[.offerName],
        "offer_id": terms[.offerID], "offer_duration": terms[.offerDuration], "country": terms[.country],
        "customer_currency": terms[.customerCurrency], "proceeds_currency": terms[.proceedsCurrency],
        "preserved_pricing": terms[.preservedPricing], "proceeds_reason": terms[.proceedsReason],
        "client": terms[.client], "device": terms[.device], "cancellation_reason": terms[.cancellationReason],
        "previous_product_apple_id": terms[.previousProductAppleID],
        "previous_product_name": terms[.previousProductName], "product_type": terms[.productType],
        "renewal": terms[.renewal], "order_type": terms[.orderType],
        "customer_price_milliunits": terms.customerPrice?.rawValue, "proceeds_milliunits": terms.proceeds?.rawValue,
        "digest": digest.data,
      ])
  }
}
