internal import Foundation

/// Reads files of App Store Connect, compressed or not. The type is recognised by the columns.
public struct AppleReportReader: Sendable {
  /// The greatest length of a decompressed text, in bytes.
  public static let sizeLimit = 1 << 30

  /// Creates a reader of files.
  public init() {}

  /// Reads one file completely.
  /// - Parameters:
  ///   - bytes: the whole file: gzip data, or the text.
  ///   - name: the name of the file or its path. Apple's names state the vendor number and the day.
  ///   - statedDay: the day of the report as its user states it, as the first millisecond of the date in UTC; `nil` to
  ///     take the day from the name or the columns.
  ///   - statedVendor: the vendor number as its user states it; `nil` to take it from the name.
  /// - Throws: ``AppleReportError`` with the line of the first value that cannot be read.
  public func read(
    _ bytes: [UInt8], name: String, day statedDay: Instant? = nil, vendorNumber statedVendor: String? = nil
  ) throws(AppleReportError) -> AppleReport {
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { throw AppleReportError(.archive, "the file is a ZIP archive") }
    let text = try Self.text(bytes)
    guard let first = text.first(where: { $0 > 0x20 }) else { throw AppleReportError(.empty, "the file is empty") }
    if String(validating: text, as: UTF8.self) == nil {
      throw AppleReportError(.notUTF8, "the text contains bytes that are not UTF-8")
    }
    if first == UInt8(ascii: "{") {
      throw AppleReportError(.apiError, "this is JSON, as App Store Connect answers instead of a report")
    }
    let digest = ContentDigest(sha256: text)
    let report: Result<AppleReport, AppleReportError> = text.withUnsafeBytes { text in
      Result { () throws(AppleReportError) in
        var parser = try ReportParser(text, ReportName(name), day: statedDay, vendorNumber: statedVendor)
        try parser.readRows()
        return try parser.report(digest)
      }
    }
    return try report.get()
  }

  private static func text(_ bytes: [UInt8]) throws(AppleReportError) -> [UInt8] {
    guard Gzip.isGzip(bytes) else { return bytes }
    do {
      if let text = try Gzip.decompress(bytes, limit: sizeLimit) { return text }
    } catch {
      throw AppleReportError(.tooLong, "the decompressed text is longer than \(sizeLimit) bytes")
    }
    throw AppleReportError(.damagedGzip, "the file is compressed, and cannot be decompressed")
  }
}

/// Reads the lines of one report, and sums its figures.
private struct ReportParser {
  private let text: UnsafeRawBufferPointer
  private let header: ReportHeader
  private let name: ReportName
  private let statedDay: Instant?
  private let statedVendor: String?
  private let separator: UInt8
  private var position = 0
  private var row = ReportRow()
  private var rowCount = 0
  private var columns: Columns
  private var days = DayRange()
  private var sums = FigureSums()
  private var totals = FinanceTotals()
  /// The lines before the header, which the detailed financial report has.
  private var preamble: [String: Instant] = [:]

  /// The indexes of the columns that are read for every row.
  private struct Columns {
    /// For each ``ReportColumn`` by its number, the index in the row; `nil` where the report has no such column.
    let texts: [Int?]
    let counts: [(measure: AppleMeasure, index: Int)]
    let stateMetric, customerPrice, proceeds, extendedProceeds, units, day, endDay, purchaseDay, startDay, refund: Int?
    let paidPeriods, daysBefore, daysCanceled: Int?

    init(_ header: ReportHeader) {
      var texts = [Int?](repeating: nil, count: ReportColumn.allCases.count)
      var counts: [(AppleMeasure, Int)] = []
      for (index, role) in header.roles.enumerated() {
        if case .text(let column) = role { texts[column.rawValue] = index }
        if case .count(let measure) = role { counts.append((AppleMeasure(rawValue: measure), index)) }
      }
      (self.texts, self.counts) = (texts, counts)
      (customerPrice, proceeds) = (header.index(of: .customerPrice), header.index(of: .proceeds))
      extendedProceeds = header.index(of: .extendedProceeds)
      stateMetric = header.index(of: .stateMetric)
      (units, day, endDay) = (header.index(of: .units), header.index(of: .day), header.index(of: .endDay))
      (purchaseDay, startDay) = (header.index(of: .purchaseDay), header.index(of: .originalStartDay))
      refund = header.index(of: .refund)
      paidPeriods = header.index(of: .consecutivePaidPeriods)
      daysBefore = header.index(of: .daysBeforeCanceling)
      daysCanceled = header.index(of: .daysCanceled)
    }
  }

