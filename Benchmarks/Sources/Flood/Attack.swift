import ArgumentParser
import Foundation
import Synchronization

/// Everything that senders without a token can send to a server, at the same time, from a few addresses.
final class Attack: Sendable {
  /// What a sender does.
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case forgeries, pages
    case longBodies = "long-bodies"
    case unfinishedBodies = "unfinished-bodies"
    case silentConnections = "silent-connections"
  }

  private let port: Int
  private let genuine: [UInt8]
  private let isOver = Atomic(false)
  private let counts = Mutex<[String: Int]>([:])
  private let threads = DispatchGroup()

  /// Creates an attack on a port.
  /// - Parameter genuine: a notification that Apple signed, for forgeries of it.
  init(port: Int, genuine: [UInt8]) { (self.port, self.genuine) = (port, genuine) }

  /// Begins these kinds of attack.
  func begin(_ kinds: [Kind]) {
    for kind in kinds {
      switch kind {
      case .forgeries: for number in 0..<4 { start { $0.forge(number) } }
      case .pages: start { $0.sendPages() }
      case .longBodies: start { $0.sendLongBodies() }
      case .unfinishedBodies: start { $0.beginBodies() }
      case .silentConnections: start { $0.connect() }
      }
    }
  }

  /// Ends all of them.
  /// - Returns: how often each was tried.
  func end() -> [String: Int] {
    isOver.store(true, ordering: .relaxed)
    threads.wait()
    return counts.withLock { $0 }
  }

  private func start(_ body: @escaping @Sendable (Attack) -> Void) {
    threads.enter()
    Thread.detachNewThread {
      body(self)
      self.threads.leave()
    }
  }

  private func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

  /// Posts bodies one after the other, by connections that are kept while they last.
  private func post(_ name: String, _ path: String, from sender: String, _ body: (Int) -> [UInt8]) {
    var connection: RawConnection?
    var number = 0
    while !isOver.load(ordering: .relaxed) {
      connection = connection ?? RawConnection(to: port, from: sender)
      if connection?.post(path, body(number)) == nil {
        connection = nil
        Thread.sleep(forTimeInterval: 0.01)
      }
      number += 1
      count(name)
    }
  }

  /// Genuine notifications with another signature, each another one.
  private func forge(_ thread: Int) {
    let text = String(decoding: genuine.dropLast(12), as: UTF8.self)
    post("forgeries", "/apple/v2", from: "127.0.0.2") { number in
      let tail = String(0x1000_0000 + number * 4 + thread, radix: 16)
      return Array("{\"signedPayload\":\"\(text)AAAA\(tail)\"}".utf8)
    }
  }

  /// Pages of sixty thousand false notifications, and smaller ones.
  private func sendPages() {
    let pages = [60_000, 9_000].map { count in
      let list = Array(repeating: "{\"signedPayload\":\"eyJ.a.b\"}", count: count).joined(separator: ",")
      return Array("{\"notificationHistory\":[\(list)]}".utf8)
    }
    post("pages", "/apple/v2", from: "127.0.0.3") { pages[$0 % 2] }
  }

  /// V1 bodies of 4 MiB.
  private func sendLongBodies() {
    let text = String(repeating: "a", count: 4 << 20)
    let body = Array("{\"notification_type\":\"DID_RENEW\",\"password\":\"\(text)\"}".utf8)
    post("bodies of 4 MiB", "/apple/v1", from: "127.0.0.4") { _ in body }
  }

  /// Bodies that never end, by up to 300 connections.
  private func beginBodies() {
    let part = RawConnection.head("/apple/v1", 2 << 20) + [UInt8](repeating: UInt8(ascii: " "), count: 1_900_000)
    var open: [RawConnection] = []
    while !isOver.load(ordering: .relaxed) {
      guard let connection = RawConnection(to: port, from: "127.0.0.5", patience: 1) else { continue }
      connection.send(part)
      open.append(connection)
      if open.count > 300 { open.removeFirst() }
      count("unfinished bodies")
    }
  }

  /// Connections that send nothing, up to a thousand, from several addresses.
  private func connect() {
    var open: [RawConnection] = []
    while !isOver.load(ordering: .relaxed) {
      let sender = "127.0.0.\(6 + open.count % 8)"
      if let connection = RawConnection(to: port, from: sender, patience: 1) { open.append(connection) }
      if open.count > 1000 { open.removeFirst(500) }
      count("silent connections")
      Thread.sleep(forTimeInterval: 0.002)
    }
  }
}
