import AppStore
import ArgumentParser
import Foundation
import Ledger
import LedgerPresentation
import ProgramSupport

struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Read and verify the receipt of a device. Apple is not asked.",
    discussion: """
      The file is an app receipt, or a transaction receipt of iOS 6 and earlier: the file itself, Base 64 of it, or an \
      object {"receipt-data": …}. The command needs no ledger, and records nothing.

      It prints one JSON object. verified is true if Apple signed the receipt. Otherwise reason has a stable code, and \
      nobody vouches for the content of receipt. receipt has the names of verifyReceipt; dates are milliseconds since \
      1970.

      Exit codes: 0: verified. 1: refused. 66: the file cannot be read.
      """)

  @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
  var path: String

  @Option(help: ArgumentHelp("Also trust this root certificate, in DER or PEM (repeatable).", valueName: "file"))
  var trust: [String] = []

  @Option(help: ArgumentHelp("Refuse the receipt of another app (repeatable).", valueName: "id"))
  var bundleID: [String] = []

  @Flag(
    name: .customLong("transaction-id"),
    help: "Print only the id of the latest transaction, to ask the App Store Server API with.")
  var printsTransactionID = false

  func run() async throws {
    let decoder = PayloadDecoder(trust: try TrustFiles.store(trust), bundleIDs: Set(bundleID), now: .now)
    let check = await decoder.check(receipt: try contents())
    if printsTransactionID {
      try printTransactionID(check)
    } else {
      let members = JSONText.members([
        "verified": .flag(check.isVerified), "reason": Value(check.refusal?.reason.rawValue),
        "detail": Value(check.refusal.map { $0.detail + ". " + $0.advice }), "kind": Value(check.kind?.rawValue),
        "environment": Value(check.kind.map { _ in check.environment.name }), "root": Value(check.root?.name),
        "transaction_id": Value(check.transactionID),
      ])
      let receipt = check.receipt.map { String(decoding: $0, as: UTF8.self) } ?? "null"
      Terminal.print(JSONText.nested(members + [("receipt", receipt)]))
    }
    if !check.isVerified { throw ExitCode(1) }
  }

  private func printTransactionID(_ check: ReceiptCheck) throws {
    if let id = check.transactionID { Terminal.print(Printable.text(id)) }
    if let refusal = check.refusal {
      Terminal.complain("The receipt is not verified: \(Printable.text(refusal.detail)). \(refusal.advice)")
    } else if check.transactionID == nil {
      Terminal.complain("The receipt contains no purchase, and so no id. Ask Apple with an order id.")
      throw ExitCode(1)
    }
  }

  private func contents() throws -> [UInt8] {
    let bytes =
      path == "-" ? try? FileHandle.standardInput.readToEnd() ?? Data() : FileManager.default.contents(atPath: path)
    guard let bytes else { throw InputError("Cannot read the receipt \(path). Check the path and its permissions.") }
    return [UInt8](bytes)
  }
}
