/// The first line of a report: its columns, and the type and version that they belong to.
struct ReportHeader {
  let type: AppleReportType
  let version: String?
  /// The columns as the file spells them.
  let names: [String]
  /// ``names`` in small letters, without anything but letters and digits.
  let keys: [String]
  /// The role of each column; `nil` for an unknown one.
  let roles: [ColumnRole?]

  /// The columns that no known version has, as the file spells them.
  var unknownColumns: [String] { zip(names, roles).compactMap { $1 == nil ? $0 : nil } }

  /// Returns the index of the column with a role; `nil` without one.
  func index(of role: ColumnRole) -> Int? { roles.firstIndex(of: role) }

  /// Reads the names of columns, in any order.
  /// - Throws: ``AppleReportError`` for a header of no known report.
  init(_ names: [String], line: Int = 1) throws(AppleReportError) {
    let keys = names.map(Self.key)
    for (index, key) in keys.enumerated() where keys[..<index].contains(key) && !key.isEmpty {
      throw AppleReportError(.duplicateColumn, line: line, column: names[index], "the header has this column twice")
    }
    let has = Set(keys)
    guard let type = Self.type(has) else {
      let other = Self.unsupported(has)
      throw AppleReportError(
        .unrecognised, line: line,
        other.map { "this is \($0), which the ledger does not read yet" }
          ?? "the first line is not the header of a report of App Store Connect")
    }
    if type.isAnalytics, let index = keys.firstIndex(where: Self.detailed.contains) {
      throw AppleReportError(
        .detailedReport, line: line, column: names[index], "only the detailed analytics report has this column")
    }
    self.type = type
    (self.names, self.keys) = (names, keys)
    roles = keys.map(ColumnRole.of)
    version = Self.version(type, has, isKnown: !roles.contains(nil))
    for role in Self.needed(type) where !roles.contains(role) {
      throw AppleReportError(.unrecognised, line: line, "the header has no column for the \(Self.words(for: role))")
    }
  }

  /// Returns a name in small letters without spaces, hyphens and underscores. Apple and loaders spell them in many ways.
  static func key(_ name: String) -> String {
    String(
      decoding: name.lowercased().utf8.filter { ($0 | 0x20).isLetter || (0x30...0x39).contains($0) }, as: UTF8.self)
  }

  private static func type(_ has: Set<String>) -> AppleReportType? {
    if has.isSuperset(of: ["subscriberid", "eventdate", "units"]) { return .subscriber }
    if has.isSuperset(of: ["event", "eventdate", "quantity"]) { return .subscriptionEvent }
    if has.contains("activestandardpricesubscriptions") { return .subscription }
    if has.isSuperset(of: ["producttypeidentifier", "developerproceeds", "begindate"]) { return .sales }
    if has.isSuperset(of: ["redemptions", "date"]) { return .offerCodeRedemption }
    if has.isSuperset(of: ["statemetric", "date", "counts"]) { return .analyticsState }
    if has.isSuperset(of: ["eventdate", "counts"]), !has.isDisjoint(with: ["eventsubtype", "eventname"]) {
      return .analyticsEvent
    }
    if has.isSuperset(of: ["extendedpartnershare", "transactiondate"]) { return .financeDetail }
    if has.isSuperset(of: ["extendedpartnershare", "startdate"]) { return .financial }
    return nil
  }

  /// Returns the name of a report that Apple offers, and that the ledger does not read.
  private static func unsupported(_ has: Set<String>) -> String? {
    if has.contains("counts") || has.contains("proceedsinusd") { return "another analytics report" }
    if has.contains("churnedsubscriptioncount") { return "a report about win-back offers" }
    return nil
  }

  /// The roles without which no figure can be read.
  private static func needed(_ type: AppleReportType) -> [ColumnRole] {
    switch type {
    case .sales: [.text(.productID), .text(.country), .units, .day, .endDay, .customerPrice, .proceeds]
    case .subscription: [.text(.productAppleID), .text(.country), .customerPrice]
    case .subscriptionEvent: [.text(.productAppleID), .text(.country), .text(.event), .units, .day]
    case .subscriber: [.text(.productAppleID), .text(.country), .units, .day, .customerPrice, .refund]
    case .offerCodeRedemption: [.text(.productAppleID), .text(.country), .units, .day]
    case .financial: finance + [.endDay]
    case .financeDetail: finance
    case .analyticsState: [.stateMetric, .text(.productAppleID), .text(.appAppleID), .text(.country), .units, .day]
    case .analyticsEvent: [.text(.event), .text(.productAppleID), .text(.appAppleID), .text(.country), .units, .day]
    }
  }

  /// The columns that only detailed analytics reports have. Apple adds noise to their figures.
  private static let detailed: Set<String> = ["appdownloadsourceinfo", "campaign", "pagetitle"]

  private static let finance: [ColumnRole] = [
    .text(.productID), .text(.country), .units, .day, .customerPrice, .proceeds, .extendedProceeds,
    .text(.proceedsCurrency),
  ]

  /// Returns what a needed column is for.
  private static func words(for role: ColumnRole) -> String {
    switch role {
    case .text(.productID): "product id"
    case .text(.productAppleID): "product's number"
    case .text(.country): "country"
    case .text(.event): "event"
    case .text(.appAppleID): "app's number"
    case .stateMetric: "state"
    case .units: "number of units"
    case .day, .endDay: "day"
    case .customerPrice: "customer's price"
    case .proceeds, .extendedProceeds: "proceeds"
    case .text(.proceedsCurrency): "currency of proceeds"
    case .refund: "refund"
    default: "\(role)"
    }
  }

  private static func version(_ type: AppleReportType, _ has: Set<String>, isKnown: Bool) -> String? {
    guard isKnown, !type.isFinancial, !type.isAnalytics else { return nil }
    if type == .sales || type == .offerCodeRedemption { return "1_0" }
    if has.contains("introductorypricetype") { return "1_1" }
    if has.contains("trial") { return "1_0" }
    let newer = ["subscriptionoffername", "paidservicedaysrecovered", "subscribers"]
    return has.isDisjoint(with: newer) ? "1_2" : "1_3"
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(self) }
}
