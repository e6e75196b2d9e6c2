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

  let world: DemoWorld
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
        try await world.shop.run { found.yield($0) }
        return nil
      }
      group.addTask {
        for await ports in listening {
          try world.writeSettings(ports)
          try await world.startServer()
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
    try await world.stopServer()
    return agrees
  }

  private func play() async throws -> Bool {
    let (server, shop) = world.addresses
    say("The server is at \(server), the local App Store at \(shop). Both live by a simulated clock.")
    say(
      "signed: the notifications that Apple signed. known: those in the ledger. requests: what the server asked Apple.\n"
    )
    say(Self.line(["month", "active", "grace", "retry", "expired", "revoked", "signed", "known", "requests"]))
    let days = Int((Self.end.milliseconds - DemoWorld.begin.milliseconds) / Self.day)
    let start = ContinuousClock.now
    for number in 1...days {
      if number == Self.away.lowerBound {
        try await world.stopServer()
        say("The server goes away for ten days.")
      }
      try await world.shop.advance(to: DemoWorld.begin + Int64(number) * Self.day)
      if number == Self.away.upperBound {
        try await world.startServer()
        say("The server is back, and asks Apple what it missed.")
      }
      try await Task.sleep(until: start + .seconds(seconds * Double(number) / Double(days)))
      if CivilDate(dayNumber: world.now.milliseconds / Self.day).day == 1 {
        try await world.waitUntilAsked()
        try sayMonth()
      }
    }
    try await world.shop.advance(to: Self.end + Self.afterwards)
    try await world.waitUntilAsked()
    return try await compare()
  }

  // MARK: - What is printed

  /// Prints how the ledger is at the end of a month.
  private func sayMonth() throws {
    let ledger = try LedgerReader(path: world.database)
    defer { ledger.close() }
    let states = try states(of: world.database, at: world.now).map(\.state)
    let order: [Entitlement.State] = [.active, .gracePeriod, .billingRetry, .expired, .revoked]
    let counts = order.map { state in states.count { $0 == state } }
    let (known, asked) = (try ledger.notificationCount(in: .production), try ledger.appleRequestCount())
    let month = String((world.now + -Self.day).description.prefix(7))
    say(Self.line([month] + (counts + [try signedCount(), Int(known), Int(asked)]).map(String.init)))
  }

  /// Compares the ledger with one of everything that Apple signed, for the end of the year.
  private func compare() async throws -> Bool {
    let file = folder + "/everything.sqlite"
    let recorder = try LedgerRecorder(path: file)
    var importer = Importer(ledger: recorder, decoder: try world.decoder(), now: world.now)
    var rest: [UInt8]? = Array(try Data(contentsOf: URL(fileURLWithPath: world.signed)))
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
    let (all, found) = (try words(file), try words(world.database))
    let different = all.symmetricDifference(found)
    let instant = String(Self.end.description.prefix(10))
    say(
      """

      Two weeks later. Of \(all.count) purchases, the ledger has \(all.intersection(found).count) in the state of \(instant) that follows from \
      everything that Apple signed.
      """)
    for text in different.sorted() { say("  \(all.contains(text) ? "Apple" : "ledger"): \(text)") }
    return different.isEmpty
  }

  private func printAddresses() throws {
    let (server, shop) = world.addresses
    let authorization = "curl -H 'Authorization: Bearer \(world.token)'"
    let (file, instant) = ("--database \(world.database)", "--as-of \(world.now)")
    // The ledger knows purchases by Apple's ids. Nobody has linked the customers' own names.
    let purchase = try states(of: world.database, at: world.now).first { $0.hasAccess }?.originalTransactionID
    let onePurchase = purchase.map { id in
      ["\(authorization) \(server)/v1/purchases/\(id)", "subledger show \(id) \(file) \(instant)"]
    }
    let commands =
      ["\(shop)/  the local App Store, in a browser", "\(authorization) \(server)/status"] + (onePurchase ?? []) + [
        "curl -d '{\"advance\": \"P1M\"}' \(shop)/admin/clock", "subledger entitlements \(file) \(instant)",
        "subledger query \(file) 'SELECT occasion, verdict, COUNT(*) AS requests FROM apple_request GROUP BY 1, 2'",
        "cat \(folder)/app-store/settings.env  for a client of your own",
      ]
    say("\nThe clock stands. Look at:")
    for command in commands { say("  " + command) }
    say("In a checkout, type swift run subledger instead of subledger. End with Ctrl-C.")
  }

  /// Returns the states in production of a ledger file.
  private func states(of path: String, at instant: Instant) throws -> [Entitlement] {
    let ledger = try LedgerReader(path: path)
    defer { ledger.close() }
    return try ledger.entitlements(
      Question(asOf: instant, knownAt: .latest), where: .init(environment: Environment.production.name))
  }

  private static func line(_ fields: [String]) -> String {
    fields.map { $0.padding(toLength: max(9, $0.count + 1), withPad: " ", startingAt: 0) }.joined()
      .trimmingCharacters(in: .whitespaces)
  }

  /// Standard output may be a pipe, which print would fill first.
  private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// Returns how many notifications Apple has signed.
  private func signedCount() throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: world.signed)).count { $0 == UInt8(ascii: "\n") }
  }
}
