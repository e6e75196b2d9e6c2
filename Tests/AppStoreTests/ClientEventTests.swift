import TestSupport
import Testing

import AppStore

/// The app's own reports: recognised by shape, kept as claims.
@Suite struct ClientEventTests {
  static func outcome(_ text: String) async -> PayloadDecoder.Outcome? {
    await PayloadDecoder.permissive().decode(Array(text.utf8)).outcomes.first
  }

  @Test func `an event is a payload of its own kind, believed in nothing`() async throws {
    let text = """
      {"event":"updated","transaction_state":"failed","transaction_id":7,"original_transaction_id":"5","product_id":"p",\
      "customer":"u","app_account_token":"0B4C7E1A-91D0-4E62-8C61-3B1A2F9D7E10","device":"phone","at":"2026-01-02T00:00:00Z",\
      "error":{"domain":"SKErrorDomain","code":2,"message":"no"},"more":1}
      """
    guard case .evidence(let evidence)? = await Self.outcome(text) else {
      Issue.record("refused")
      return
    }
    #expect(evidence.kind == .clientEvent && evidence.trust == .unverified)
    #expect(evidence.transactions.isEmpty && evidence.renewals.isEmpty && evidence.claims.isEmpty)
    let event = try #require(evidence.clientEvent)
    #expect(event.transactionID == "7" && event.originalTransactionID == "5" && event.happenedAt == day(1))
    #expect(event.appAccountToken == "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10" && event.queue == "customer u")
    #expect(event.errorDomain == "SKErrorDomain" && event.errorCode == 2 && event.errorMessage == "no")
  }

  @Test(arguments: [
    (#"{"event":"removed","product_id":"p","customer":"u","at":1767225600000}"#, nil),
    (#"{"event":"updated","transaction_state":"restored","product_id":"p","device":"d","at":"1767225600000"}"#, nil),
    (#"{"event":"glowed","product_id":"p","device":"d","at":"2026-01-01"}"#, nil),
    (#"{"event":"updated","product_id":"p","device":"d","at":"2026-01-01"}"#, "$.transaction_state"),
    (#"{"event":"removed","transaction_state":"x","device":"d","at":"2026-01-01"}"#, "$.product_id"),
    (#"{"event":"removed","product_id":"p","device":"d"}"#, "$.at"),
    (#"{"event":"removed","product_id":"p","device":"d","at":"soon"}"#, "$.at"),
    (#"{"event":"removed","product_id":"p","device":"d","at":1767225600}"#, "$.at"),
    (#"{"event":"removed","product_id":"p","at":"2026-01-01"}"#, "$.customer"),
    (#"{"event":"removed","product_id":"p","customer":"a\u0000b","at":"2026-01-01"}"#, "$.customer"),
  ])
  func `what an event needs, and where it is missing`(text: String, path: String?) async {
    switch await Self.outcome(text) {
    case .evidence: #expect(path == nil)
    case .refused(let refusal, _): #expect(refusal.path == path && refusal.code == .unusableEvent)
    case .known, nil: Issue.record("no outcome")
    }
  }

  @Test func `an enormous id is refused, and goes into quarantine`() async {
    let id = String(repeating: "x", count: 2000)
    let text = #"{"event":"removed","product_id":"p","customer":"\#(id)","at":"2026-01-01"}"#
    guard case .refused(_, let raw)? = await Self.outcome(text) else {
      Issue.record("taken")
      return
    }
    #expect(raw.count == text.utf8.count)
  }

  @Test(arguments: [
    ("0B4C7E1A-91D0-4E62-8C61-3B1A2F9D7E10", "0b4c7e1a-91d0-4e62-8c61-3b1a2f9d7e10"), ("User-42", "User-42"),
    ("0B4C7E1A-91D0-4E62-8C61-3B1A2F9D7E1G", "0B4C7E1A-91D0-4E62-8C61-3B1A2F9D7E1G"), ("", ""),
  ])
  func `a token has one writing, and other ids keep theirs`(text: String, normalized: String) {
    #expect(AccountToken.normalized(text) == normalized)
  }
}
