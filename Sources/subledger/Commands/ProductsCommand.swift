import AppStore
import ArgumentParser
import Foundation
import Ledger

/// `subledger products`
struct ProductsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products", abstract: "The catalogue: what is sold, and what it grants.",
    subcommands: [Import.self, Entitle.self, List.self, Unknown.self])

  /// `subledger products import`
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take in products, or what is new of them.",
      discussion: """
        A file is Xcode's .storekit configuration (schema 1 to 5), a JSON list [{"product_id": …}, …], or CSV with a \
        header: product_id, bundle_id, type, name, reference_name, group, group_name, level, period (P1M), price, currency, \
        storefront, family_shareable, entitlements (parted by ;). In JSON also names, prices and offers. What a file does \
        not say of a product stays as it was; a file is taken whole or not at all. Products belong to an app: what another app \
        sold under the same id grants nothing.
        """)

    @Argument(help: ArgumentHelp("Catalogue files.", valueName: "file")) var files: [String]

    @Option(help: ArgumentHelp("The app that sells them, where a file does not say.", valueName: "id"))
    var bundleID: String?

    @OptionGroup var database: DatabaseOption

    func run() async throws {
      // All are read before any is recorded.
      let catalogues = try files.map { path -> (String, ProductCatalogue) in
        guard let data = FileManager.default.contents(atPath: path) else {
          Terminal.complain("\(Terminal.printable(path)): no such file, or it cannot be read. Nothing was imported.")
          throw ExitCode(66)
        }
        do throws(CatalogueError) {
          return (path, try ProductCatalogue([UInt8](data)))
        } catch {
          Terminal.complain(
            "\(Terminal.printable(path)): refused (\(error.code.rawValue)): \(Terminal.printable(error.detail)), "
              + "at \(Terminal.printable(error.path)). \(error.advice)")
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
          "\(Terminal.printable(path)): \(Messages.count(done.products, "product")), \(done.added) new, "
            + "\(done.changed) changed; \(Messages.count(done.entitlementChanges, "entitlement")) given or taken.")
      }
      ledger.close()
    }
  }

  /// `subledger products entitle`
  struct Entitle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let products grant an entitlement of your own naming.")

    @Argument(help: "The entitlement, such as pro.") var entitlement: String

    @Option(parsing: .upToNextOption, help: ArgumentHelp("The products that grant it.", valueName: "id"))
    var product: [String]

    @Option(help: ArgumentHelp("The app that sells them (default: the only one with a catalogue).", valueName: "id"))
    var bundleID: String?

    @Flag(help: "These products grant it no longer.") var withdraw = false
    @OptionGroup var database: DatabaseOption

    func validate() throws {
      if product.isEmpty { throw ValidationError("Name at least one --product.") }
    }

    func run() async throws {
      let now = Instant.now
      let (count, known) = try database.recording { ledger in
        let question = Question(asOf: now, knownAt: now)
        let known = try ledger.reader.productIDs(question)
        let app = try bundleID ?? CatalogueApp.only(ledger.reader, question)
        return (try ledger.entitle(entitlement, products: product, of: app, isGranted: !withdraw, now: now), known)
      }
      let verb = (withdraw ? "no longer " : "") + (product.count == 1 ? "grants" : "grant")
      Terminal.print(
        "\(Messages.count(product.count, "product")) \(verb) \(Terminal.printable(entitlement)): \(count) changed.")
      for id in product where !known.contains(id) && !withdraw {
        Terminal.note("No catalogue names \(Terminal.printable(id)): is the id right? It counts all the same.")
      }
    }
  }

  /// `subledger products list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The catalogue, with what each product grants.")

    @OptionGroup var database: DatabaseOption
    @OptionGroup var instants: QuestionOptions
    @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions

    func run() async throws {
      let ledger = try database.reader()
      let products = try reporting { try ledger.products(instants.question) }
      var printer = format.printer(csv)
      printer.begin([
        "bundle_id", "product_id", "type", "name", "group", "level", "period", "price", "offers", "family_shareable",
        "entitlements",
      ])
      for product in products {
        let prices = (product.prices ?? []).map { price in
          let place = price.currency ?? price.storefront
          return Messages.amount(price.milliunits, place) + (price.billingPlanType.map { " \($0)" } ?? "")
        }
        printer.row([
          .optional(product.bundleID), .text(product.id), .optional(product.type?.rawValue),
          .optional(product.displayName),
          .optional(product.subscriptionGroupName ?? product.subscriptionGroupID), .optional(product.serviceLevel),
          .optional(product.period?.description), .optional(prices.isEmpty ? nil : prices.joined(separator: "; ")),
          .integer(Int64(product.offers?.count ?? 0)), product.isFamilyShareable.map(Value.flag) ?? .null,
          .optional((product.entitlements ?? []).isEmpty ? nil : product.entitlements?.joined(separator: " ")),
        ])
      }
      printer.end()
      if products.isEmpty, format == .table {
        Terminal.note("The catalogue is empty: subledger products import FILE.")
      }
    }
  }

  /// `subledger products unknown`
  struct Unknown: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Products that were bought and that no catalogue names.")

    @OptionGroup var database: DatabaseOption
    @OptionGroup var instants: QuestionOptions
    @Option(help: "table, json, ndjson or csv.") var format = OutputFormat.table
    @OptionGroup var csv: CSVOptions

    func run() async throws {
      let ledger = try database.reader()
      let products = try reporting { try ledger.unknownProducts(instants.question) }
      var printer = format.printer(csv)
      printer.begin([
        "bundle_id", "product_id", "environment", "type", "transactions", "first_purchase_at", "last_purchase_at",
      ])
      for product in products {
        printer.row([
          .optional(product.bundleID), .text(product.id), .text(product.environment), .optional(product.type),
          .integer(Int64(product.transactionCount)), .instant(product.firstPurchaseAt),
          .instant(product.lastPurchaseAt),
        ])
      }
      printer.end()
      if products.isEmpty, format == .table { Terminal.note("The catalogue names every product that was bought.") }
    }
  }
}

/// Which app a catalogue belongs to, where nobody says.
private enum CatalogueApp {
  /// The only app that has a catalogue.
  static func only(_ ledger: LedgerReader, _ question: Question) throws -> String {
    let apps = try ledger.catalogueApps(question)
    guard apps.count == 1, let app = apps.first else { throw try unnamed(ledger) }
    return app
  }

  static func unnamed(_ ledger: LedgerReader) throws -> ExitCode {
    let apps = try reporting { try ledger.recentApps() }.sorted().prefix(5).map(Terminal.printable)
    let seen = apps.isEmpty ? "" : " The ledger has purchases of \(apps.joined(separator: ", "))."
    Terminal.complain("Which app sells these products? Say --bundle-id.\(seen) Nothing was imported.")
    return ExitCode(64)
  }
}

extension Product {
  /// A name for people, English where there is one.
  var displayName: String? {
    let named = (names ?? []).filter { !$0.displayName.isEmpty }
    return (named.first { $0.locale.hasPrefix("en") } ?? named.first)?.displayName ?? referenceName
  }
}
