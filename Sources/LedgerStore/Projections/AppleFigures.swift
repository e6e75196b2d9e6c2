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
  ///   - known: the ids of stored dimensions by their bytes. Those of the report are added.
  func store(_ report: AppleReport, id: Int64, _ known: inout [[UInt8]: Int64]) throws {
    var ids: [Int64] = []
    ids.reserveCapacity(report.dimensions.count)
    for dimensions in report.dimensions {
      let dimensionsID = try known[dimensions.key] ?? find(dimensions)
      known[dimensions.key] = dimensionsID
      ids.append(dimensionsID)
    }
    let insert = try projections.statement(.insertion(into: "apple_figure"))
    for (number, figure) in report.figures.enumerated() {
      insert.column("report_id").bind(id)
      insert.column("figure_number").bind(number + 1)
      insert.column("dimensions_id").bind(ids[figure.dimensions])
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
    try projections.execute("DELETE FROM main.apple_figure_dimensions")
    var known: [[UInt8]: Int64] = [:]
    for id in try projections.numbers("SELECT report_id FROM main.apple_report ORDER BY report_id", []) {
      guard let stored = try StoredAppleReport(id, projections) else { continue }
      try store(stored.decoded(), id: id, &known)
    }
  }

  /// Returns the id of the row with the dimensions, and inserts the row when there is none.
  private func find(_ dimensions: AppleFigureDimensions) throws -> Int64 {
    let digest = ContentDigest(sha256: dimensions.key)
    if let id = try projections.id("SELECT dimensions_id FROM apple_figure_dimensions WHERE digest = ?", [digest.data])
    {
      return id
    }
    return try projections.insert(
      "apple_figure_dimensions",
      [
        "measure": dimensions.measure.rawValue, "event": dimensions[.event], "app_apple_id": dimensions[.appAppleID],
        "product_apple_id": dimensions[.productAppleID], "product_id": dimensions[.productID],
        "product_name": dimensions[.productName], "subscription_group_id": dimensions[.subscriptionGroupID],
        "duration": dimensions[.duration], "offer_type": dimensions[.offerType], "offer_name": dimensions[.offerName],
        "offer_id": dimensions[.offerID], "offer_duration": dimensions[.offerDuration], "country": dimensions[.country],
        "customer_currency": dimensions[.customerCurrency], "proceeds_currency": dimensions[.proceedsCurrency],
        "preserved_pricing": dimensions[.preservedPricing], "proceeds_reason": dimensions[.proceedsReason],
        "client": dimensions[.client], "device": dimensions[.device],
        "cancellation_reason": dimensions[.cancellationReason],
        "previous_product_apple_id": dimensions[.previousProductAppleID],
        "previous_product_name": dimensions[.previousProductName], "product_type": dimensions[.productType],
        "renewal": dimensions[.renewal], "order_type": dimensions[.orderType],
        "customer_price_milliunits": dimensions.customerPrice?.rawValue,
        "proceeds_milliunits": dimensions.proceeds?.rawValue,
        "digest": digest.data,
      ])
  }
}
