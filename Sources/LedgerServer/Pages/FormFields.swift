internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The fields of a form or of a query: `application/x-www-form-urlencoded`.
struct FormFields: Sendable {
  private let values: [String: String]

  /// The greatest length of a form, in bytes.
  static let longest = 64 << 10

  /// Reads fields as a browser writes them.
  /// - Throws: ``HTTPProblem`` for what is not percent-encoded UTF-8, and for a field that is there twice.
  init(_ text: String) throws {
    var values: [String: String] = [:]
    for part in text.split(separator: "&") {
      guard let (name, value) = Self.pair(part), values[name] == nil else {
        throw HTTPProblem.wrongRequest("refused_form", nil, "The form or the address cannot be read.")
      }
      values[name] = value
    }
    self.values = values
  }

  /// Reads one field; `nil` for what is not percent-encoded UTF-8. A field without `=` is empty.
  static func pair(_ part: Substring) -> (name: String, value: String)? {
    let texts = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
      $0.replacing("+", with: " ").removingPercentEncoding
    }
    guard let name = texts[0], let value = texts.count == 2 ? texts[1] : "" else { return nil }
    return (name, value)
  }

  /// Reads the form that a request sends.
  init(_ request: Request, _ context: ServerContext) async throws {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
      throw HTTPProblem(
        code: "wrong_content_type", status: .unsupportedMediaType, detail: "A form of this page sends its fields.")
    }
    try self.init(String(decoding: try await request.bodyBytes(atMost: Self.longest, context), as: UTF8.self))
  }

  /// All fields but the token of the session, in a fixed order: two forms with the same text ask for the same.
  var text: String {
    fields.map { "\($0.name)\t\($0.value)" }.joined(separator: "\n")
  }

  /// All fields but the token of the session, in order.
  var fields: [(name: String, value: String)] {
    values.filter { $0.key != "form_token" }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The value of a field; empty for none.
  subscript(name: String) -> String { values[name] ?? "" }
}
