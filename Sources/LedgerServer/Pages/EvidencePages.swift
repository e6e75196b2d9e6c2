internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import NIOCore
internal import SupportPages

/// The pages of payloads: what the ledger read from a text, and the text as it arrived.
struct EvidencePages: Sendable {
  let readers: ReaderPool
  let log: ReadLog
  let templates: PageTemplates

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/payloads/{digest}", "showPayload", .viewer) { call in
        let payload = try await read(call)
        return templates.response(.evidence, call, "Evidence \(payload.digest.hexadecimal)", EvidencePage(payload))
      },
      PageEndpoint(.get, "/payloads/{digest}/text", "downloadPayload", .viewer) { call in
        let payload = try await read(call)
        return PageResponse.file(
          "\(payload.digest.hexadecimal).txt", "text/plain; charset=utf-8",
          .init(byteBuffer: .init(bytes: payload.text)))
      },
    ]
  }

  /// Reads a payload, and writes the reading into the access log, about each customer of its purchases.
  private func read(_ call: PageCall) async throws -> RecordedPayload {
    let parameters = call.present
    let digest = ContentDigest(hexadecimal: try call.parameter("digest"))
    let found = try await readers.read(by: call.key) { ledger -> (payload: RecordedPayload, customers: [String])? in
      guard let payload = try digest.flatMap({ try ledger.payload($0) }) else { return nil }
      return (payload, try payload.purchases.flatMap { try ledger.customers(of: $0, parameters) })
    }
    guard let found else {
      try await log.write(call.entries([], parameters: parameters, count: 0))
      throw HTTPProblem(
        code: "unknown_payload", status: .notFound,
        detail: "No recorded payload has this digest. Open the evidence from a timeline or from an explanation.")
    }
    let purchases = found.payload.purchases
    try await log.write(
      call.entries(
        found.customers, purchase: purchases.count == 1 ? purchases[0].originalTransactionID : nil,
        parameters: parameters, count: found.payload.purchaseCount))
    return found.payload
  }
}
