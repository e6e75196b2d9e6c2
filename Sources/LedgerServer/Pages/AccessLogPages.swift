internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import NIOCore
internal import SupportPages

/// The access log for leads: who read about whom, as a page and as a file.
struct AccessLogPages: Sendable {
  let readers: ReaderPool
  let log: ReadLog
  let templates: PageTemplates

  private static let pageSize = 100
  /// The number of entries that a file reads at once, so that other readers have their turns between.
  private static let chunkSize = 1000

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/access-log", "listAccessLog", .lead) { try await list($0) },
      PageEndpoint(.get, "/access-log/export", "exportAccessLog", .lead) { try await export($0) },
    ]
  }

  /// Which entries are wanted.
  private struct Selection: Sendable {
    let fields: AccessLogFields
    let since: Instant?
    let until: Instant?
    let before: Int64?

    init(_ call: PageCall) throws {
      fields = AccessLogFields(
        author: call.query["author"].trimmingSpace, about: call.query["about"].trimmingSpace,
        since: call.query["since"].trimmingSpace, until: call.query["until"].trimmingSpace)
      (since, until) = (try call.instant("since"), try call.instant("until"))
      let number = call.query["before"]
      guard number.isEmpty || Int64(number) != nil else {
        throw HTTPProblem.wrongRequest("wrong_value", "before", "This part of the log does not exist.")
      }
      before = Int64(number)
    }

    /// Returns the purchase that an id names, or else the customer; `nil` for everybody.
    func subject(_ ledger: LedgerReader) throws -> AccessLogSubject? {
      try fields.about.isEmpty ? nil : AccessLogSubject(of: fields.about, in: ledger)
    }

    /// Returns entries, the latest first.
    func rows(
      _ ledger: LedgerReader, about subject: AccessLogSubject?, before: Int64?, limit: Int
    ) throws -> [AccessLogRow] {
      try ledger.accessLog(
        about: subject, by: fields.author.isEmpty ? nil : fields.author, before: before, since: since, until: until,
        limit: limit)
    }
  }

  private func list(_ call: PageCall) async throws -> Response {
    let selection = try Selection(call)
    let rows = try await readers.read(by: call.key) {
      try selection.rows($0, about: try selection.subject($0), before: selection.before, limit: Self.pageSize + 1)
    }
    let shown = Array(rows.prefix(Self.pageSize))
    try await log.write(call.entries([], count: shown.count))
    return templates.response(
      .accessLog, call, "Access log",
      AccessLogPage(shown, selection.fields, hasMore: rows.count > Self.pageSize))
  }

  private func export(_ call: PageCall) async throws -> Response {
    let (selection, format) = (try Selection(call), call.query["format"])
    guard format == "csv" || format == "ndjson" else {
      throw HTTPProblem.wrongRequest("wrong_value", "format", "Write csv or ndjson.")
    }
    // The entry about this export is written first, so it is in the file.
    try await log.write(call.entries([], count: 0))
    let subject = try await readers.read(by: call.key) { try selection.subject($0) }
    let body = ResponseBody { writer in
      if format == "csv" {
        try await writer.write(ByteBuffer(string: AccessLogRow.columns.joined(separator: ",") + "\n"))
      }
      var before: Int64?
      while true {
        let last = before
        let rows = try await readers.read(by: call.key) {
          try selection.rows($0, about: subject, before: last, limit: Self.chunkSize)
        }
        let text = rows.map { format == "csv" ? CSVCell.row($0.values) : JSONText.object($0) + "\n" }.joined()
        try await writer.write(ByteBuffer(string: text))
        guard rows.count == Self.chunkSize, let next = rows.last?.entryID else { break }
        before = next
      }
      try await writer.finish(nil)
    }
    return PageResponse.file(
      "access-log.\(format)", format == "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson", body)
  }
}
