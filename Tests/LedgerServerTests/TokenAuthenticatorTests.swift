import AppStore
import Foundation
import Ledger
import LedgerService
import TestSupport
import Testing

@testable import LedgerServer

/// Who may ask what, and how often.
@Suite(.takesTurns) struct TokenAuthenticatorTests {
  @Test func `nothing but health and Apple's paths answers without a token, and each path needs its scope`()
    async throws
  {
    let bench = try await ServerBench()
    let api = try await Self.endpoints()
    for endpoint in api {
      let path = endpoint.path.replacing(#/\{\w+\}/#, with: "x")
      let method = endpoint.method.rawValue
      let without = try await bench.client.send(path, method, method == "GET" ? nil : "{}")
      #expect(without.status == 401 && without.headers["www-authenticate"] == "Bearer", "\(endpoint.operation)")
      guard !endpoint.scopes.isEmpty else { continue }
      let others = Set(APIToken.Scope.allCases).subtracting(endpoint.scopes)
      let wrong = try await bench.client(others).send(path, method, method == "GET" ? nil : "{}")
      #expect(wrong.status == 403, "\(endpoint.operation)")
      for scope in endpoint.scopes {
        let right = try await bench.client([scope]).send(path, method, method == "GET" ? nil : "{}")
        #expect(![401, 403, 405, 500].contains(right.status), "\(endpoint.operation): \(right.body)")
      }
    }
    #expect(try await bench.client.send("/healthz").status == 200)
    try await bench.stop()
  }

  /// The endpoints of a server.
  static func endpoints() async throws -> [Endpoint] {
    let folder = try TemporaryFolder()
    try EmptyLedger.make(in: folder).close()
    let ledger = try LedgerRecorder(path: folder.file("l.sqlite"))
    defer { ledger.close() }
    return try LedgerServer(ledger, .init(port: 0, decoder: .permissive()), log: ServerBench.log) { day(0) }
      .api.endpoints
  }

  @Test func `a revocation counts from the next request on`() async throws {
    let bench = try await ServerBench()
    let client = try bench.client([.ask])
    #expect(try await client.send("/v1/checks").status == 405)
    #expect(try await client.send("/v1/customers/a/entitlements").status == 200)
    let recorder = try LedgerRecorder(path: bench.reader.path)
    let id = try #require(client.token.flatMap { TokenText($0) }).id
    try recorder.revokeToken(id, CustomerFixture.staffAction(1))
    recorder.close()
    #expect(try await client.send("/v1/customers/a/entitlements").status == 401)
    let ended = try bench.client([.ask], expiresAt: day(100))
    #expect(try await ended.send("/v1/customers/a/entitlements").status == 401)
    try await bench.stop()
  }

  @Test func `a token in a URL is refused, also a valid one`() async throws {
    let bench = try await ServerBench()
    let client = try bench.client([.ask, .support])
    let token = try #require(client.token)
    let encoded = "%73" + token.dropFirst()
    for path in [
      "/v1/changes?token=x", "/v1/changes?after=\(token)", "/v1/customers/\(token)/entitlements",
      "/v1/customers/\(encoded)/entitlements", "/v1/customers/\(encoded)?reason=a", "/v1/changes?%74oken=x",
    ] {
      let answer = try await client.send(path)
      #expect(try answer.status == 400 && answer.json["code"] as? String == "token_in_url", "\(path)")
    }
    #expect(try bench.column("SELECT COUNT(*) FROM access_log_entry WHERE customer LIKE 'sl_%'") == ["0"])
    try await bench.stop()
  }

  @Test func `a token that asks too often waits, and others do not`() async throws {
    let bench = try await ServerBench()
    let (busy, calm) = (try bench.client([.ask], rate: 1), try bench.client([.ask], rate: 1))
    // Twice the rate may come at once.
    for status in [200, 200, 429] {
      #expect(try await busy.send("/v1/customers/a/entitlements").status == status)
    }
    let refused = try await busy.send("/v1/customers/a/entitlements")
    #expect(refused.headers["retry-after"] == "1" && refused.headers["ratelimit"] != nil, "\(refused)")
    #expect(try await calm.send("/v1/customers/a/entitlements").status == 200)
    bench.clock.advance(by: .seconds(1))
    for status in [200, 429] { #expect(try await busy.send("/v1/customers/a/entitlements").status == status) }
    try await bench.stop()
  }

  @Test func `an address that guesses tokens waits, and neither a valid token nor Apple does`() async throws {
    let bench = try await ServerBench()
    let right = try bench.client([.ask])
    let wrong = Client(port: bench.client.port, token: "sl_aaaaaaaa_" + String(repeating: "a", count: 43))
    for _ in 0..<10 { #expect(try await wrong.send("/v1/changes").status == 401) }
    let refused = try await wrong.send("/v1/changes")
    #expect(try refused.status == 429 && refused.json["code"] as? String == "too_many_wrong_tokens")
    bench.clock.advance(by: .seconds(59))
    #expect(try await wrong.send("/v1/changes").status == 429)
    bench.clock.advance(by: .seconds(1))
    #expect(try await wrong.send("/v1/changes").status == 401)
    #expect(try await right.send("/v1/customers/a/entitlements").status == 200)
    #expect(try await bench.client.send("/apple/v2", "POST", "{\"signedPayload\": \"eyJ.a.b\"}").status == 200)
    try await bench.stop()
  }
}
