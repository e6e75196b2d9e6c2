internal import AppStore

/// Reads the JSON of requests.
enum JSONBody {
  /// Parses the body of a request.
  /// - Throws: ``HTTPProblem`` with the place of the fault.
  static func document(_ bytes: [UInt8]) throws -> JSONDocument {
    do { return try JSONDocument(bytes) } catch {
      throw HTTPProblem.wrongRequest("wrong_json", error.path, "The body is not JSON: \(error.reason.rawValue).")
    }
  }
}

/// An object in the body of a request, with known members. A misspelt one is refused, because it would do nothing.
struct RequestObject {
  private let value: JSONValue

  init(_ value: JSONValue, _ members: Set<String>) throws {
    guard value.isObject else { throw HTTPProblem.wrongRequest("wrong_json", value.path, "Write a JSON object.") }
    if let unknown = value.keys.first(where: { !members.contains($0) }) {
      throw HTTPProblem.wrongRequest(
        "unknown_member", "\(value.path).\(unknown)",
        "This object has no such member. It has \(members.sorted().joined(separator: ", ")).")
    }
    self.value = value
  }

  /// The text of the object.
  var source: [UInt8] { Array(value.source) }

  private func path(_ name: StaticString) -> String { "\(value.path).\(name)" }

  /// Returns a text, or `nil` when the member is missing or null.
  func text(_ name: StaticString) throws -> String? {
    guard let member = value[name], !member.isNull else { return nil }
    guard let text = member.string else { throw HTTPProblem.wrongRequest("wrong_type", path(name), "Write a text.") }
    return text
  }

  /// Returns a text that must be there.
  func requiredText(_ name: StaticString) throws -> String {
    guard let text = try text(name) else {
      throw HTTPProblem.wrongRequest("missing_member", path(name), "This member is required.")
    }
    return text
  }

  /// Returns a flag, or `nil` when the member is missing or null.
  func flag(_ name: StaticString) throws -> Bool? {
    guard let member = value[name], !member.isNull else { return nil }
    guard let flag = member.boolean else {
      throw HTTPProblem.wrongRequest("wrong_type", path(name), "Write true or false.")
    }
    return flag
  }

  /// Returns a text by a person, or `nil` when the member is missing or null.
  func prose(_ name: StaticString) throws -> String? { try text(name).map { try Call.text($0, at: path(name)) } }

  /// Returns a text by a person that must be there.
  func requiredProse(_ name: StaticString) throws -> String {
    try Call.text(try requiredText(name), at: path(name))
  }

  /// Returns an id, or `nil` when the member is missing or null.
  func id(_ name: StaticString) throws -> String? { try text(name).map { try Call.id($0, at: path(name)) } }

  /// Returns an id that must be there.
  func requiredID(_ name: StaticString) throws -> String { try Call.id(try requiredText(name), at: path(name)) }

  /// Returns an instant, or `nil` when the member is missing or null.
  func instant(_ name: StaticString) throws -> Instant? { try text(name).map { try Call.instant($0, at: path(name)) } }

  /// Returns the elements of a list, between 1 and a limit.
  func list(_ name: StaticString, atMost limit: Int) throws -> [JSONValue] {
    guard let member = value[name], member.isArray, (1...limit).contains(member.elements.count) else {
      throw HTTPProblem.wrongRequest("wrong_type", path(name), "Write a list of 1 to \(limit) elements.")
    }
    return member.elements
  }
}
