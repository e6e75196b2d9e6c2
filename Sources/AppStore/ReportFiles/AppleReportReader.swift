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
  /// - Throws: ``AppleReportError`` with the line of the first value that cannot be read.
  public func read(_ bytes: [UInt8], name: String, day statedDay: Instant? = nil) throws(AppleReportError)
    -> AppleReport
  {
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
        var parser = try ReportParser(text, ReportName(name), statedDay)
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
  private let separator: UInt8
  private var position = 0
  private var row = ReportRow()
  private var rowCount = 0
  private var columns: Columns
  private var days = DayRange()
  private var sums = FigureSums()

  /// The indexes of the columns that are read for every row.
  private struct Columns {
    /// For each ``ReportColumn`` by its number, the index in the row; `nil` where the report has no such column.
    let texts: [Int?]
    let counts: [(measure: AppleMeasure, index: Int)]
    let customerPrice, proceeds, units, day, endDay, purchaseDay, startDay, refund: Int?
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
      (units, day, endDay) = (header.index(of: .units), header.index(of: .day), header.index(of: .endDay))
      (purchaseDay, startDay) = (header.index(of: .purchaseDay), header.index(of: .originalStartDay))
      refund = header.index(of: .refund)
      paidPeriods = header.index(of: .consecutivePaidPeriods)
      daysBefore = header.index(of: .daysBeforeCanceling)
      daysCanceled = header.index(of: .daysCanceled)
    }
  }

  init(_ text: UnsafeRawBufferPointer, _ name: ReportName, _ statedDay: Instant?) throws(AppleReportError) {
    (self.text, self.name, self.statedDay) = (text, name, statedDay)
    // A program may have put a byte order mark before the first line.
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let first = text[position...].prefix { $0 != UInt8(ascii: "\n") }
    separator =
      [UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";")].first { first.contains($0) } ?? UInt8(ascii: "\t")
    _ = row.read(text, from: &position, separator: separator)
    var names: [String] = []
    for index in row.ends.indices { names.append(row.text(index)) }
    header = try ReportHeader(names)
    columns = Columns(header)
  }

  mutating func readRows() throws(AppleReportError) {
    while row.read(text, from: &position, separator: separator) {
      guard row.ends.count == header.names.count else {
        throw AppleReportError(
          .columnCount, line: row.line,
          "the line has \(row.ends.count) columns, and the header has \(header.names.count)")
      }
      rowCount += 1
      try addRow()
    }
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
        guard figure.units == 0 || add(figure, measure, price, proceeds) else { throw tooLarge(index) }
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
    guard add(figure, measure, price, proceeds) else { throw tooLarge(index) }
  }

  /// Adds the figure of the current row.
  /// - Returns: `false` if the sum is too large.
  private mutating func add(
    _ figure: AppleFigure, _ measure: AppleMeasure, _ price: Milliunits?, _ proceeds: Milliunits?
  ) -> Bool {
    var figure = figure
    figure.dimensions =
      sums.index(of: measure) ?? sums.insert(dimensions(measure, price, proceeds, key: sums.key(of: measure)))
    return sums.add(figure)
  }

  private var measure: AppleMeasure {
    switch header.type {
    case .sales: .sale
    case .subscriber: columns.refund.map { ReportValue.isYes(row[$0]) } ?? false ? .refund : .payment
    case .offerCodeRedemption: .redemption
    case .subscription, .subscriptionEvent: .event
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
      type: header.type, version: header.version, vendorNumber: name.vendorNumber, firstDay: first, lastDay: last,
      digest: digest, rowCount: rowCount, unknownColumns: header.unknownColumns, dimensions: sums.dimensions,
      figures: sums.figures)
  }

  /// Returns the days that the report is about.
  private func period() throws(AppleReportError) -> (first: Instant, last: Instant) {
    if let statedDay, let day = name.day, statedDay != day {
      throw AppleReportError(.contradictoryDay, "the name of the file states another day than its user")
    }
    let named = statedDay ?? name.day
    if header.type == .sales, let first = days.first, let last = days.lastEnd {
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

/// The days that the rows of a report state.
private struct DayRange {
  private(set) var first, last, firstEnd, lastEnd: Instant?
  private var all: Set<Int64> = []

  var count: Int { all.count }

  mutating func add(_ day: Instant) {
    first = min(first ?? day, day)
    last = max(last ?? day, day)
    all.insert(day.milliseconds)
  }

  mutating func addEnd(_ day: Instant) {
    firstEnd = min(firstEnd ?? day, day)
    lastEnd = max(lastEnd ?? day, day)
  }

  /// Returns whether a row states a day, or one that is a number of days away.
  func contains(_ day: Instant, within days: Int64) -> Bool {
    (-days...days).contains { all.contains(day.milliseconds + $0 * 86_400_000) }
  }
}

/// The figures of a report while it is read: rows that differ in nothing that a figure states are one figure.
private struct FigureSums {
  /// The greatest sum of one figure, in units or milliunits. Every sum of thousands of figures fits 64 bits then.
  static let limit: Int64 = 1_000_000_000_000_000

  /// The bytes of the current row's dimensions.
  var key: [UInt8] = []
  private(set) var dimensions: [AppleFigureDimensions] = []
  private(set) var figures: [AppleFigure] = []
  private var dimensionsOfKey: [[UInt8]: [AppleMeasure: Int]] = [:]
  private var figureOfIdentity: [Identity: Int] = [:]

  private struct Identity: Hashable {
    let dimensions: Int
    let day: Instant
    let purchaseDay: Instant?
    let counts: EventCounts
  }

  mutating func addToKey(_ field: ArraySlice<UInt8>) {
    key.append(contentsOf: field)
    key.append(0x1F)
  }

  mutating func addToKey(_ amount: Milliunits?) {
    if let amount { withUnsafeBytes(of: amount.rawValue.bigEndian) { key.append(contentsOf: $0) } }
    key.append(0x1F)
  }

  /// Returns the index of the dimensions of the current row; `nil` if no row before had them.
  func index(of measure: AppleMeasure) -> Int? { dimensionsOfKey[key]?[measure] }

  /// Returns the bytes of the current row's dimensions with a measure.
  func key(of measure: AppleMeasure) -> [UInt8] { Array(measure.rawValue.utf8) + [0x1F] + key }

  /// Adds the dimensions of the current row.
  /// - Returns: their index.
  mutating func insert(_ new: AppleFigureDimensions) -> Int {
    dimensionsOfKey[key, default: [:]][new.measure] = dimensions.count
    dimensions.append(new)
    return dimensions.count - 1
  }

  /// Adds a figure to the one with equal dimensions, days and counts.
  /// - Returns: `false` if the sum is greater than the limit.
  mutating func add(_ figure: AppleFigure) -> Bool {
    let identity = Identity(
      dimensions: figure.dimensions, day: figure.day, purchaseDay: figure.purchaseDay, counts: figure.counts)
    guard let index = figureOfIdentity[identity] else {
      figureOfIdentity[identity] = figures.count
      figures.append(figure)
      return true
    }
    figures[index].units += figure.units
    figures[index].customerAmount = sum(figures[index].customerAmount, figure.customerAmount)
    figures[index].proceedsAmount = sum(figures[index].proceedsAmount, figure.proceedsAmount)
    figures[index].rows += 1
    let sums = [figures[index].units, figures[index].customerAmount?.rawValue, figures[index].proceedsAmount?.rawValue]
    return sums.allSatisfy { ($0 ?? 0).magnitude <= Self.limit }
  }

  private func sum(_ one: Milliunits?, _ other: Milliunits?) -> Milliunits? {
    guard let one, let other else { return one ?? other }
    return Milliunits(one.rawValue + other.rawValue)
  }

  /// Gives all figures the day of their report.
  mutating func setDay(_ day: Instant) {
    for index in figures.indices { figures[index].day = day }
  }
}
