import AppStore
import ArgumentParser
import Foundation
import Ledger

/// `subledger rates`
struct RatesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates", abstract: "Exchange rates, for reports that convert money.", subcommands: [Import.self])

  /// `subledger rates import`
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take in exchange rates.",
      discussion: """
        A file is CSV with the header date,currency,into,rate: what one unit of a currency is worth in another from that day \
        (2026-03-01, UTC) on, until the next that is given. A file is taken whole or not at all; what it says again of a \
        day takes the place of what was said before, and earlier words stay on record.
        """)

    @Argument(help: ArgumentHelp("A CSV file.", valueName: "file")) var file: String
    @OptionGroup var database: DatabaseOption

    func run() async throws {
      guard let data = FileManager.default.contents(atPath: file) else {
        Terminal.complain("\(file): no such file, or it cannot be read. Nothing was imported.")
        throw ExitCode(66)
      }
      let rates: [ExchangeRate]
      do throws(ExchangeRateError) {
        rates = try ExchangeRate.table([UInt8](data))
      } catch {
        Terminal.complain("\(file), line \(error.line): \(error.words). Nothing was imported.")
        throw ExitCode(65)
      }
      let count = try database.recording { try $0.record(rates, origin: file, now: .now) }
      Terminal.print("\(Terminal.printable(file)): \(Messages.count(rates.count, "rate")), \(count) new or changed.")
    }
  }
}
