internal import AppStore
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerService
internal import SupportPages

/// One request for a page, with the user who is signed in.
struct PageCall: Sendable {
  let request: Request
  let context: ServerContext
  let session: StaffSession
  let secret: SessionSecret
  /// The present instant. One request has one.
  let now: Instant
  let query: FormFields
  /// What the form of the page sends.
  var form: FormFields
  /// The name of the operation, for the access log.
  var operation: String

  /// Returns the value of a part of the path.
  func parameter(_ name: String) throws -> String { try context.id(name) }

  /// Returns the instant that the address states; `nil` for now.
  func instant(_ name: String) throws -> Instant? {
    let text = query[name].trimmingSpace
    guard !text.isEmpty else { return nil }
    guard let instant = Self.instant(text, now: now), instant >= .appStoreOpening else {
      throw HTTPProblem.wrongRequest(
        "wrong_instant", name, "Write 2026-03-03T14:00:00Z, 2026-03-03 14:00 or 2026-03-03, after 2008-07-10, in UTC.")
    }
    return instant
  }

  /// Reads an instant as people write it: as every command does, with an hour of one digit, and as `3 March 14:00`.
  /// Without a year, it is the last such day before now.
  static func instant(_ text: String, now: Instant) -> Instant? {
    let padded = text.replacing(/[ T](\d):/) { " 0\($0.1):" }
    guard let match = padded.wholeMatch(of: /(\d{1,2})\.? ([A-Za-z]{3,9})\.?(?: (\d{4}))?( \d\d:\d\d(?::\d\d)?)?/),
      let month = CivilDate.monthNames.firstIndex(where: { $0.lowercased().hasPrefix(match.2.lowercased()) })
    else { return Instant(text) ?? Instant(padded) }
    func written(_ year: Int) -> Instant? {
      Instant(String(format: "%04d-%02d-%02d", year, month + 1, Int(match.1) ?? 0) + String(match.4 ?? ""))
    }
    if let year = match.3 { return Int(year).flatMap(written) }
    let year = Int(now.description.prefix(4)) ?? 0
    return [year, year - 1].compactMap(written).first { $0 <= now }
  }

  /// Returns the two instants of the page, for its bar and for the ledger.
  func instants(path: String) throws -> (bar: TimeBar, parameters: QueryParameters) {
    let (asOf, knownAt) = (try instant("as_of"), try instant("known_at"))
    return (
      TimeBar(path: path, asOf: asOf, knownAt: knownAt), QueryParameters(asOf: asOf ?? now, knownAt: knownAt ?? now)
    )
  }

  /// Returns what the timeline of the page shows: its subject, and the number of its part.
  func timelinePart() throws -> (Timeline.Subject?, Int) {
    let (show, page) = (query["show"], query["page"])
    guard show.isEmpty || Timeline.Subject(rawValue: show) != nil, page.isEmpty || Int(page).map({ $0 >= 0 }) == true
    else { throw HTTPProblem.wrongRequest("wrong_value", nil, "This part of the timeline does not exist.") }
    return (Timeline.Subject(rawValue: show), min(Int(page) ?? 0, 1_000_000))
  }

  /// The present, by what is known now.
  var present: QueryParameters { QueryParameters(asOf: now, knownAt: now) }

  /// Whether the address has fields of a form, so that their faults are shown.
  var isFilledIn: Bool { !(request.uri.query?.isEmpty ?? true) }

  /// Returns a text of the form that may be recorded.
  func text(_ name: String, atMost limit: Int) throws -> String {
    try Call.text(form[name].replacing("\r\n", with: "\n").trimmingSpace, at: name, atMost: limit)
  }

  /// Returns the name of the request, which its form has, so that a form that arrives twice counts once.
  func requestKey() throws -> String {
    let key = form["request_key"]
    guard key.wholeMatch(of: /[0-9a-f]{16,32}/) != nil else { throw HTTPProblem.foreignForm }
    return key
  }

  /// Makes a name for a request.
  static func newRequestKey() -> String { UUID().uuidString.replacing("-", with: "").lowercased() }

  /// Returns the user's action, with the reason of the form.
  func staffAction() throws -> StaffAction {
    StaffAction(author: session.user.name, reason: try text("reason", atMost: 1000), enteredAt: now)
  }

  /// The requester, for the readers' turns and for forms that arrive twice.
  var key: RequesterKey { .staffUser(session.user.key) }

  /// Returns the entries of the access log about this call: one for each person whom the page names, or one without.
  func entries(
    _ customers: [String], purchase: String? = nil, parameters: QueryParameters? = nil, reason: String? = nil,
    count: Int
  ) -> [AccessLogEntry] {
    var entry = AccessLogEntry(
      .staffUser(session.user.name), requestID: context.requestID, operation: operation, enteredAt: now)
    (entry.originalTransactionID, entry.parameters, entry.resultCount) = (purchase, parameters, count)
    entry.reason = reason
    return entry.about(customers)
  }

  /// Returns the whole address of a page, for other programs.
  func address(_ path: String) -> String { RequestOrigin.address(of: path, for: request) }

  /// What the user has just done, for the status line; `nil` for nothing.
  var done: String? { PageDone(rawValue: query["done"])?.text }

  /// What every page shows of the user.
  var user: PageDocument.User {
    .init(
      name: session.user.name, role: session.role.rawValue, formToken: secret.formToken,
      pages: (session.role >= .support ? [.init("Refund requests", PageAddress.refunds)] : [])
        + (session.role >= .lead
          ? [
            .init("Reports", PageAddress.reports()), .init("Access log", PageAddress.accessLog()),
            .init("Health", PageAddress.health),
          ] : []))
  }
}