  init(
    _ text: UnsafeRawBufferPointer, _ name: ReportName, day statedDay: Instant?, vendorNumber statedVendor: String?
  ) throws(AppleReportError) {
    (self.text, self.name, self.statedDay, self.statedVendor) = (text, name, statedDay, statedVendor)
    // A program may have put a byte order mark before the first line.
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let first = text[position...].prefix { $0 != UInt8(ascii: "\n") }
    separator =
      [UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";")].first { first.contains($0) } ?? UInt8(ascii: "\t")
    while row.read(text, from: &position, separator: separator), let name = Self.preambleName(row) {
      guard name != "vendorname" else { continue }
      guard let day = ReportValue.day(row[1]) else {
        throw AppleReportError(
          .unreadableValue, line: row.line, column: row.text(0), "this is not a date such as 12/27/2025")
      }
      preamble[name] = day
    }
    header = try ReportHeader(row.texts, line: row.line)
    columns = Columns(header)
    if header.type.isFinancial, let region = name.region, !["ZZ", "Z1"].contains(region) {
      throw AppleReportError(.oneRegion, "the name of the file says that it is about the region \(region)")
    }
  }

  /// Returns the name in a line before the header; `nil` for the header.
  private static func preambleName(_ row: ReportRow) -> String? {
    let texts = row.texts
    guard texts.count > 1, !texts[1].isEmpty, texts.dropFirst(2).allSatisfy(\.isEmpty) else { return nil }
    let name = ReportHeader.key(texts[0])
    return ["vendorname", "startdate", "enddate"].contains(name) ? name : nil
  }

  mutating func readRows() throws(AppleReportError) {
    while row.read(text, from: &position, separator: separator) {
      if header.type.isFinancial, try totals.read(row, header) { continue }
      guard row.ends.count == header.names.count else {
        throw AppleReportError(
          .columnCount, line: row.line,
          "the line has \(row.ends.count) columns, and the header has \(header.names.count)")
      }
      rowCount += 1
      try addRow()
    }
    if header.type.isFinancial { try totals.checkThatAllAreClosed() }
  }

  private mutating func addRow() throws(AppleReportError) {
    sums.key.removeAll(keepingCapacity: true)
    for index in columns.texts { sums.addToKey(index.map { row[$0] } ?? []) }
    let price = try amount(columns.customerPrice)
    let proceeds = try amount(columns.proceeds)
    for amount in [price, proceeds] { sums.addToKey(amount) }
    let day = try columns.day.map { index throws(AppleReportError) in try self.day(index) }
    if let day { days.add(day) }
    if let index = columns.endDay { days.addEnd(try self.day(index)) }
    var figure = AppleFigure(
      dimensions: 0, day: day ?? Instant(milliseconds: 0), purchaseDay: try optionalDay(columns.purchaseDay),
      counts: EventCounts(
        originalStartDay: try optionalDay(columns.startDay), consecutivePaidPeriods: try count(columns.paidPeriods),
        daysBeforeCanceling: try count(columns.daysBefore), daysCanceled: try count(columns.daysCanceled)),
      units: 0, rows: 1)
    if header.type == .subscription {
      for (measure, index) in columns.counts {
        figure.units = try integer(index)
        if figure.units != 0 { try add(figure, measure, price, proceeds, from: index) }
      }
      return
    }
    guard let index = columns.units else { return }
    figure.units = try integer(index)
    // A row without units states the amount itself. The sign of a refund can be in the units, in the price or in both.
    let times = figure.units == 0 ? 1 : abs(figure.units)
    let isNegative = figure.units < 0 || (price?.rawValue ?? 0) < 0
    func money(_ one: Milliunits?) throws(AppleReportError) -> Milliunits? {
      guard let one else { return nil }
      let (product, overflow) = abs(one.rawValue).multipliedReportingOverflow(by: times)
      guard !overflow, product <= FigureSums.limit else { throw tooLarge(index) }
      return Milliunits(isNegative ? -product : product)
    }
    (figure.customerAmount, figure.proceedsAmount) = (try money(price), try money(proceeds))
    if let extended = columns.extendedProceeds {
      figure.proceedsAmount = try extendedProceeds(extended, proceeds, figure.units)
    }
    try add(figure, measure, price, proceeds, from: index)
  }

  /// Returns the proceeds of all units of a row, and adds them to the totals. They are the units times the proceeds of
  /// one, within a minor unit for each.
  private mutating func extendedProceeds(_ index: Int, _ proceeds: Milliunits?, _ units: Int64)
    throws(AppleReportError) -> Milliunits
  {
    let currency = columns.texts[ReportColumn.proceedsCurrency.rawValue].map { row.text($0) } ?? ""
    let country = columns.texts[ReportColumn.country.rawValue].map { row.text($0) } ?? ""
    guard let stated = try amount(index), let one = proceeds else { throw problem(index, "the amount is missing") }
    let (product, overflow) = one.rawValue.multipliedReportingOverflow(by: units)
    guard !overflow, product.magnitude <= FigureSums.limit, stated.rawValue.magnitude <= FigureSums.limit else {
      throw tooLarge(index)
    }
    guard abs(stated.rawValue - product) <= Currency.minorUnit(of: currency) * max(1, min(abs(units), 1_000_000)) else {
      throw AppleReportError(
        .contradictoryTotals, line: row.line, column: header.names[index],
        "this is not the quantity times the proceeds of one unit")
    }
    guard totals.add(country: country, currency: currency, units: units, amount: stated.rawValue) else {
      throw tooLarge(index)
    }
    return stated
  }

  /// Adds the figure of the current row, whose units are in the column `index`.
  private mutating func add(
    _ figure: AppleFigure, _ measure: AppleMeasure, _ price: Milliunits?, _ proceeds: Milliunits?, from index: Int
  ) throws(AppleReportError) {
    var figure = figure
    if let known = sums.index(of: measure) {
      figure.dimensions = known
    } else {
      try checkNumbers()
      figure.dimensions = sums.insert(dimensions(measure, price, proceeds, key: sums.key(of: measure)))
    }
    guard sums.add(figure) else { throw tooLarge(index) }
  }

  /// Checks that a spreadsheet did not change the App Store's numbers, for example to `1.5E+09`.
  private func checkNumbers() throws(AppleReportError) {
    for column in [.appAppleID, .productAppleID, .previousProductAppleID] as [ReportColumn] {
      guard let index = columns.texts[column.rawValue], ReportValue.isChangedNumber(row[index]) else { continue }
      throw problem(index, "this is not a number of the App Store such as 1500000001")
    }
  }

  private var measure: AppleMeasure {
    switch header.type {
    case .sales, .financial, .financeDetail: .sale
    case .subscriber: columns.refund.map { ReportValue.isYes(row[$0]) } ?? false ? .refund : .payment
    case .offerCodeRedemption: .redemption
    case .analyticsState: columns.stateMetric.map { Self.state(row.text($0)) } ?? .event
    case .subscription, .subscriptionEvent, .analyticsEvent: .event
    }
  }

  /// Returns the measure of a state of analytics, such as `free_trials`. Files write the singular where Apple's page has
  /// the plural.
  private static func state(_ text: String) -> AppleMeasure {
    let name = text.lowercased().split(whereSeparator: { !$0.isASCII || !$0.isLetter }).joined(separator: "_")
    switch name {
    case "free_trial", "paid_offer": return AppleMeasure(rawValue: name + "s")
    case "voluntary_churn": return AppleMeasure(rawValue: "voluntarily_churned")
    case "involuntary_churn": return AppleMeasure(rawValue: "involuntarily_churned")
    default: return AppleMeasure(rawValue: name)
    }
  }

  private func dimensions(
    _ measure: AppleMeasure, _ price: Milliunits?, _ proceeds: Milliunits?, key: [UInt8]
  ) -> AppleFigureDimensions {
    AppleFigureDimensions(
      measure: measure, texts: columns.texts.map { $0.flatMap { row[$0].isEmpty ? nil : row.text($0) } },
      customerPrice: price, proceeds: proceeds, key: key)
  }

  // MARK: Values

  private func problem(_ index: Int, _ detail: String) -> AppleReportError {
    AppleReportError(.unreadableValue, line: row.line, column: header.names[index], detail)
  }

  private func tooLarge(_ index: Int) -> AppleReportError {
    problem(index, "the units of this figure, or its amount, are too large")
  }

  private func integer(_ index: Int) throws(AppleReportError) -> Int64 {
    guard let number = ReportValue.integer(row[index]) else { throw problem(index, "this is not a whole number") }
    return number
  }

  private func count(_ index: Int?) throws(AppleReportError) -> Int64? {
    guard let index, !row[index].isEmpty else { return nil }
    return try integer(index)
  }

  private func amount(_ index: Int?) throws(AppleReportError) -> Milliunits? {
    guard let index, !row[index].isEmpty else { return nil }
    guard let amount = ReportValue.amount(row[index]) else {
      throw problem(index, "this is not an amount such as 9.99, with a point and at most three decimals")
    }
    return amount
  }

  private func day(_ index: Int) throws(AppleReportError) -> Instant {
    guard let day = ReportValue.day(row[index]) else {
      throw problem(index, "this is not a date such as 2026-03-01 or 03/01/2026")
    }
    return day
  }

  private func optionalDay(_ index: Int?) throws(AppleReportError) -> Instant? {
    guard let index, !row[index].isEmpty else { return nil }
    return try day(index)
  }

  // MARK: The report

  mutating func report(_ digest: ContentDigest) throws(AppleReportError) -> AppleReport {
    let (first, last) = try period()
    if columns.day == nil { sums.setDay(first) }
    return AppleReport(
      type: header.type, version: header.version, vendorNumber: try owner(), firstDay: first, lastDay: last,
      digest: digest, rowCount: rowCount, unknownColumns: header.unknownColumns, dimensions: sums.dimensions,
      figures: sums.figures)
  }

  /// Returns the vendor number, or the app of an analytics report.
  private func owner() throws(AppleReportError) -> String? {
    guard header.type.isAnalytics else {
      if let statedVendor, let vendor = name.vendorNumber, statedVendor != vendor {
        throw AppleReportError(.contradictoryVendor, "the name of the file states another vendor number than its user")
      }
      return statedVendor ?? name.vendorNumber
    }
    let apps = Set(sums.dimensions.map { $0[.appAppleID] })
    guard apps.count <= 1 else {
      throw AppleReportError(
        .severalApps, "the rows are about \(apps.count) apps, and an analytics report is about one")
    }
    return apps.first ?? nil
  }

  /// Returns the days that the report is about.
  private func period() throws(AppleReportError) -> (first: Instant, last: Instant) {
    if let statedDay, let day = name.day, statedDay != day {
      throw AppleReportError(.contradictoryDay, "the name of the file states another day than its user")
    }
    if header.type.isAnalytics {
      // The name has the day of processing, if any.
      guard let first = days.first ?? statedDay ?? name.day, let last = days.last ?? statedDay ?? name.day else {
        throw AppleReportError(.unknownDay, "the report has no rows, and does not state its day")
      }
      return (first, last)
    }
    let named = statedDay ?? name.day
    if header.type == .financeDetail {
      guard let first = preamble["startdate"], let last = preamble["enddate"], first <= last else {
        throw AppleReportError(.unknownDay, "the lines before the header do not state the first and the last day")
      }
      guard named.map({ (first...last).contains($0) }) ?? true else {
        throw AppleReportError(.contradictoryDay, "the report is not about the stated day")
      }
      return (first, last)
    }
    if header.type == .sales || header.type == .financial, let first = days.first, let last = days.lastEnd {
      guard days.last == first, days.firstEnd == last, last >= first else {
        throw AppleReportError(.contradictoryDay, column: "End Date", "the rows are about several periods")
      }
      guard named.map({ (first...last).contains($0) }) ?? true else {
        throw AppleReportError(.contradictoryDay, column: "Begin Date", "the rows are not about the day of the report")
      }
      return (first, last)
    }
    guard let day = named ?? (days.first == days.last ? days.first : nil) else {
      throw AppleReportError(.unknownDay, "the report does not state its day")
    }
    // Apple writes late events into a later report, but never all of them.
    if columns.day != nil, days.count > 0, !days.contains(day, within: 1) {
      throw AppleReportError(
        .contradictoryDay, column: header.names[columns.day ?? 0], "no row is about the day of the report")
    }
    return (day, day)
  }
}
