internal import AppStore
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import NIOCore

/// One request to the API, with what its endpoint needs to answer it.
struct Call: Sendable {
  let request: Request
  let context: ServerContext
  let token: APIToken
  /// The present instant. One request has one.
  let now: Instant
  let query: [String: String]
  /// The name of the operation, for the access log.
  let operation: String

  /// The greatest length of an id, in UTF-8 bytes.
  static let longestID = 256

  // MARK: - What the request states

  /// Returns the value of a part of the path.
  func parameter(_ name: String) throws -> String { try context.id(name) }

  /// Returns an id that may be looked up.
  static func id(_ value: String, at path: String) throws -> String {
    let isPlain = value.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard !value.isEmpty, value.utf8.count <= longestID, isPlain else {
      throw HTTPProblem.wrongRequest(
        "refused_text", path, "An id has 1 to \(longestID) bytes of UTF-8, without control characters.")
    }
    return value
  }

  /// The greatest length of a text by a person, in characters.
  static let longestText = 1000

  /// Returns a text that may be recorded.
  static func text(_ value: String, at path: String, atMost limit: Int = longestText) throws -> String {
    guard value.unicodeScalars.contains(where: { !$0.properties.isWhitespace && $0.value > 0x20 }),
      value.unicodeScalars.count <= limit, !value.contains("\0")
    else {
      throw HTTPProblem.wrongRequest(
        "refused_text", path, "A text has 1 to \(limit) characters, is not blank, and has no NUL.")
    }
    return value
  }

  /// Returns the instant that a parameter of the query states.
  func instant(_ name: String) throws -> Instant? { try query[name].map { try Self.instant($0, at: name) } }

  static func instant(_ text: String, at path: String) throws -> Instant {
    guard let instant = Instant(text), instant >= .appStoreOpening else {
      throw HTTPProblem.wrongRequest(
        "wrong_instant", path, "Write ISO 8601 (2026-03-01T10:00:00Z) or milliseconds since 1970, after 2008-07-10.")
    }
    return instant
  }

  /// Returns the number that a parameter of the query states.
  func number(_ name: String, in range: ClosedRange<Int64>, default value: Int64) throws -> Int64 {
    guard let text = query[name] else { return value }
    guard let number = Int64(text), range.contains(number) else {
      throw HTTPProblem.wrongRequest(
        "wrong_number", name, "Write a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// The parameters of every query.
  static let instantParameters = ["as_of", "known_at", "evidence"]

  /// Returns the parameters that the request states: now, with all evidence, unless it says otherwise.
  func parameters() throws -> QueryParameters {
    let trust: MinimumTrust
    switch query["evidence"] {
    case nil, "all": trust = .any
    case "signed": trust = .signed
    case "apple": trust = .apple
    default: throw HTTPProblem.wrongRequest("wrong_value", "evidence", "Write all, signed or apple.")
    }
    return QueryParameters(
      asOf: try instant("as_of") ?? now, knownAt: try instant("known_at") ?? now, minimumTrust: trust)
  }

  /// Returns the environment that the query states; Production, unless it says otherwise.
  func environment() throws -> AppStore.Environment { try statedEnvironment() ?? .production }

  /// Returns the environment that the query states; `nil` for all.
  func statedEnvironment() throws -> AppStore.Environment? {
    guard let text = query["environment"] else { return nil }
    guard let environment = AppStore.Environment.named(text) else {
      throw HTTPProblem.wrongRequest(
        "wrong_value", "environment", "Write \(AppStore.Environment.all.map(\.name).joined(separator: ", ")).")
    }
    return environment
  }

  /// Reads the body as an object.
  /// - Parameters:
  ///   - limit: its greatest length in bytes.
  ///   - members: the names that it may have.
  func body(atMost limit: Int = 64 << 10, _ members: Set<String>) async throws -> RequestObject {
    let bytes = try await bytes(atMost: limit)
    return try RequestObject(JSONBody.document(bytes).root, members)
  }

  /// Reads the whole body of the request.
  func bytes(atMost limit: Int) async throws -> [UInt8] { try await request.bytes(atMost: limit, context) }

  // MARK: - Answers

  /// Returns an answer about what the ledger knows, with the instants of the query.
  func answer(_ members: JSONText.Members, _ parameters: QueryParameters, sequence: Int64) -> Response {
    let instants: JSONText.Members = [
      ("as_of", JSONText.string(parameters.asOf.description)),
      ("known_at", JSONText.string(parameters.knownAt.description)),
      ("seq", String(sequence)),
    ]
    return json(members + instants, tag: EntityTag(members))
  }

  /// Returns a JSON answer; only its head, when the sender has the same already.
  func json(_ members: JSONText.Members, status: HTTPResponse.Status = .ok, tag: EntityTag? = nil) -> Response {
    if let tag, request.headers[.ifNoneMatch].map(tag.matches) == true {
      return Response(status: .notModified, headers: [.eTag: tag.text])
    }
    var response = Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: JSONText.nested(members) + "\n")))
    if let tag { response.headers[.eTag] = tag.text }
    return response
  }

