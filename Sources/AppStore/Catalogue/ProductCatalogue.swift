/// The products of one or more apps, read from a file: Xcode's `.storekit` configuration (schema 1.0 to 5.x), a JSON
/// list, or CSV.
public struct ProductCatalogue: Sendable, Equatable {
  /// The formats of a catalogue.
  public enum Format: String, Sendable {
    /// Xcode's StoreKit configuration file.
    case storeKitConfiguration = "storekit"
    /// A JSON list of products.
    case json
    /// A table with a header, in CSV.
    case csv
  }

  /// The format of the file.
  public var format: Format
  /// The products, in the file's order.
  public var products: [Product]

  /// Reads a file. Its content decides the format, not its name.
  /// - Parameter bytes: the content of the file, in UTF-8.
  /// - Throws: ``CatalogueError``. No product of the file is then returned.
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
        .unreadable, "this is not JSON: \(error.detail.isEmpty ? error.reason.rawValue : error.detail)",
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

  /// Throws an error for contradictions that every format allows.
  private func checked() throws(CatalogueError) {
    var seen: [[String?]: Product] = [:]
    for product in products {
      guard let other = seen.updateValue(product, forKey: [product.bundleID, product.id]) else { continue }
      if other.subscriptionGroupID != product.subscriptionGroupID {
        let groups = [other, product].map { $0.subscriptionGroupID ?? "no group" }.joined(separator: " and ")
        throw CatalogueError(.contradiction, "product \(product.id) is in two groups: \(groups)")
      }
      throw CatalogueError(.contradiction, "product \(product.id) is listed twice")
    }
    for product in products where product.subscriptionGroupID != nil {
      guard let type = product.type, type != .autoRenewable else { continue }
      throw CatalogueError(
        .contradiction, "product \(product.id) is in a subscription group, but is not an auto-renewable subscription")
    }
  }
}

/// Why a catalogue was refused.
public struct CatalogueError: Error, Sendable, Equatable {
  /// The reasons. Their names are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The file is neither JSON nor CSV, or does not contain products in the expected form.
    case unreadable
    /// The schema of the StoreKit configuration is not supported.
    case unknownSchema = "unknown_schema"
    /// A value that every product needs is missing.
    case missing
    /// A value is not valid for its key or column.
    case invalid
    /// Two values of the file contradict each other.
    case contradiction
  }

  /// The kind of reason.
  public var code: Code
  /// The JSON path, or the line or row of a table.
  public var path: String
  /// A description in plain words, without a full stop.
  public var detail: String

  init(_ code: Code, _ detail: String, path: String = "$") {
    (self.code, self.detail, self.path) = (code, detail, path)
  }

  /// What to do next, in one or two sentences.
  public var advice: String {
    switch code {
    case .unreadable: "Give a .storekit file, a JSON list of products, or CSV with a header."
    case .unknownSchema: "Save it with an Xcode that writes a schema from 1.x to 5.x, or give a JSON list."
    case .missing, .invalid: "Correct it there and import the file again. Nothing was imported from it."
    case .contradiction: "Decide which is right and import the file again. Nothing was imported from it."
    }
  }
}
