/// The products of an app, or of several, read from a file: Xcode's `.storekit` configuration (schema 1.0 to 5.x), a JSON list, or CSV.
public struct ProductCatalogue: Sendable, Equatable {
  /// The formats.
  public enum Format: String, Sendable {
    /// Xcode's StoreKit configuration.
    case storeKitConfiguration = "storekit"
    /// A JSON list.
    case json
    /// A table with a header.
    case csv
  }

  /// Which it was.
  public var format: Format
  /// The products, in the file's order.
  public var products: [Product]

  /// Reads a file, whatever its name: what it holds tells the format.
  /// - Parameter bytes: UTF-8.
  /// - Throws: ``CatalogueError``, for the whole file: a catalogue is taken as a whole or not at all.
  public init(_ bytes: [UInt8]) throws(CatalogueError) {
    var text = bytes[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard first != nil else { throw CatalogueError(.unreadable, "the file is empty") }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      self.init(format: .csv, products: try ProductTable(Array(text)).products())
      try checked()
      return
    }
    let document: JSONDocument
    do throws(JSONError) { document = try JSONDocument(bytes) } catch {
      throw CatalogueError(
        .unreadable, "this is no JSON: \(error.detail.isEmpty ? error.reason.rawValue : error.detail)",
        path: error.path)
    }
    let root = document.root
    if root["version"]?.isObject == true || root["subscriptionGroups"] != nil {
      self.init(
        format: .storeKitConfiguration, products: try StoreKitConfiguration(root: root).products())
    } else {
      self.init(format: .json, products: try ProductList(root: root).products())
    }
    try checked()
  }

  private init(format: Format, products: [Product]) {
    (self.format, self.products) = (format, products)
  }

  /// What no format forbids and yet cannot be true.
  private func checked() throws(CatalogueError) {
    var seen: [[String?]: Product] = [:]
    for product in products {
      guard let other = seen.updateValue(product, forKey: [product.bundleID, product.id]) else { continue }
      if other.subscriptionGroupID != product.subscriptionGroupID {
        let groups = [other, product].map { $0.subscriptionGroupID ?? "no group" }.joined(separator: " and ")
        throw CatalogueError(.contradiction, "product \(product.id) stands in two groups: \(groups)")
      }
      throw CatalogueError(.contradiction, "product \(product.id) stands twice")
    }
    for product in products where product.subscriptionGroupID != nil {
      guard let type = product.type, type != .autoRenewable else { continue }
      throw CatalogueError(
        .contradiction, "product \(product.id) stands in a subscription group and is no auto-renewable subscription")
    }
  }
}

/// Why a catalogue is not taken.
public struct CatalogueError: Error, Sendable, Equatable {
  /// The reasons: stable names.
  public enum Code: String, Sendable, CaseIterable {
    /// Neither JSON nor CSV, or not one that holds products.
    case unreadable
    /// A StoreKit configuration of a schema that is not known.
    case unknownSchema = "unknown_schema"
    /// Something that every product needs is missing.
    case missing
    /// A value that is not what its place asks for.
    case invalid
    /// Two statements that cannot both be true.
    case contradiction
  }

  /// What kind of reason.
  public var code: Code
  /// Where: a JSON path, or the line of a table.
  public var path: String
  /// What is wrong, in words, without a full stop.
  public var detail: String

  init(_ code: Code, _ detail: String, path: String = "$") {
    (self.code, self.detail, self.path) = (code, detail, path)
  }

  /// What to do next, as one sentence.
  public var advice: String {
    switch code {
    case .unreadable: "Give a .storekit file, a JSON list of products, or CSV with a header."
    case .unknownSchema: "Schemas 1.x to 5.x are known: save it with such an Xcode, or give a JSON list."
    case .missing, .invalid: "Mend it there and import the file again; nothing was taken from it."
    case .contradiction: "Decide which is right and import the file again; nothing was taken from it."
    }
  }
}
