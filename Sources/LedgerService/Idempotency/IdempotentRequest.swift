package import AppStore

internal import GRDB
internal import LedgerSchema
package import LedgerStore

/// Who sends a request to a server: a program with a token, or a user of the support page.
package enum RequesterKey: Hashable, Sendable {
  case token(TokenKey)
  case staffUser(StaffUserKey)
}

/// A request that its sender may repeat: the second one gets the answer of the first.
package struct IdempotentRequest: Sendable {
  /// Who sends the request.
  package var requester: RequesterKey
  /// The sender's name for the request.
  package var key: String
  /// Everything that the request asks for: method, path and body.
  package var content: [UInt8]

  /// Creates a request from its parts.
  package init(_ requester: RequesterKey, key: String, content: [UInt8]) {
    (self.requester, self.key, self.content) = (requester, key, content)
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
    let (tokenKey, staffUserKey): (TokenKey?, StaffUserKey?) =
      switch request.requester {
      case .token(let key): (key, nil)
      case .staffUser(let key): (nil, key)
      }
    let column = tokenKey == nil ? "staff_user_key" : "token_key"
    let known = try row(
      "SELECT request_digest, answer FROM idempotent_answer WHERE \(column) = ? AND key_digest = ? AND entered_at > ?",
      [tokenKey?.rawValue ?? staffUserKey?.rawValue, key, begin])
    if let known {
      guard known["request_digest"] as DatabaseValue == content else { throw IdempotentRequest.Conflict() }
      return known["answer"]
    }
    let answer = try make()
    try projections.execute("DELETE FROM main.idempotent_answer WHERE entered_at <= ?", [begin])
    try projections.insert(
      "idempotent_answer",
      [
        "token_key": tokenKey, "staff_user_key": staffUserKey, "key_digest": key, "request_digest": content,
        "answer": answer,
        "entered_at": now.milliseconds,
      ])
    return answer
  }
}
