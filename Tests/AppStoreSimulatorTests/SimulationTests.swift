import AppStore
import Foundation
import AppStoreSimulator
import TestSupport
import Testing

/// A world is the same each time it is made, and refuses what makes no sense.
@Suite struct SimulationTests {
  /// All that is said in a world, without what differs from run to run: signatures and certificates.
  static func stated(
    _ simulation: Simulation, _ formats: [Format], _ delivery: Delivery = Delivery(), stampLimit: Int = 1 << 19
  ) throws -> [String] {
    // An authority of its own: what is said does not depend on it.
    let authority = try CertificateAuthority()
    var stream = MessageStream(simulation: simulation, formats: formats, delivery: delivery, signer: authority.signer)
    stream.stampLimit = stampLimit
    var stated: [String] = []
    try stream.send { message in
      let unsigned = message.payload.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).map {
        part in
        let parts = part.starts(with: "eyJ".utf8) ? part.split(separator: UInt8(ascii: ".")) : []
        return parts.count == 3 ? parts[1] : part
      }
      let text = Array(unsigned.joined(separator: [UInt8(ascii: "\"")]))
      stated.append("\(message.receivedAt) \(String(decoding: text, as: UTF8.self))")
    }
    return stated
  }

  /// What is said to be the same, where texts inside are signed too and their signatures with them.
  static let wholeFormats: [Format] = [.notificationV1, .receipt, .receiptIOS6, .clientEvents, .transactionInfo]

  // A signed text that is torn shows its certificates, which are new each time.
  @Test(arguments: [
    ("in-order", [Format.transactionInfo, .clientEvents]), ("shuffled,late=0.2,repeated=0.2,lost=0.1", wholeFormats),
    ("late,torn=0.5", [.receipt, .notificationV1]),
  ])
  func `the same seed makes the same messages in the same order, another seed others`(
    delivery: String, formats: [Format]
  ) throws {
    let simulation = try AgreementTests.simulation(.realTime, customers: SampleSize.pick(8, full: 20))
    let first = try Self.stated(simulation, formats, Delivery(delivery))
    #expect(try Self.stated(simulation, formats, Delivery(delivery)) == first)
    // However little is kept in memory.
    #expect(try Self.stated(simulation, formats, Delivery(delivery), stampLimit: 50) == first)
    let other = try Simulation(
      catalog: simulation.catalog, seed: 99, customers: simulation.customers, from: simulation.from, to: simulation.to)
    #expect(Set(try Self.stated(other, formats, Delivery(delivery))).isDisjoint(with: first))
  }

  @Test func `more customers leave the lives of the first as they were`() throws {
    let few = try Set(Self.stated(AgreementTests.simulation(.realTime, customers: 5), [.receipt]))
    let many = try Set(
      Self.stated(AgreementTests.simulation(.realTime, customers: SampleSize.pick(12, full: 30)), [.receipt]))
    #expect(few.isSubset(of: many) && few.count < many.count)
  }

  @Test func `in order, everything arrives in the order of its instants; shuffled, in none`() throws {
    let simulation = try AgreementTests.simulation(.realTime, customers: SampleSize.pick(10, full: 20))
    func instants(_ delivery: String) throws -> [Substring] {
      try Self.stated(simulation, [.receipt], Delivery(delivery)).map { $0.prefix(24) }
    }
    let inOrder = try instants("in-order")
    #expect(inOrder == inOrder.sorted())
    let shuffled = try instants("shuffled")
    #expect(shuffled != inOrder && shuffled.sorted() == inOrder)
  }

  @Test func `faults take the shares that they are given`() throws {
    // An event of the app is the shortest message.
    let (customers, format) = SampleSize.pick((200, Format.clientEvents), full: (120, .notificationV1))
    let simulation = try AgreementTests.simulation(.realTime, customers: customers)
    let signer = try Portfolio.authority.get().signer
    func count(_ delivery: String) throws -> Int {
      var count = 0
      let stream = MessageStream(
        simulation: simulation, formats: [format], delivery: try Delivery(delivery), signer: signer)
      try stream.send { _ in count += 1 }
      return count
    }
    let all = Double(try count("in-order"))
    #expect(all > 1000)
    #expect((0.75...0.85).contains(Double(try count("lost=0.2")) / all))
    #expect((1.15...1.25).contains(Double(try count("repeated=0.2")) / all))
    #expect(try count("lost=1") == 0)
  }

  @Test func `ids belong to one customer of one seed, and look like Apple's`() throws {
    var owners: [String: String] = [:]
    for seed in [1, 2] as [UInt64] {
      let simulation = try Simulation(
        catalog: .builtIn(), seed: seed, customers: SampleSize.pick(20, full: 40), from: day(0), to: day(500))
      let story = try Story(simulation)
      for stated in story.stated {
        let transaction = stated.transaction
        guard let subscription = transaction.text("originalTransactionId"), let id = transaction.text("transactionId")
        else {
          continue
        }
        #expect((15...16).contains(id.count))
        for (kind, id) in [
          ("t", id), ("w", transaction.text("webOrderLineItemId")), ("a", transaction.text("appTransactionId")),
        ] {
          guard let id else { continue }
          // An account has several lines; a transaction and an order item have one.
          let owner = kind == "a" ? "seed \(seed)" : "seed \(seed) \(subscription)"
          #expect(owners.updateValue(owner, forKey: kind + id).map { $0 == owner } ?? true)
        }
      }
      let uuids = story.stated.compactMap { $0.json.text("notificationUUID") }
      #expect(Set(uuids).count == uuids.count)
    }
    #expect(owners.count > 500)
  }

  @Test func `prices are in the storefront's currency, and a free trial is 0`() throws {
    let simulation = try AgreementTests.simulation(.realTime, customers: SampleSize.pick(50, full: 100))
    let transactions = try Story(simulation).stated.map(\.transaction).filter { $0["price"] != nil }
    let currencies = ["USA": "USD", "JPN": "JPY", "DEU": "EUR", "GBR": "GBP"]
    for transaction in transactions {
      if let expected = currencies[transaction.text("storefront") ?? ""] {
        #expect(transaction.text("currency") == expected)
      }
      if transaction.text("currency") == "JPY" { #expect((transaction.number("price") ?? 1) % 10_000 == 0) }
      if transaction.text("offerDiscountType") == "FREE_TRIAL" { #expect(transaction.number("price") == 0) }
    }
    #expect(Set(transactions.compactMap { $0.text("currency") }).count > 4)
  }

  @Test func `what no world can be made of is refused in words`() throws {
    func refusal(
      customers: Int = 1, from: Instant = day(0), to: Instant = day(1), graceDays: Int64 = 16
    ) throws -> String {
      do {
        _ = try Simulation(
          catalog: .builtIn(), seed: 1, customers: customers, from: from, to: to, graceDays: graceDays)
        return "none"
      } catch let refusal as SimulationError { return refusal.message }
    }
    #expect(try refusal() == "none")
    #expect(try refusal(customers: 0).contains("1 to 1000000 customers"))
    #expect(try refusal(customers: 1_000_001).contains("1 to 1000000 customers"))
    #expect(try refusal(to: day(-1)).contains("before it begins"))
    #expect(try refusal(to: day(0)).contains("before it begins"))
    #expect(try refusal(to: day(365 * 22)).contains("20 years at most"))
    #expect(try refusal(graceDays: 7).contains("0, 3, 16 or 28"))
  }

  @Test func `a catalogue without subscriptions, or with one that never ends, is refused`() throws {
    for (text, words) in [
      ("[{\"product_id\": \"coins\", \"type\": \"Consumable\"}]", "no auto-renewable subscription"),
      ("[{\"product_id\": \"pro\", \"type\": \"Auto-Renewable Subscription\", \"group\": \"g\"}]", "has no period"),
    ] {
      let catalogue = try ProductCatalogue(Array(text.utf8))
      let refusal = #expect(throws: CatalogError.self) { try Catalog(catalogue, bundleID: "b") }
      #expect(refusal?.message.contains(words) == true)
    }
  }

  @Test func `ways of delivery are read, and slips refused`() throws {
    #expect(try Delivery("in-order") == Delivery())
    let delivery = try Delivery("shuffled,late=0.5,lost")
    #expect(delivery.isShuffled && delivery.late == 0.5 && delivery.lost == 0.05 && delivery.torn == 0)
    for slip in ["lots=0.1", "late=2", "late=-1", "late=x", "shuffled=0.5"] {
      #expect(throws: DeliveryError.self, "\(slip)") { try Delivery(slip) }
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] != nil, "SUBLEDGER_FIXTURES names none"))
  func `every StoreKit configuration that sells subscriptions makes a world`() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"]) + "/storekit_config"
    var sold = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let text = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      guard let catalog = try? Catalog(ProductCatalogue([UInt8](text)), bundleID: "com.example.app") else {
        #expect(name.contains("empty"))
        continue
      }
      let simulation = try Simulation(catalog: catalog, seed: 1, customers: 12, from: day(0), to: day(300))
      #expect(try Story(simulation, [.receipt]).stated.count > 12, "\(name)")
      sold += 1
    }
    #expect(sold == 8)
  }
}
