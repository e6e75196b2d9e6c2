public import AppStore

/// The reports that App Store Connect would offer about a simulation: Summary Sales, Subscriber, Subscription and
/// Subscription Event, one file for each day, the detailed financial report of each fiscal
/// month, and the reports of analytics.
///
/// They come from what the simulated store did, by Apple's rules (App Store Connect Help, "Reports"). This code knows
/// neither the decoder of reports nor the ledger's rules.
public struct SimulatedReports {
  /// A file as App Store Connect offers it.
  public struct File: Sendable {
    /// The name, such as `Subscriber_80012345_20250301.txt.gz`.
    public let name: String
    /// The bytes: gzip data.
    public let bytes: [UInt8]
  }

  /// The vendor number in the names of files.
  public static let vendorNumber = "80012345"
  /// The share of additional customers of a fault, of a thousand.
  private static let faultyShare = 10

  /// The taxes and commissions of the simulated store as a table, which `subledger terms import` reads.
  public static var termsTable: String { ReportTerms.table }

  private let simulation: Simulation
  private let fault: ReportsFault?

  /// Creates the reports of a simulation in real time.
  /// - Parameters:
  ///   - simulation: the simulation that the messages are about too.
  ///   - fault: a fault to plant; `nil` for none.
  /// - Throws: ``SimulationError`` for a simulation that passes faster than real time, or that has too many customers.
  public init(_ simulation: Simulation, fault: ReportsFault? = nil) throws(SimulationError) {
    guard simulation.rate.month == nil else {
      throw SimulationError(message: "App Store Connect reports nothing of the sandbox: reports need real time")
    }
    guard simulation.customers <= 200_000 else {
      throw SimulationError(message: "reports stay in memory until they are written: 200000 customers at most")
    }
    (self.simulation, self.fault) = (simulation, fault)
  }

  /// The number of customers whom only the reports count, and not the messages in Production.
  public var additionalCustomers: Int {
    guard fault == .lostNotification || fault == .sandbox else { return 0 }
    return max(1, simulation.customers * Self.faultyShare / 1000)
  }

  /// The customers whom the reports count, and whose messages name the sandbox.
  public var sandboxCustomers: Range<Int> {
    simulation.customers..<(simulation.customers + (fault == .sandbox ? additionalCustomers : 0))
  }

  /// The first and the last day that is over at the end of the simulation, as the first millisecond of each date in UTC.
  public var days: ClosedRange<Instant>? {
    let first = calendar.day(of: simulation.from)
    let last = calendar.day(of: simulation.to) + -RenewalRate.day
    return first <= last ? first...last : nil
  }

  /// Returns all files in the order of their names.
  /// - Throws: ``ActionError`` where the scenario does not fit the catalogue.
  public func files() throws -> [File] {
    guard let days else { return [] }
    var texts = ReportTexts(days: days)
    for customer in 0..<(simulation.customers + additionalCustomers) {
      var events: [StoreEvent] = []
      let store = try simulation.live(customer) { events += $1 }
      CustomerReporter(store: store, events: events, days: days, calendar: calendar).report(into: &texts)
    }
    return files(texts)
  }

  private var calendar: ReportCalendar { fault == .wrongZone ? .utc : .pacific }

  private func files(_ texts: ReportTexts) -> [File] {
    var files: [File] = []
    for (type, day, text) in texts.all() {
      let chosen = texts.faultyDay(of: type)
      let compact = day.date.filter { $0 != "-" }
      let name = "\(type.prefix)_\(Self.vendorNumber)_\(compact)"
      switch fault {
      case .missingFile where day == chosen: continue
      case .duplicate where day == chosen: files.append(File(name: "\(name)_again.txt.gz", bytes: Gzip.compress(text)))
      case .restated where day == chosen:
        // It has the name that comes first, so that the full text counts.
        let end = text.dropLast().lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex
        files.append(File(name: "\(name).txt.gz", bytes: Gzip.compress(Array(text[...end]))))
        files.append(File(name: "\(name)_restated.txt.gz", bytes: Gzip.compress(text)))
        continue
      default: break
      }
      files.append(File(name: "\(name).txt.gz", bytes: Gzip.compress(text)))
    }
    // Faults are planted in daily reports.
    for (month, text) in texts.months() {
      let number = String(month.number * 100 + month.year % 100)
      let name = "\(SimulatedReportType.finance.prefix)_\(Self.vendorNumber)_\(number.count < 4 ? "0" : "")\(number)"
      files.append(File(name: "\(name).txt.gz", bytes: Gzip.compress(text)))
    }
    for type in [SimulatedReportType.analyticsState, .analyticsEvent] {
      files += texts.analytics(type).map { month, text in
        File(name: "\(type.prefix)_\(month).txt.gz", bytes: Gzip.compress(text))
      }
    }
    return files.sorted { $0.name < $1.name }
  }
}
