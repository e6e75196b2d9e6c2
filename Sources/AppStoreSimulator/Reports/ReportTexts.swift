import AppStore

/// The types of simulated reports, with Apple's columns of the versions 1_0 (sales) and 1_3.
enum SimulatedReportType: Int, CaseIterable {
  case sales, subscriber, subscription, events, finance, analyticsState, analyticsEvent

  /// The types with one file for each day.
  static let daily: [SimulatedReportType] = [.sales, .subscriber, .subscription, .events]

  /// The first word of a file's name.
  var prefix: String {
    switch self {
    case .sales: "S_D"
    case .subscriber: "Subscriber"
    case .subscription: "Subscription"
    case .events: "Subscription_Event"
    case .finance: "FD"
    case .analyticsState: "App_Store_Subscription_State_Standard"
    case .analyticsEvent: "App_Store_Subscription_Event_Standard"
    }
  }

  var columns: [String] {
    switch self {
    case .sales:
      [
        "Provider", "Provider Country", "SKU", "Developer", "Title", "Version", "Product Type Identifier", "Units",
        "Developer Proceeds", "Begin Date", "End Date", "Customer Currency", "Country Code", "Currency of Proceeds",
        "Apple Identifier", "Customer Price", "Promo Code", "Parent Identifier", "Subscription", "Period", "Category",
        "CMB", "Device", "Supported Platforms", "Proceeds Reason", "Preserved Pricing", "Client", "Order Type",
      ]
    case .subscriber:
      [
        "Event Date", "App Name", "App Apple ID", "Subscription Name", "Subscription Apple ID", "Subscription Group ID",
        "Standard Subscription Duration", "Subscription Offer Name", "Promotional Offer ID", "Subscription Offer Type",
        "Subscription Offer Duration", "Marketing Opt-In Duration", "Customer Price", "Customer Currency",
        "Developer Proceeds", "Proceeds Currency", "Preserved Pricing", "Proceeds Reason", "Client", "Device",
        "Country", "Subscriber ID", "Subscriber ID Reset", "Refund", "Purchase Date", "Units",
      ]
    case .subscription:
      [
        "App Name", "App Apple ID", "Subscription Name", "Subscription Apple ID", "Subscription Group ID",
        "Standard Subscription Duration", "Subscription Offer Name", "Promotional Offer ID", "Customer Price",
        "Customer Currency", "Developer Proceeds", "Proceeds Currency", "Preserved Pricing", "Proceeds Reason",
        "Client", "Device", "State", "Country",
      ] + Self.states + ["Subscribers"]
    case .events:
      [
        "Event Date", "Event", "App Name", "App Apple ID", "Subscription Name", "Subscription Apple ID",
        "Subscription Group ID", "Standard Subscription Duration", "Subscription Offer Name", "Promotional Offer ID",
        "Subscription Offer Type", "Subscription Offer Duration", "Marketing Opt-In", "Marketing Opt-In Duration",
        "Preserved Pricing", "Proceeds Reason", "Consecutive Paid Periods", "Original Start Date", "Device", "Client",
        "State", "Country", "Previous Subscription Name", "Previous Subscription Apple ID", "Days Before Canceling",
        "Cancellation Reason", "Days Canceled", "Quantity", "Paid Service Days Recovered",
      ]
    case .finance:
      [
        "Transaction Date", "Settlement Date", "Apple Identifier", "SKU", "Title", "Developer Name",
        "Product Type Identifier", "Country of Sale", "Quantity", "Partner Share", "Extended Partner Share",
        "Partner Share Currency", "Customer Price", "Customer Currency", "Sale or Return", "Promo Code", "Order Type",
        "Region",
      ]
    case .analyticsState:
      ["Date", "App Name", "App Apple Identifier", "State Metric", "State Metric Grouping"] + Self.analyticsProduct
        + ["Family Sharing", "Cancellation Reason"] + Self.analyticsSource
    case .analyticsEvent:
      ["Event Date", "App Name", "App Apple Identifier", "Event Sub Type", "Event Grouping"] + Self.analyticsProduct
        + [
          "Plan Change Type", "Previous Subscription Name", "Previous Subscription Identifier", "Family Sharing",
          "Cancellation Reason", "Paid Service Days Recovered",
        ] + Self.analyticsSource
    }
  }

  private static let analyticsProduct = [
    "Subscription Name", "Subscription Identifier", "Subscription Duration", "Billing Frequency", "Billing Period",
    "Subscription Group", "Subscription Group Identifier", "Offer Type", "Offer Name", "Offer ID", "Vanity Code",
    "Offer Pricing", "Offer Duration",
  ]
  private static let analyticsSource = [
    "App Download Source Type", "Page Type", "Pre-Order", "Original Purchase Device", "Territory", "Counts",
  ]

  /// The columns with counts in the report about subscriptions.
  static let states =
    ["Active Standard Price Subscriptions"]
    + ["Free Trial", "Pay Up Front", "Pay As You Go"].map { "Active \($0) Introductory Offer Subscriptions" }
    + ["Promotional Offer Subscriptions", "Offer Code Subscriptions", "Win-Back Offers"].flatMap { kind in
      ["Free Trial", "Pay Up Front", "Pay As You Go"].map { "\($0) \(kind)" }
    } + ["Marketing Opt-Ins", "Billing Retry", "Grace Period"]
}

/// The texts of reports while they are written: for each day and type, rows with counts.
struct ReportTexts {
  let days: ClosedRange<Instant>
  /// The rows of each type and day: the fields, joined by tabs, with the counts that follow them.
  private var rows: [[[String: [Int64]]]]

