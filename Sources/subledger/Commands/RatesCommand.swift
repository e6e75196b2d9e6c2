import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

struct RatesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates", abstract: "Import exchange rates for reports that convert money.", subcommands: [Import.self])

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import exchange rates.",
      discussion: """
        A file is CSV with the header date,currency,into,rate. A rate is the worth of one unit of a currency in \
        another currency. It counts from its day (2026-03-01, UTC) until the day of the next rate.

        The command imports a whole file or nothing. A later import of a day replaces the rate of that day. The \
        earlier rate stays on record.
        """)

    @Argument(help: ArgumentHelp("A CSV file.", valueName: "file")) var file: String
    @OptionGroup var database: DatabaseOption

    func run() async throws {
      guard let data = FileManager.default.contents(atPath: file) else {
        Terminal.complain("Cannot read \(file). Nothing was imported. Check the path.")
        throw ExitCode(66)
      }
      let rates: [ExchangeRate]
      do throws(ExchangeRateError) {
        rates = try ExchangeRate.table([UInt8](data))
      } catch {
        Terminal.complain("\(file), line \(error.line): \(error.words). Nothing was imported. Correct the line.")
        throw ExitCode(65)
      }
      let count = try database.recording { try $0.record(rates, origin: file, now: .now) }
      Terminal.print("\(Printable.text(file)): \(Messages.count(rates.count, "rate")), \(count) new or changed.")
    }
  }
}
