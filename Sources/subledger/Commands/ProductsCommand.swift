import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

struct ProductsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products", abstract: "Import and list the catalogue: the products, and what each grants.",
    subcommands: [Import.self, Entitle.self, List.self, Unknown.self])

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import products, or changes of products.",
      discussion: """
        A file is Xcode's .storekit configuration (schema 1 to 5), a JSON list [{"product_id": …}, …], or CSV with a \
        header. The columns of CSV are:

          product_id, bundle_id, type, name, reference_name,
          group, group_name, level, period (P1M), price, currency,
          storefront, family_shareable, entitlements (separated by ;)

        JSON can also have names, prices and offers. A field that a file leaves out does not change. The command \
        imports a whole file or nothing. A product belongs to one app. Another app's product with an equal id grants \
        nothing.
        """)

    @Argument(help: ArgumentHelp("Catalogue files.", valueName: "file")) var files: [String]

    @Option(help: ArgumentHelp("The app of the products, for files that do not name one.", valueName: "id"))
    var bundleID: String?

    @OptionGroup var database: DatabaseOption

    func run() throws {
      // Reading every file first keeps the ledger unchanged when one of them is refused.
      let catalogues = try files.map { path -> (String, ProductCatalogue) in
        guard let data = FileManager.default.contents(atPath: path) else {
          Terminal.complain("Cannot read \(Printable.text(path)). Nothing was imported. Check the path.")
          throw ExitCode(66)
        }
        do throws(CatalogueError) {
          return (path, try ProductCatalogue([UInt8](data)))
        } catch {
          Terminal.complain(
            "\(Printable.text(path)) was refused (\(error.code.rawValue)): \(Printable.text(error.detail)), "
              + "at \(Printable.text(error.path)). \(error.advice)")
          throw ExitCode(65)
        }
      }
      let ledger = try database.recorder()
      if bundleID == nil, catalogues.contains(where: { $0.1.products.contains { $0.bundleID == nil } }) {
        throw try CatalogueApp.unnamed(ledger.reader)
      }
      for (path, catalogue) in catalogues {
        let done = try reporting { try ledger.record(catalogue, bundleID: bundleID, origin: path, now: .now) }
        Terminal.print(
          "\(Printable.text(path)): \(Messages.count(done.products, "product")), \(done.added) new, "
            + "\(done.changed) changed; \(Messages.count(done.entitlementChanges, "entitlement")) added or removed.")
      }
      ledger.close()
    }
  }

  struct Entitle: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let products grant an entitlement, which you name.")

    @Argument(help: "The entitlement, such as pro.", transform: String.argument) var entitlement: String

    @Option(parsing: .upToNextOption, help: ArgumentHelp("The products that grant it.", valueName: "id"))
    var product: [String]

    @Option(help: ArgumentHelp("The app of the products (default: the only app with a catalogue).", valueName: "id"))
    var bundleID: String?

    @Flag(help: "Stop granting the entitlement with these products.") var withdraw = false
    @OptionGroup var database: DatabaseOption

    func validate() throws {
      if product.isEmpty { throw ValidationError("Name at least one --product.") }
    }

    func run() throws {
      let now = Instant.now
      let (count, known) = try database.recording { ledger in
        let parameters = QueryParameters(asOf: now, knownAt: now)
        let known = try ledger.reader.productIDs(parameters)
        let app = try bundleID ?? CatalogueApp.only(ledger.reader, parameters)
        return (try ledger.entitle(entitlement, products: product, of: app, isGranted: !withdraw, now: now), known)
      }
      let verb = (withdraw ? "no longer " : "") + (product.count == 1 ? "grants" : "grant")
      Terminal.print(
        "\(Messages.count(product.count, "product")) \(verb) \(Printable.text(entitlement)): \(count) changed.")
      for id in product where !known.contains(id) && !withdraw {
        Terminal.note("No catalogue names \(Printable.text(id)). It counts nevertheless. Check the id.")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the products, with what each grants.")

    @OptionGroup var database: DatabaseOption
    @OptionGroup var instants: InstantOptions
    @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions

    func run() throws {
      let ledger = try database.reader()
      let products = try reporting { try ledger.products(instants.parameters) }
      var printer = format.printer(csv)
      printer.begin([
        "bundle_id", "product_id", "type", "name", "group", "level", "period", "price", "offers", "family_shareable",
        "entitlements",
      ])
      for product in products {
        let prices = (product.prices ?? []).map { price in
          let currencyOrStorefront = price.currency ?? price.storefront
          return Messages.amount(price.amount, currencyOrStorefront)
            + (price.billingPlanType.map { " \($0)" } ?? "")
        }
        printer.row([
          Value(product.bundleID), .text(product.id), Value(product.type?.rawValue),
          Value(product.displayName),
          Value(product.subscriptionGroupName ?? product.subscriptionGroupID), Value(product.serviceLevel),
          Value(product.period?.description), Value(prices.isEmpty ? nil : prices.joined(separator: "; ")),
          .integer(Int64(product.offers?.count ?? 0)), Value(product.isFamilyShareable),
          Value((product.entitlements ?? []).isEmpty ? nil : product.entitlements?.joined(separator: " ")),
        ])
      }
      printer.end()
      if products.isEmpty, format == .table {
        Terminal.note("The catalogue is empty. Import one with: subledger products import FILE")
      }
    }
  }

  struct Unknown: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the bought products that no catalogue names.")

    @OptionGroup var database: DatabaseOption
    @OptionGroup var instants: InstantOptions
    @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions

    func run() throws {
      let ledger = try database.reader()
      let products = try reporting { try ledger.unknownProducts(instants.parameters) }
      var printer = format.printer(csv)
      printer.begin([
        "bundle_id", "product_id", "environment", "type", "transactions", "first_purchase_at", "last_purchase_at",
      ])
      for product in products {
        printer.row([
          Value(product.bundleID), .text(product.id), .text(product.environment), Value(product.type),
          .integer(Int64(product.transactionCount)), .instant(product.firstPurchaseAt),
          .instant(product.lastPurchaseAt),
        ])
      }
      printer.end()
      if products.isEmpty, format == .table { Terminal.note("The catalogue names every product that was bought.") }
    }
  }
}

/// Finds the app of a catalogue if neither the file nor an option names one.
private enum CatalogueApp {
  /// Returns the only app that has a catalogue.
  /// - Throws: exit code 64 after a message, if there is no such app or there are several.
  static func only(_ ledger: LedgerReader, _ parameters: QueryParameters) throws -> String {
    let apps = try ledger.catalogueApps(parameters)
    guard apps.count == 1, let app = apps.first else { throw try unnamed(ledger) }
    return app
  }

  static func unnamed(_ ledger: LedgerReader) throws -> ExitCode {
    let apps = try reporting { try ledger.recentApps() }.sorted().prefix(5).map(Printable.text)
    let seen = apps.isEmpty ? "" : " The ledger has purchases of \(apps.joined(separator: ", "))."
    Terminal.complain("Nothing was imported, because the app of these products is not known.\(seen) Add --bundle-id.")
    return ExitCode(64)
  }
}

extension Product {
  /// The name that people see, in English if there is one.
  var displayName: String? {
    let named = (names ?? []).filter { !$0.displayName.isEmpty }
    return (named.first { $0.locale.hasPrefix("en") } ?? named.first)?.displayName ?? referenceName
  }
}
