import AppStore
import Synchronization
import TestSupport
import Testing

/// A payload that is recorded is known by its digest before it is read: verified once, and not again.
@Suite struct KnownTests {
  private static let receipt = String(repeating: "MIIT", count: 100)

  private static let texts: [String] = {
    let row = #"{"transaction_id":"1","original_transaction_id":"1","product_id":"p","purchase_date_ms":"1"}"#
    let body = #""latest_receipt_info":[\#(row)],"latest_receipt":"\#(receipt)""#
    return [
      #"{"status":0,"environment":"Production","receipt":{"in_app":[\#(row)]},\#(body)}"#,
      #"{"status":0,"environment":"Sandbox","latest_receipt_info":[\#(row)],"latest_receipt":"short"}"#,
      #"{"notification_type":"DID_RENEW","password":"secret","unified_receipt":{\#(body)}}"#,
      #"{"status":21006,"latest_expired_receipt":"\#(receipt)","receipt":\#(row)}"#,
      #"{"status":0,"receipt":{"latest_receipt":"\#(receipt)","in_app":[\#(row)]}}"#,
      #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#,
      #"{"event":"removed","product_id":"p","customer":"c","at":"2026-01-01"}"#,
      #" {"status":21002} "#,
    ]
  }()

  @Test(arguments: texts, [false, true])
  func `every unsigned format is known by its digest`(text: String, isWrapped: Bool) async throws {
    let bytes = Array((isWrapped ? "{\"receivedAt\":\"2026-01-01\",\"payload\":\(text)}" : text).utf8)
    guard case .evidence(let evidence)? = await PayloadDecoder.permissive().decode(bytes).outcomes.first else {
      Issue.record("refused: \(text)")
      return
    }
    let again = await PayloadDecoder.permissive().decode(bytes) { $0 == evidence.digest }
    guard case .known(let digest)? = again.outcomes.first else {
      Issue.record("decoded again: \(text)")
      return
    }
    #expect(digest == evidence.digest)
    #expect((again.receivedAt != nil) == isWrapped)
  }

  @Test func `a signed text is known before its signature is looked at`() async throws {
    let text = "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"
    let digest = ContentDigest(sha256: Array(text.utf8))
    for item in [
      text, "{\"signedPayload\":\"\(text)\"}", "{\"payload\":{\"signedPayload\":\"\(text)\"}}", "\"\(text)\"",
    ] {
      let asked = Mutex<[ContentDigest]>([])
      let found = await PayloadDecoder.permissive().decode(Array(item.utf8)) { candidate in
        asked.withLock { $0.append(candidate) }
        return candidate == digest
      }
      guard case .known? = found.outcomes.first else {
        Issue.record("not known: \(item)")
        continue
      }
      // Nothing is asked about twice.
      #expect(asked.withLock { Set($0).count == $0.count }, "\(item)")
      // What is not known is judged as ever: this one has no signature.
      guard
        case .refused? = await PayloadDecoder.permissive().decode(Array(item.utf8), isKnown: { _ in false }).outcomes
          .first
      else {
        Issue.record("believed: \(item)")
        continue
      }
    }
  }
}