  /// Returns the entries of the access log about this call: one for each person whom it names, or one without a person.
  func entries(
    _ customers: [String], purchase: String? = nil, parameters: QueryParameters? = nil, reason: String? = nil,
    count: Int
  ) throws -> [AccessLogEntry] {
    var entry = AccessLogEntry(
      .token(token.id), requestID: context.requestID, operation: operation, enteredAt: now)
    (entry.originalTransactionID, entry.parameters, entry.resultCount) = (purchase, parameters, count)
    entry.reason = try reason ?? query["reason"].map { try Self.text($0, at: "reason") }
    return entry.about(customers)
  }

  /// Returns the author of a staff entry: who it is by the words of the caller, and always the token.
  func author(_ stated: String?) -> String { "\(stated ?? token.name) (token \(token.id))" }
}

/// A name for the content of an answer. The instants of the query, texts with them, and the ledger's sequence are not
/// part of it, so that it stays while nothing about the customer changes.
struct EntityTag: Sendable {
  /// The tag with its quotes, as the head has it.
  let text: String

  init(_ members: JSONText.Members) {
    let content = members.filter { !["max_age_seconds", "page", "ticket"].contains($0.name) }
    text = "\"\(ContentDigest(sha256: Array(JSONText.nested(content).utf8)).hexadecimal.prefix(32))\""
  }

  /// Returns whether a field `If-None-Match` names this tag.
  func matches(_ field: String) -> Bool {
    field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.contains {
      $0 == text || $0 == "W/\(text)" || $0 == "*"
    }
  }
}

extension ServerContext {
  /// Returns the id that a part of the path is.
  func id(_ name: String) throws -> String {
    guard let raw = parameters.get(name), let value = raw.removingPercentEncoding else {
      throw HTTPProblem.wrongRequest("refused_text", name, "This part of the path is not percent-encoded UTF-8.")
    }
    return try Call.id(value, at: name)
  }
}

extension Request {
  /// Reads a body, and counts while it reads: a sender may state another length, or none.
  ///
  /// A body that is somewhat too long is read to its end, because many senders read the answer only then.
  func bytes(atMost limit: Int, _ context: ServerContext) async throws -> [UInt8] {
    if let type = headers[.contentType]?.lowercased(), !type.hasPrefix("application/json") {
      throw HTTPProblem.wrongType
    }
    return try await bodyBytes(atMost: limit, context)
  }

  /// Reads a body of any type as ``bytes(atMost:_:)`` does.
  func bodyBytes(atMost limit: Int, _ context: ServerContext) async throws -> [UInt8] {
    var count = 0
    for try await buffer in body {
      count += buffer.readableBytes
      guard count <= 4 * limit else { throw HTTPProblem.tooLong }
      if count <= limit { try context.body.append(buffer) }
    }
    guard count <= limit else { throw HTTPProblem.tooLong }
    return try context.body.take()
  }
}
