import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// A folder of real payloads, named by SUBLEDGER_FIXTURES, goes in without a crash; and the laws hold over it.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] != nil))
struct FixtureTests {
  static let folder = ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] ?? ""

  func ledger(_ paths: [String], acceptsUnverified: Bool, in folder: TemporaryFolder) async throws -> (
    LedgerRecorder, ImportSummary
  ) {
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    let decoder = PayloadDecoder.permissive(acceptsUnverified: acceptsUnverified)
    var importer = Importer(ledger: ledger, decoder: decoder, now: day(300))
    let sources = paths.map { path in
      var bytes = FileManager.default.contents(atPath: path).map { [UInt8]($0) }
      return ImportSource(name: path) {
        defer { bytes = nil }
        return bytes
      }
    }
    return (ledger, try await importer.run(sources))
  }

  var paths: [String] {
    let names = FileManager.default.enumerator(atPath: Self.folder)?.compactMap { $0 as? String } ?? []
    return names.map { Self.folder + "/" + $0 }.filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  @Test(arguments: [false, true])
  func `everything goes in, twice and in any order, and the audit finds nothing`(acceptsUnverified: Bool) async throws {
    let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
    let (first, summary) = try await ledger(paths, acceptsUnverified: acceptsUnverified, in: one)
    let (second, _) = try await ledger(paths.reversed() + paths, acceptsUnverified: acceptsUnverified, in: two)
    #expect(summary.recorded + summary.duplicates + summary.quarantined == summary.payloads)
    #expect(summary.recorded > 0)
    #expect(try await first.reader.audit([.file, .signatures]) == [])
    for at in [day(0), day(-2000), day(-3000), day(1000)] {
      let parameters = QueryParameters(asOf: at, knownAt: day(1000))
      #expect(try first.reader.entitlements(parameters) == second.reader.entitlements(parameters))
    }
  }

  /// The files whose publishers edited a date in one of its keys. No other file contradicts itself.
  static let edited: Set = [
    "appvise_initial_buy_empty_strings", "appvise_latest_receipt_info_is_string", "itunesiap_legacy_nonrenewing_bad_ms",
    "django_storekit_mixed_numeric", "monza_cancelled", "swiftyrv_MissingDownloadID", "swiftyrv_SubscriptionExpired",
    "swiftyrv_ValidSubscription", "busuu_multiple",
  ]

  @Test func `every edited payload contradicts itself, and no other does`() async throws {
    let decoder = PayloadDecoder.permissive(acceptsUnverified: true)
    var found: Set<String> = []
    for path in paths {
      for outcome in await decoder.decode([UInt8](FileManager.default.contents(atPath: path) ?? Data())).outcomes {
        guard case .evidence(let evidence) = outcome, evidence.isContradictory else { continue }
        found.insert(URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent)
      }
    }
    #expect(found == Self.edited)
  }

  /// EXPECTED.md's column for the far future, where it names a state of a subscription.
  @Test func `states agree with what was read by hand`() async throws {
    let table = try String(contentsOfFile: Self.folder + "/EXPECTED.md", encoding: .utf8)
    var compared = 0
    for line in table.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count > 5, ["verify_receipt", "notifications_v1"].contains(cells[0]) else { continue }
      let later = cells[4]
      guard later.hasPrefix("expired") || later.hasPrefix("revoked"), !cells[3].contains("no transaction") else {
        continue
      }
      let temporary = try TemporaryFolder()
      let path = "\(Self.folder)/\(cells[0])/\(cells[1]).json"
      let (ledger, summary) = try await ledger([path], acceptsUnverified: false, in: temporary)
      let found = try ledger.reader.entitlements(QueryParameters(asOf: day(20_000), knownAt: day(20_000))).first {
        $0.originalTransactionID == cells[2]
      }
      // Ids that were blanked out are none.
      if cells[2] == "******" {
        #expect(found == nil && summary.withoutUsableTransaction == 1, "\(cells[1])")
        continue
      }
      // "expired*" means that a renewal may exist which the file does not show; where a file names no instant at all,
      // the rules cannot confirm either.
      let expected = later.hasPrefix("revoked") ? "revoked" : "expired"
      #expect(found?.state.rawValue == expected, "\(cells[1])")
      if later.hasPrefix("expired*") { #expect(found?.isConfirmed == false, "\(cells[1])") }
      if !later.hasPrefix("expired*"), cells[3].hasPrefix("expired") {
        // What was edited says so of itself, and confirms nothing alone.
        #expect(found?.isConfirmed == !Self.edited.contains(cells[1]), "\(cells[1])")
      }
      #expect(found?.isContradictory == Self.edited.contains(cells[1]), "\(cells[1])")
      compared += 1
    }
    #expect(compared > 25)
  }

  /// MANIFEST.md counts what each of Xcode's configurations holds.
  @Test func `every product configuration goes in with all that was counted in it`() throws {
    let manifest = try String(contentsOfFile: Self.folder + "/MANIFEST.md", encoding: .utf8)
    let folder = try TemporaryFolder()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    var count = 0
    for line in manifest.split(separator: "\n") where line.contains(".storekit |") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let path = "\(Self.folder)/storekit_config/\(cells[0])"
      let catalogue = try ProductCatalogue([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
      func counted(_ word: String) -> Int {
        let rest = cells[3].components(separatedBy: ", \(word) ").last ?? ""
        return Int(rest.prefix { $0.isNumber }) ?? 0
      }
      let products = catalogue.products
      let offers = products.flatMap { $0.offers ?? [] }
      #expect(products.count { $0.type == .autoRenewable } == counted("subs"), "\(cells[0])")
      #expect(products.count { $0.type == .nonRenewing } == counted("nonRenewing"), "\(cells[0])")
      #expect(products.count { $0.isFamilyShareable == true } == counted("familyShareable"), "\(cells[0])")
      #expect(Set(products.compactMap(\.subscriptionGroupID)).count == counted("groups"), "\(cells[0])")
      let intro = cells[3].components(separatedBy: "intro [").last?.prefix { $0 != "]" }.split(separator: ",") ?? []
      #expect(offers.count { $0.type == 1 } == intro.count, "\(cells[0])")
      #expect(offers.count { $0.type == 2 } == counted("adHoc(promo)"), "\(cells[0])")
      #expect(offers.count { $0.type == 3 } == counted("codeOffers"), "\(cells[0])")
      #expect(offers.count { $0.type == 4 } == counted("winback"), "\(cells[0])")
      let first = try ledger.record(catalogue, bundleID: "b", origin: path, now: day(Double(count)))
      let again = try ledger.record(catalogue, bundleID: "b", origin: path, now: day(Double(count) + 0.5))
      #expect(first.products == products.count && again.added == 0 && again.changed == 0, "\(cells[0])")
      count += 1
    }
    #expect(count == 9)
  }
}
