import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation
import LedgerPresentation

/// The options that define a simulation.
package struct SimulationOptions: ParsableArguments {
  package init() {}

  @Option(help: "The seed of all random choices. An equal seed gives an equal simulation.")
  package var seed: UInt64 = 1

  @Option(help: "The number of customers: 1 to 1000000.")
  package var customers = 1

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The start of the simulation: nobody buys earlier (default: 2024-01-01).", valueName: "instant"),
    transform: Instant.argument)
  package var from: Instant?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The end of the simulation (default: two years after --from, but not later than now).", valueName: "instant"),
    transform: Instant.argument)
  package var to: Instant?

  @Option(
    help: ArgumentHelp(
      "The products: a catalogue that products import reads (default: those of a meditation app).", valueName: "file"))
  package var products: String?

  @Option(
    help: ArgumentHelp(
      "The app's bundle id (default: com.example.meditation, or com.example.app with --products).", valueName: "id"))
  package var bundleID: String?

  @Option(
    help: ArgumentHelp("The history of every customer, or list (default: random histories).", valueName: "name"))
  package var scenario: String?

  @Option(help: ArgumentHelp("The app's grace period in days: 0, 3, 16 or 28.", valueName: "days"))
  package var gracePeriod: Int64 = 16

  @Option(
    name: .customLong("rate"),
    help: ArgumentHelp(
      "How often an event happens in random histories, such as cancel=0.2 (repeatable), or list.",
      valueName: "name=share"))
  package var rateList: [String] = []

  /// Refuses wrong options before the command writes anything, so that the error shows the usage of this command.
  package func validate() throws {
    if !listsSomething { _ = try simulation(selling: .builtIn(), rate: .realTime) }
  }

  /// The start of the simulation.
  package var start: Instant {
    // The default lies in the past, so that a query about now finds all of it known.
    from ?? Instant(milliseconds: 1_704_067_200_000)
  }

  /// Whether the options ask for a list of scenarios or rates.
  package var listsSomething: Bool { scenario == "list" || rateList.contains("list") }

  /// The lines of the list that the options ask for.
  package var list: [String] {
    guard scenario == "list" else { return Rate.allCases.map { "\($0.rawValue)=\($0.standard)" } }
    let width = Scenario.all.map(\.name.count).max() ?? 0
    return Scenario.all.map { scenario in
      scenario.name + String(repeating: " ", count: width - scenario.name.count + 2) + scenario.summary
    }
  }

  /// Returns the products on sale, and the text of their catalogue.
  /// - Throws: ``InputError`` if the catalogue cannot be read or used.
  package func catalog() throws -> (catalog: Catalog, text: [UInt8]) {
    guard let products else {
      let builtIn = try bundleID.map { try Catalog.builtIn(bundleID: $0) } ?? Catalog.builtIn()
      return (builtIn, builtIn.naming(Array(Catalog.builtInCatalogue.utf8)))
    }
    guard let data = FileManager.default.contents(atPath: products) else {
      throw InputError("Cannot read \(products). Nothing was written. Check the path.")
    }
    do {
      let catalogue = try ProductCatalogue([UInt8](data))
      let catalog = try Catalog(catalogue, bundleID: bundleID ?? "com.example.app")
      return (catalog, catalog.naming([UInt8](data)))
    } catch let refusal as CatalogueError {
      throw InputError(
        "\(products): \(Printable.text(refusal.detail)), at \(refusal.path). Correct it there.", exitCode: 65)
    } catch let refusal as CatalogError {
      throw InputError(
        "\(products): \(Printable.text(refusal.message)). Name another catalogue with --products.", exitCode: 65)
    }
  }

  /// Returns the simulation that the options define.
  /// - Parameters:
  ///   - catalog: the products on sale.
  ///   - rate: how fast periods pass.
  /// - Throws: `ValidationError` if an option is wrong.
  package func simulation(selling catalog: Catalog, rate: RenewalRate) throws -> Simulation {
    var life: Scenario?
    if let scenario {
      guard let found = Scenario(named: scenario) else {
        throw ValidationError("No scenario has the name '\(scenario)'. See --scenario list.")
      }
      life = found
    }
    let now = Instant.now
    let end = to ?? min(Instant(milliseconds: start.milliseconds + 730 * 86_400_000), now)
    guard end <= now else {
      throw ValidationError("--to is later than now. Nothing is delivered before it happens.")
    }
    do {
      return try Simulation(
        catalog: catalog, seed: seed, customers: customers, from: start, to: end, rate: rate,
        graceDays: gracePeriod, rates: try rates(), scenario: life)
    } catch let refusal as SimulationError {
      throw ValidationError(refusal.message + ".")
    }
  }

  private func rates() throws -> Rates {
    var rates = Rates()
    for text in rateList {
      let words = text.split(separator: "=", maxSplits: 1)
      guard words.count == 2, let rate = Rate(rawValue: String(words[0])), let share = Double(words[1]),
        (0...1).contains(share)
      else { throw ValidationError("'\(text)' is not a rate. Write a share from 0 to 1: cancel=0.2. See --rate list.") }
      rates[rate] = share
    }
    return rates
  }
}

extension RenewalRate {
  /// Returns the rate that an argument names.
  /// - Throws: `ValidationError` if the text is not a rate.
  package static func argument(_ text: String) throws -> RenewalRate {
    if text == "real" { return .realTime }
    if text == "sandbox" { return .sandbox }
    guard let length = DurationText(text), let unit = length.unit, (1..<100_000).contains(length.count),
      let rate = RenewalRate(monthLasting: length.count * unit)
    else {
      throw ValidationError("'\(text)' is not a renewal rate. Write real, sandbox, or a month's length: 30s to 28d.")
    }
    return rate
  }
}

extension Delivery {
  /// Returns the delivery that an argument describes.
  /// - Throws: `ValidationError` if the text describes none.
  package static func argument(_ text: String) throws -> Delivery {
    do { return try Delivery(text) } catch { throw ValidationError(error.message + ".") }
  }
}
