import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import LedgerServer

/// Connections: nobody locks others out by opening many.
@Suite struct ConnectionTableTests {
  /// Connections that note which of them were closed.
  private final class Connections {
    let table: ConnectionTable
    private var ids: [String: Id] = [:]
    private final class Id {}
    private final class Names: Sendable { let all = Mutex<[String]>([]) }
    private let closed = Names()

    init(all: Int, ofAddress: Int, proxies: [String] = []) {
      table = ConnectionTable(
        limit: (all: all, ofAddress: ofAddress), proxies: Set(proxies.compactMap(NetworkAddress.init)))
    }

    func open(_ name: String, from address: String) {
      let id = Id()
      ids[name] = id
      table.open(ObjectIdentifier(id), from: NetworkAddress(address)) { [closed] in
        closed.all.withLock { $0.append(name) }
      }
    }

    func note(_ name: String, _ phase: ConnectionTable.Phase) { table.note(ObjectIdentifier(ids[name]!), phase) }
    func close(_ name: String) { table.close(ObjectIdentifier(ids[name]!)) }
    var closedNames: [String] { closed.all.withLock { $0 } }
  }

  @Test func `beyond the limit of an address its own connections give way, idle ones first, then slow ones`() {
    let connections = Connections(all: 100, ofAddress: 3)
    for name in ["slow", "idle", "busy"] { connections.open(name, from: "10.0.0.1") }
    connections.note("slow", .receiving)
    connections.note("busy", .answering)
    connections.open("other", from: "10.0.0.2")
    connections.open("new", from: "10.0.0.1")
    #expect(connections.closedNames == ["idle"])
    connections.note("new", .answering)
    connections.open("newer", from: "10.0.0.1")
    #expect(connections.closedNames == ["idle", "slow"])
    connections.note("newer", .answering)
    // What is answered is never cut off.
    connections.open("last", from: "10.0.0.1")
    #expect(connections.closedNames == ["idle", "slow", "last"])
    #expect(connections.table.count == 4)
  }

  @Test func `beyond the limit of all, the address with the most connections gives way`() {
    let connections = Connections(all: 4, ofAddress: 10)
    connections.open("genuine", from: "10.0.0.9")
    for number in 0..<3 { connections.open("many-\(number)", from: "10.0.0.1") }
    connections.open("new", from: "10.0.0.8")
    #expect(connections.closedNames == ["many-0"])
    for name in ["many-1", "many-2"] { connections.note(name, .receiving) }
    // An idle one goes before one that receives.
    connections.open("newer", from: "10.0.0.7")
    #expect(connections.closedNames == ["many-0", "genuine"])
    connections.close("many-1")
    connections.open("last", from: "10.0.0.6")
    #expect(connections.closedNames == ["many-0", "genuine"])
  }

  @Test func `a trusted proxy may have many connections`() {
    let connections = Connections(all: 10, ofAddress: 2, proxies: ["10.0.0.1", "::1"])
    for number in 0..<5 { connections.open("proxy-\(number)", from: "10.0.0.1") }
    for number in 0..<3 { connections.open("v6-\(number)", from: "::1") }
    #expect(connections.closedNames == [])
    for number in 0..<3 { connections.open("other-\(number)", from: "10.0.0.2") }
    #expect(connections.closedNames == ["other-0"])
  }

  @Test(arguments: RandomChoice.seeds)
  func `there are never more connections than the limits, and no busy one is closed for another`(seed: UInt64) {
    let connections = Connections(all: 20, ofAddress: 8)
    var random = SplitMix(seed: seed)
    var (open, busy, seen) = ([String](), Set<String>(), 0)
    for number in 0..<1000 {
      if let name = open.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
        let phase: ConnectionTable.Phase = [.idle, .receiving, .answering].randomElement(using: &random)!
        connections.note(name, phase)
        if phase == .answering { busy.insert(name) } else { busy.remove(name) }
        continue
      }
      if let name = open.randomElement(using: &random), Int.random(in: 0..<4, using: &random) == 0 {
        connections.close(name)
        open.removeAll { $0 == name }
        busy.remove(name)
        continue
      }
      connections.open("\(number)", from: "10.0.0.\(Int.random(in: 0..<5, using: &random))")
      open.append("\(number)")
      let closed = connections.closedNames.dropFirst(seen)
      seen += closed.count
      #expect(closed.allSatisfy { !busy.contains($0) }, "seed \(seed)")
      open.removeAll { closed.contains($0) }
      #expect(connections.table.count == open.count && open.count <= 20, "seed \(seed)")
    }
    #expect(seen > 0, "seed \(seed): canary")
  }

  @Test func `an IPv6 household is one sender, and an IPv4 sender is one on both kinds of socket`() {
    #expect(NetworkAddress("2001:db8:1:2::1") == NetworkAddress("2001:db8:1:2:ffff::9"))
    #expect(NetworkAddress("2001:db8:1:2::1") != NetworkAddress("2001:db8:1:3::1"))
    #expect(NetworkAddress("::ffff:10.0.0.1") == NetworkAddress("10.0.0.1"))
    for wrong in ["", "localhost", "10.0.0", "10.0.0.1:80", "unknown"] { #expect(NetworkAddress(wrong) == nil) }
  }

  @Test func `only what trusted proxies say about a sender is believed`() {
    let proxies = Set(["10.0.0.1", "10.0.0.2"].compactMap(NetworkAddress.init))
    let cases: [(field: String?, sender: String?)] = [
      ("1.2.3.4", "1.2.3.4"), ("9.9.9.9, 1.2.3.4", "1.2.3.4"), ("9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
      ("9.9.9.9,unknown", nil), ("10.0.0.2", nil), ("", nil), (nil, nil),
    ]
    for (field, sender) in cases {
      let found = NetworkAddress.forwarded(field, through: proxies)
      #expect(found == sender.flatMap(NetworkAddress.init), "\(field ?? "none")")
    }
  }
}
