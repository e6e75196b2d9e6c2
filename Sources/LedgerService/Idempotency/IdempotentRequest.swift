package import AppStore

internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// A request that its sender may repeat: the second one gets the answer of the first.
package struct IdempotentRequest: Sendable {
  /// The key of the token that sends it.
  package var tokenKey: TokenKey
  /// The sender's name for the request.
  package var key: String
  /// Everything that the request asks for: method, path and body.
  package var content: [UInt8]

  /// Creates a request from its parts.
  package init(tokenKey: TokenKey, key: String, content: [UInt8]) {
    (self.tokenKey, self.key, self.content) = (tokenKey, key, content)
  }

  /// Another request has the same key.
  package struct Conflict: Error {}

  /// How long an answer is stored, in milliseconds: a day.
  static let lifetime: Int64 = 86_400_000
}

extension EvidenceTransaction {
  /// Returns the answer to a request, and makes it when nobody has asked before.
  /// - Parameters:
  ///   - request: the request; `nil` for one that its sender did not name.
  ///   - now: the present instant.
  ///   - make: makes the change, and returns its answer: JSON that names nobody.
  /// - Throws: ``IdempotentRequest/Conflict`` when another request has the same key; the errors of `make`.
  package func answer(
    once request: IdempotentRequest?, now: Instant, _ make: () throws -> String
  ) throws -> String {
    guard let request else { return try make() }
    let (key, content) = (
      ContentDigest(sha256: Array(request.key.utf8)).data, ContentDigest(sha256: request.content).data
    )
    let begin = now.milliseconds - IdempotentRequest.lifetime
    let known = try row(
      "SELECT request_digest, answer FROM idempotent_answer WHERE token_key = ? AND key_digest = ? AND entered_at > ?",
      [request.tokenKey, key, begin])
    if let known {
      guard known["request_digest"] as DatabaseValue == content else { throw IdempotentRequest.Conflict() }
      return known["answer"]
    }
    let answer = try make()
    try projections.execute("DELETE FROM main.idempotent_answer WHERE entered_at <= ?", [begin])
    try projections.insert(
      "idempotent_answer",
      [
        "token_key": request.tokenKey, "key_digest": key, "request_digest": content, "answer": answer,
        "entered_at": now.milliseconds,
      ])
    return answer
  }
}
