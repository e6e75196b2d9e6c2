internal import AppStore
internal import Foundation

/// A request to Apple: what is asked, or what Apple is asked to do.
public struct AppStoreRequest: Sendable, Equatable {
  /// A text that cannot be part of a request.
  public struct WrongArgument: Error, Equatable, CustomStringConvertible {
    /// What the text is, in words: `The order id`.
    public let name: String
    /// What it must be.
    public let advice: String

    /// The words for a person. The text itself is not in them.
    public var description: String { "\(name) is not usable. \(advice)" }
  }

  /// The endpoint that takes the request.
  public let endpoint: AppStoreEndpoint
  /// The id that the request is about: of a transaction, of an order, or of a test; `nil` where it is about none.
  public let subject: String?
  /// The method of HTTP.
  public let method: String
  /// The path, with the ids in it.
  public let path: String
  /// The names and values of the query, not encoded.
  public private(set) var query: [Field]
  /// The body, a JSON object; `nil` where the endpoint takes none. It may contain the shared secret.
  let body: [UInt8]?
  /// The name by which the query states where a page begins; `nil` where the answer has no pages.
  private(set) var cursorName: CursorName?

  /// The names by which a query states where a page begins.
  enum CursorName: String {
    case revision, paginationToken
  }

  /// One name and value of a query.
  public struct Field: Sendable, Equatable {
    /// The name, such as `revision`.
    public let name: String
    /// The value as Apple's server reads it.
    public let value: String
  }

  init(
    _ endpoint: AppStoreEndpoint, _ method: String, _ path: String, about subject: String? = nil,
    query: [Field] = [], cursor: CursorName? = nil, body: [UInt8]? = nil
  ) {
    (self.endpoint, self.method, self.path, self.subject) = (endpoint, method, path, subject)
    (self.query, self.body, cursorName) = (query, body, cursor)
  }

  /// The path with the query, as it is sent.
  public var target: String {
    guard !query.isEmpty else { return path }
    return path + "?" + query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
  }

  /// The body as text, without the shared secret; `nil` where there is none.
  public var printableBody: String? { body.map { String(decoding: SecretRedactor.redacted($0), as: UTF8.self) } }

  /// Returns the request for a later page: the same one, from a cursor on.
  /// - Parameter cursor: what an earlier answer states; `nil` for the first page.
  public func from(_ cursor: String?) -> AppStoreRequest {
    guard let cursorName else { return self }
    var request = self
    request.query.removeAll { $0.name == cursorName.rawValue }
    if let cursor { request.query.append(Field(name: cursorName.rawValue, value: cursor)) }
    return request
  }

  // MARK: - Texts

  /// Apple's cursors contain characters that a query must encode.
  private static let plain = CharacterSet(charactersIn: Unicode.Scalar("a")...Unicode.Scalar("z"))
    .union(CharacterSet(charactersIn: Unicode.Scalar("A")...Unicode.Scalar("Z")))
    .union(CharacterSet(charactersIn: "0123456789-._~"))

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// Returns whether a text has only letters and digits of ASCII, and some other characters.
  static func isAlphanumeric(_ text: String, or others: String) -> Bool {
    text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || others.utf8.contains($0)
    }
  }

  /// Returns an id that stands in a path. A slash or a question mark would ask something else.
  static func id(_ text: String, _ name: String, longest: Int = 128) throws(WrongArgument) -> String {
    guard isAlphanumeric(text, or: "-._"), (1...longest).contains(text.utf8.count), !text.allSatisfy({ $0 == "." })
    else {
      throw WrongArgument(
        name: name, advice: "Write 1 to \(longest) letters, digits, points, hyphens and underscores.")
    }
    return text
  }

  /// Returns a transaction id, which has digits only.
  static func transactionID(_ text: String, _ name: String = "The transaction id") throws(WrongArgument) -> String {
    guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw WrongArgument(name: name, advice: "Write the number that Apple gave to the purchase, in digits only.")
    }
    return text
  }

  /// Returns the JSON text of an object.
  static func json(_ object: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers, texts and lists of them can always be encoded.
    return (try? encoder.encode(object)).map { [UInt8]($0) } ?? []
  }
}
