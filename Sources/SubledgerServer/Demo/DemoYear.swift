import AppStore
import AppStoreServer
import Foundation
import Ledger
import LedgerService

/// The year of the demo: what happens on which day, and what is printed.
struct DemoYear: Sendable {
  /// The instant at which the two ledgers are compared.
  static let end = Instant("2026-01-01T00:00:00Z") ?? .latest
  /// How long the world goes on after the year, in milliseconds: what Apple lost is found within a week.
  static let afterwards: Int64 = 14 * day
  private static let day: Int64 = 86_400_000
  /// The days of the year on which the server goes away, and comes back.
  private static let away = 100..<110

  let simulation: DemoSimulation
  let folder: String
  let seconds: Double
  let staysOpen: Bool

  /// Plays the year, compares the ledgers, and goes on until a signal.
  /// - Returns: whether the ledgers agree.
  func run() async throws -> Bool {
    let (listening, found) = AsyncStream<[Environment: Int]>.makeStream()
    let agrees = try await withThrowingTaskGroup(of: Bool?.self) { group in
      group.addTask {
        defer { found.finish() }
        try await simulation.shop.run { found.yield($0) }
        return nil
      }
      group.addTask {
        for await ports in listening {
          try simulation.writeSettings(ports)
          try await simulation.startServer()
          return try await play()
        }
        return nil
      }
      defer { group.cancelAll() }
      // A signal ends the local App Store, and so everything.
      guard let agrees = try await group.next() ?? nil else { return true }
      if staysOpen {
        try printAddresses()
        _ = try await group.next()
      }
      return agrees
    }
    try await simulation.stopServer()
    return agrees
  }

  private func play() async throws -> Bool {
    let (server, shop) = simulation.addresses
    write("The server is at \(server), the local App Store at \(shop). Both live by a simulated clock.")
    write(
      "signed: the notifications that Apple signed. known: those in the ledger. requests: what the server asked Apple.\n"
    )
    write(Self.line(["month", "active", "grace", "retry", "expired", "revoked", "signed", "known", "requests"]))
    let days = Int((Self.end.milliseconds - DemoSimulation.begin.milliseconds) / Self.day)
    let start = ContinuousClock.now
    for number in 1...days {
      if number == Self.away.lowerBound {
        try await simulation.stopServer()
        write("The server goes away for ten days.")
      }
      try await simulation.shop.advance(to: DemoSimulation.begin + Int64(number) * Self.day)
      if number == Self.away.upperBound {
        try await simulation.startServer()
        write("The server is back, and asks Apple what it missed.")
      }
      try await Task.sleep(until: start + .seconds(seconds * Double(number) / Double(days)))
      if CivilDate(dayNumber: simulation.now.milliseconds / Self.day).day == 1 {
        try await simulation.waitUntilAsked()
        try writeMonth()
      }
    }
    try await simulation.shop.advance(to: Self.end + Self.afterwards)
    try await simulation.waitUntilAsked()
    return try await compare()
  }

  // MARK: - What is printed

  /// Prints how the ledger is at the end of a month.
  private func writeMonth() throws {
    let ledger = try LedgerReader(path: simulation.database)
    defer { ledger.close() }
    let states = try states(of: simulation.database, at: simulation.now).map(\.state)
    let order: [Entitlement.State] = [.active, .gracePeriod, .billingRetry, .expired, .revoked]
    let counts = order.map { state in states.count { $0 == state } }
    let (known, asked) = (try ledger.notificationCount(in: .production), try ledger.appleRequestCount())
    let month = String((simulation.now + -Self.day).description.prefix(7))
    write(Self.line([month] + (counts + [try signedCount(), Int(known), Int(asked)]).map(String.init)))
  }

  /// Compares the ledger with one of everything that Apple signed, for the end of the year.
  private func compare() async throws -> Bool {
    let file = folder + "/everything.sqlite"
    let recorder = try LedgerRecorder(path: file)
    var importer = Importer(ledger: recorder, decoder: try simulation.decoder(), now: simulation.now)
    var rest: [UInt8]? = Array(try Data(contentsOf: URL(fileURLWithPath: simulation.signed)))
    _ = try await importer.run([
      ImportSource(name: "everything that Apple signed") {
        defer { rest = nil }
        return rest
      }
    ])
    recorder.close()
    func words(_ path: String) throws -> Set<String> {
      Set(
        try states(of: path, at: Self.end).map {
          "\($0.originalTransactionID) \($0.productID ?? "") \($0.state.rawValue) \($0.accessEndsAt?.description ?? "")"
        })
    }
    let (all, found) = (try words(file), try words(simulation.database))
    let different = all.symmetricDifference(found)
    let instant = Self.end.date
    write(
      """

      Two weeks later. Of \(all.count) purchases, the ledger has \(all.intersection(found).count) in the state of \(instant) that follows from \
      everything that Apple signed.
      """)
    for text in different.sorted() { write("  \(all.contains(text) ? "Apple" : "ledger"): \(text)") }
    return different.isEmpty
  }

  private func printAddresses() throws {
    let (server, shop) = simulation.addresses
    let authorization = "curl -H 'Authorization: Bearer \(simulation.token)'"
    let (file, instant) = ("--database \(simulation.database)", "--as-of \(simulation.now)")
    // The ledger knows purchases by Apple's ids. Nobody has linked the customers' own names.
    let purchase = try states(of: simulation.database, at: simulation.now).first { $0.hasAccess }?.originalTransactionID
    let onePurchase = purchase.map { id in
      ["\(authorization) \(server)/v1/purchases/\(id)", "subledger show \(id) \(file) \(instant)"]
    }
    let commands =
      ["\(shop)/  the local App Store, in a browser", "\(authorization) \(server)/status"] + (onePurchase ?? []) + [
        "curl -d '{\"advance\": \"P1M\"}' \(shop)/admin/clock", "subledger entitlements \(file) \(instant)",
        "subledger query \(file) 'SELECT occasion, verdict, COUNT(*) AS requests FROM apple_request GROUP BY 1, 2'",
        "cat \(folder)/app-store/settings.env  for a client of your own",
      ]
    write("\nThe clock stands. Look at:")
    for command in commands { write("  " + command) }
    write("In a checkout, type swift run subledger instead of subledger. End with Ctrl-C.")
  }

  /// Returns the states in production of a ledger file.
  private func states(of path: String, at instant: Instant) throws -> [Entitlement] {
    let ledger = try LedgerReader(path: path)
    defer { ledger.close() }
    return try ledger.entitlements(
      QueryParameters(asOf: instant, knownAt: .latest), where: .init(environment: Environment.production.name))
  }

  private static func line(_ fields: [String]) -> String {
    fields.map { $0.padding(toLength: max(9, $0.count + 1), withPad: " ", startingAt: 0) }.joined()
      .trimmingCharacters(in: .whitespaces)
  }

  /// Standard output may be a pipe, which print would fill first.
  private func write(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Returns how many notifications Apple has signed.
  private func signedCount() throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: simulation.signed)).count { $0 == UInt8(ascii: "\n") }
  }
}
