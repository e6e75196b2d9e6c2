import AppStore
import ArgumentParser
import Foundation
import AppStoreSimulator

/// The options that make a world.
struct SimulationOptions: ParsableArguments {
  @Option(help: "What all that is random comes from.")
  var seed: UInt64 = 1

  @Option(help: "How many customers there are: 1 to 1000000.")
  var customers = 1

  @Option(
    help: ArgumentHelp("The first instant at which anybody buys (default: 2024-01-01).", valueName: "instant"),
    transform: Instant.argument)
  var from: Instant?

  @Option(
    help: ArgumentHelp("The world's end (default: two years after --from).", valueName: "instant"),
    transform: Instant.argument)
  var to: Instant?

  @Option(
    help: ArgumentHelp(
      "What is sold: a catalogue, as products import takes it (default: a meditation app's).", valueName: "file"))
  var products: String?

  @Option(
    help: ArgumentHelp(
      "The app's bundle id (default: com.example.meditation, with --products com.example.app).", valueName: "id"))
  var bundleID: String?

  @Option(help: ArgumentHelp("The life that everybody lives, or list (default: lives by chance).", valueName: "name"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "How fast time goes: real, sandbox (a month in 5 minutes, at most 12 renewals), or a month's length such as 30s, "
        + "10m or 1h.", valueName: "rate"),
    transform: SimulationOptions.renewalRate)
  var renewalRate = RenewalRate.realTime

  @Option(help: ArgumentHelp("How many days of grace the app grants: 0, 3, 16 or 28.", valueName: "days"))
  var gracePeriod: Int64 = 16

  @Option(
    name: .customLong("rate"),
    help: ArgumentHelp(
      "How often something happens in lives by chance, such as cancel=0.2 (repeatable), or list.",
      valueName: "name=share"))
  var rateList: [String] = []

  static func renewalRate(_ text: String) throws -> RenewalRate {
    if text == "real" { return .realTime }
    if text == "sandbox" { return .sandbox }
    guard let length = DurationText(text), let unit = length.unit, (1..<100_000).contains(length.count),
      let rate = RenewalRate(monthLasting: length.count * unit)
    else {
      throw ValidationError("'\(text)' is no renewal rate: real, sandbox, or a month's length from 30s to 28d.")
    }
    return rate
  }

  /// Says what is wrong before anything is done, with this command's usage.
  func validate() throws {
    if !listsSomething { _ = try world(selling: .builtIn()) }
  }

  var listsSomething: Bool { scenario == "list" || rateList.contains("list") }

  func list() {
    if scenario == "list" {
      let width = Scenario.all.map(\.name.count).max() ?? 0
      for scenario in Scenario.all {
        let space = String(repeating: " ", count: width - scenario.name.count + 2)
        Terminal.print(scenario.name + space + scenario.summary)
      }
    } else {
      for rate in Rate.allCases { Terminal.print("\(rate.rawValue)=\(rate.standard)") }
    }
  }

  /// What is sold, and the catalogue's text.
  func assortment() throws -> (assortment: Catalog, text: [UInt8]) {
    guard let products else {
      let builtIn = try bundleID.map { try Catalog.builtIn(bundleID: $0) } ?? Catalog.builtIn()
      return (builtIn, builtIn.naming(Array(Catalog.builtInCatalogue.utf8)))
    }
    guard let data = FileManager.default.contents(atPath: products) else {
      Terminal.complain("\(products): no such file, or it cannot be read.")
      throw ExitCode(66)
    }
    do {
      let catalogue = try ProductCatalogue([UInt8](data))
      let assortment = try Catalog(catalogue, bundleID: bundleID ?? "com.example.app")
      return (assortment, assortment.naming([UInt8](data)))
    } catch let refusal as CatalogueError {
      Terminal.complain("\(products): \(Terminal.printable(refusal.detail)), at \(refusal.path).")
    } catch let refusal as CatalogError {
      Terminal.complain("\(products): \(Terminal.printable(refusal.words)).")
    }
    throw ExitCode(65)
  }

  /// The world, or words about why there is none.
  func world(selling assortment: Catalog) throws -> Simulation {
    var life: Scenario?
    if let scenario {
      guard let found = Scenario(named: scenario) else {
        throw ValidationError("There is no scenario '\(scenario)': see --scenario list.")
      }
      life = found
    }
    // All in the past, so that questions about now find it known.
    let start = from ?? Instant(milliseconds: 1_704_067_200_000)
    let end = to ?? Instant(milliseconds: start.milliseconds + 730 * 86_400_000)
    do {
      return try Simulation(
        assortment: assortment, seed: seed, customers: customers, from: start, to: end, rate: renewalRate,
        graceDays: gracePeriod, rates: try rates(), scenario: life)
    } catch let refusal as SimulationError {
      throw ValidationError(refusal.words + ".")
    }
  }

  private func rates() throws -> Rates {
    var rates = Rates()
    for text in rateList {
      let words = text.split(separator: "=", maxSplits: 1)
      guard words.count == 2, let rate = Rate(rawValue: String(words[0])), let share = Double(words[1]),
        (0...1).contains(share)
      else { throw ValidationError("'\(text)' is no rate: write cancel=0.2, a share from 0 to 1; see --rate list.") }
      rates[rate] = share
    }
    return rates
  }
}
