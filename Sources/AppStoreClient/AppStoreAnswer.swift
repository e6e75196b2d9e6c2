public import AppStore

/// What Apple answered to a request.
public struct AppStoreAnswer: Sendable {
  /// The request that it answers.
  public let request: AppStoreRequest
  /// The environment that answered.
  public let environment: Environment
  /// When the whole answer had arrived.
  public let receivedAt: Instant
  /// The body as it arrived. It is empty where the endpoint answers with nothing.
  public let body: [UInt8]
  /// The value of the body, parsed; `nil` where it is empty.
  public let root: JSONValue?
  /// The requests that were sent for it, in their order. The last one got this answer.
  public internal(set) var attempts: [AppStoreAttempt] = []

  /// Where a page stands among the pages of an answer.
  public struct Page: Sendable, Equatable {
    /// Whether further pages follow.
    public let hasMore: Bool
    /// Where the next page begins. The history of transactions and of refunds states it on the last page too, for a
    /// later walk.
    public let cursor: String?
  }

  /// Where this page stands among the others; `nil` where the answer has no pages.
  /// - Throws: ``AppStoreFailure`` with `unreadable` where the answer does not say.
  public func page() throws(AppStoreFailure) -> Page? {
    guard let name = request.cursorName else { return nil }
    guard let root, let hasMore = root["hasMore"]?.boolean else {
      throw failure("It does not state in hasMore whether further pages follow.")
    }
    let cursor = (name == .revision ? root["revision"] : root["paginationToken"])?.string
    return Page(hasMore: hasMore, cursor: cursor.flatMap { $0.isEmpty ? nil : $0 })
  }

  /// Returns this answer after earlier requests.
  func after(_ earlier: [AppStoreAttempt]) -> AppStoreAnswer {
    var answer = self
    answer.attempts = earlier + attempts
    return answer
  }

  /// Returns a failure about this answer.
  func failure(_ detail: String) -> AppStoreFailure {
    var failure = AppStoreFailure(request, environment, at: receivedAt, .unreadable, detail: detail)
    failure.attempts = attempts
    if let last = failure.attempts.indices.last { failure.attempts[last].verdict = .unreadable }
    return failure
  }
}

/// A walk over the pages of an answer.
public struct Pagination: Sendable {
  /// The request for the next page; `nil` after the last page.
  public private(set) var next: AppStoreRequest?
  /// Where the next page begins, or after the last page, where a later walk may begin.
  public private(set) var cursor: String?
  private let first: AppStoreRequest

  /// Begins a walk over the pages of an answer.
  /// - Parameters:
  ///   - request: the request for the first page.
  ///   - cursor: where an earlier walk ended; `nil` to begin at the first page.
  public init(_ request: AppStoreRequest, from cursor: String? = nil) {
    (first, self.cursor) = (request, cursor)
    next = request.from(cursor)
  }

  /// Goes on to the page after an answer.
  /// - Throws: ``AppStoreFailure`` with `unreadable` where more is promised without a new cursor. A walk would never end
  ///   there.
  public mutating func advance(over answer: AppStoreAnswer) throws(AppStoreFailure) {
    guard let page = try answer.page() else {
      next = nil
      return
    }
    guard page.hasMore else {
      (next, cursor) = (nil, page.cursor ?? cursor)
      return
    }
    guard let new = page.cursor else {
      throw answer.failure("It promises another page, and does not state its cursor.")
    }
    guard new != cursor else { throw answer.failure("It promises another page, and states the cursor of this one.") }
    (next, cursor) = (first.from(new), new)
  }
}