  init(days: ClosedRange<Instant>) {
    self.days = days
    let count = Int((days.upperBound - days.lowerBound) / RenewalRate.day) + 1
    rows = SimulatedReportType.allCases.map { _ in Array(repeating: [:], count: count) }
  }

  /// Returns the day on which faults are planted: the first one in the second half with a row.
  func faultyDay(of type: SimulatedReportType) -> Instant? {
    let all = rows[type.rawValue]
    return all[(all.count / 2)...].firstIndex { !$0.isEmpty }.map { days.lowerBound + Int64($0) * RenewalRate.day }
  }

  /// Adds counts to a row. Rows with equal fields are one row.
  mutating func add(_ type: SimulatedReportType, _ day: Instant, _ fields: [String], _ counts: [Int64]) {
    guard days.contains(day) else { return }
    let index = Int((day - days.lowerBound) / RenewalRate.day)
    let key = fields.joined(separator: "\t")
    let before = rows[type.rawValue][index][key] ?? Array(repeating: 0, count: counts.count)
    rows[type.rawValue][index][key] = zip(before, counts).map { $0 + $1 }
  }

  /// Returns the text of each day that has rows. Apple sends no file for a day without sales.
  func all() -> [(type: SimulatedReportType, day: Instant, text: [UInt8])] {
    var texts: [(SimulatedReportType, Instant, [UInt8])] = []
    for type in SimulatedReportType.daily {
      for (index, rows) in rows[type.rawValue].enumerated() where !rows.isEmpty {
        var text = Array((type.columns.joined(separator: "\t") + "\n").utf8)
        for (fields, counts) in rows.sorted(by: { $0.key < $1.key }) {
          text += Array(Self.line(type, fields, counts).utf8)
        }
        texts.append((type, days.lowerBound + Int64(index) * RenewalRate.day, text))
      }
    }
    return texts
  }

  /// Returns the text of each month of an analytics report.
  func analytics(_ type: SimulatedReportType) -> [(month: String, text: [UInt8])] {
    var texts: [String: [UInt8]] = [:]
    for (index, rows) in rows[type.rawValue].enumerated() where !rows.isEmpty {
      let month = String((days.lowerBound + Int64(index) * RenewalRate.day).date.prefix(7))
      for (fields, counts) in rows.sorted(by: { $0.key < $1.key }) {
        texts[month, default: Array((type.columns.joined(separator: "\t") + "\n").utf8)] += Array(
          Self.line(type, fields, counts).utf8)
      }
    }
    return texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns the text of each fiscal month that is over, by its settlement dates. Lines with the period come before the
  /// header, and the totals of each country close the file.
  func months() -> [(month: FiscalMonth, text: [UInt8])] {
    var texts: [(FiscalMonth, [UInt8])] = []
    var month = FiscalMonth(containing: days.lowerBound)
    while month.days.upperBound <= days.upperBound {
      defer { month = FiscalMonth(containing: month.days.upperBound + RenewalRate.day) }
      guard days.contains(month.days.lowerBound) else { continue }
      let first = Int((month.days.lowerBound - days.lowerBound) / RenewalRate.day)
      let last = Int((month.days.upperBound - days.lowerBound) / RenewalRate.day)
      let rows = rows[SimulatedReportType.finance.rawValue][first...last].flatMap { $0 }.sorted { $0.key < $1.key }
      if !rows.isEmpty { texts.append((month, Self.financeText(month, rows.map { ($0.key, $0.value[0]) }))) }
    }
    return texts
  }

  private static func financeText(_ month: FiscalMonth, _ rows: [(fields: String, units: Int64)]) -> [UInt8] {
    var lines = [
      "Vendor Name\tExample", "Start Date\t\(americanDate(month.days.lowerBound))",
      "End Date\t\(americanDate(month.days.upperBound))", SimulatedReportType.finance.columns.joined(separator: "\t"),
    ]
    var totals: [String: (units: Int64, share: Int64)] = [:]
    for (fields, units) in rows {
      let parts = fields.split(separator: "\t", omittingEmptySubsequences: false)
      let share = (Int64(parts[9].filter { $0 != "." }) ?? 0) * 10 * units
      lines.append(
        fields.replacing("{units}", with: String(units)).replacing("{extended}", with: ReportTerms.text(share)))
      let total = totals["\(parts[7])\t\(parts[11])"] ?? (0, 0)
      totals["\(parts[7])\t\(parts[11])"] = (total.units + units, total.share + share)
    }
    lines.append("Country Of Sale\tPartner Share Currency\tQuantity\tExtended Partner Share")
    for (key, total) in totals.sorted(by: { $0.key < $1.key }) {
      lines.append("\(key)\t\(total.units)\t\(ReportTerms.text(total.share))")
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// Returns a date with the month first, as Summary Sales and financial reports have it.
  static func americanDate(_ day: Instant) -> String {
    let parts = day.date.split(separator: "-")
    return "\(parts[1])/\(parts[2])/\(parts[0])"
  }

  private static func line(_ type: SimulatedReportType, _ fields: String, _ counts: [Int64]) -> String {
    switch type {
    case .sales, .finance: fields.replacing("{units}", with: String(counts[0])) + "\n"
    case .subscriber, .analyticsState, .analyticsEvent: fields + "\t\(counts[0])\n"
    // Apple estimates the days that a recovery brings; this code never does.
    case .events: fields + "\t\(counts[0])\t\n"
    // Apple leaves the number of subscribers out where it is small; this code always does.
    case .subscription: fields + "\t" + counts.map(String.init).joined(separator: "\t") + "\t\n"
    }
  }
}
