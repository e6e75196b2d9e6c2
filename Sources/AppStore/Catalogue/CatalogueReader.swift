/// Reads the members of one object of a catalogue. It is strict, because the owner of the catalogue can correct it.
struct CatalogueReader {
  let object: JSONValue

  init(_ object: JSONValue) { self.object = object }

  private func member(_ key: StaticString) -> JSONValue? {
    guard let value = object[key], !value.isNull else { return nil }
    return value
  }

  private func invalid(_ value: JSONValue, _ words: String) -> CatalogueError {
    let shown = String(decoding: value.source.prefix(40), as: UTF8.self)
    return CatalogueError(.invalid, "\(shown) is \(words)", path: value.path)
  }

  /// Returns a text. An empty text means absent.
  func text(_ key: StaticString) throws(CatalogueError) -> String? {
    guard let value = member(key) else { return nil }
    guard let text = value.string ?? value.numberText, !text.contains("\0") else { throw invalid(value, "not text") }
    return text.isEmpty ? nil : text
  }

  /// Returns the id of a product, from the first of the keys that has one.
  func id(_ keys: StaticString...) throws(CatalogueError) -> String {
    for key in keys {
      guard let id = try text(key) else { continue }
      return try Self.checkedID(id, path: object.path)
    }
    throw CatalogueError(.missing, "a product has no id", path: object.path)
  }

  static func checkedID(_ id: String, path: String) throws(CatalogueError) -> String {
    guard id.utf8.count <= 255 else { throw CatalogueError(.invalid, "a product's id is too long", path: path) }
    return id
  }

  func integer(_ key: StaticString) throws(CatalogueError) -> Int64? {
    guard let value = member(key) else { return nil }
    guard let text = value.string ?? value.numberText, let number = Int64(text) else {
      throw invalid(value, "not a whole number")
    }
    return number
  }

  func flag(_ key: StaticString) throws(CatalogueError) -> Bool? {
    guard let value = member(key) else { return nil }
    guard let flag = value.boolean ?? CatalogueText.flag(value.string ?? value.numberText ?? "") else {
      throw invalid(value, "neither true nor false")
    }
    return flag
  }

  func amount(_ key: StaticString) throws(CatalogueError) -> Milliunits? {
    guard let value = member(key) else { return nil }
    guard let text = value.string ?? value.numberText, let amount = Milliunits(text) else {
      throw invalid(value, "not a price; write it like 4.99, with a dot and at most three decimals")
    }
    return amount
  }

  func period(_ key: StaticString) throws(CatalogueError) -> Period? {
    guard let value = member(key) else { return nil }
    guard let text = value.string, let period = Period(text) else {
      throw invalid(value, "not an ISO 8601 duration such as P1M")
    }
    return period
  }

  func type(_ key: StaticString) throws(CatalogueError) -> ProductType? {
    guard let value = member(key) else { return nil }
    guard let text = value.string, let type = ProductType(text) else {
      throw invalid(value, "not one of \(ProductType.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return type
  }

  /// Returns Xcode's payment mode as a value of Apple's `offerDiscountType`.
  func paymentMode(_ key: StaticString) throws(CatalogueError) -> String? {
    guard let value = member(key) else { return nil }
    switch value.string?.lowercased().filter(\.isLetter) {
    case "free", "freetrial": return "FREE_TRIAL"
    case "payasyougo": return "PAY_AS_YOU_GO"
    case "payupfront": return "PAY_UP_FRONT"
    default: throw invalid(value, "not a payment mode")
    }
  }

  /// Returns a list of texts, also from a single text.
  func texts(_ key: StaticString) throws(CatalogueError) -> [String]? {
    guard let value = member(key) else { return nil }
    if let text = value.string { return [text] }
    guard value.isArray, value.elements.allSatisfy(\.isString) else { throw invalid(value, "not a list of texts") }
    return value.elements.compactMap(\.string)
  }
}

/// Interprets the texts of a catalogue, in JSON and in tables.
enum CatalogueText {
  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }
}
