internal import SwiftCSV

/// Reads products from CSV with a header. The columns are `product_id`, and any of `bundle_id`, `type`, `name`,
/// `reference_name`, `group`, `group_name`, `level`, `period`, `price`, `currency`, `storefront`, `family_shareable`,
/// `entitlements` (several with `;` or white space between them).
struct ProductTable {
  private static let columns: Set<String> = [
    "product_id", "bundle_id", "type", "name", "reference_name", "group", "group_name", "level", "period", "price",
    "currency",
    "storefront", "family_shareable", "entitlements",
  ]

  private let header: [String]
  private let rows: [[String]]

  init(_ bytes: [UInt8]) throws(CatalogueError) {
    let text = String(decoding: bytes, as: UTF8.self)
    // The library accepts an unclosed quote and reads to the end of the file without an error.
    guard bytes.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
      throw CatalogueError(.unreadable, "a quote is not closed")
    }
    do {
      let table = try CSV<Enumerated>(string: text, delimiter: .comma, loadColumns: false)
      (header, rows) = (table.header.map { $0.trimmingSpace.lowercased() }, table.rows)
    } catch {
      throw CatalogueError(.unreadable, "this is not valid CSV: a quote is in the wrong place")
    }
    guard header.contains("product_id") else {
      throw CatalogueError(.unreadable, "the header has no column product_id", path: "line 1")
    }
    for name in header where !Self.columns.contains(name) {
      throw CatalogueError(
        .invalid, "the column \(name) is not known; known are \(Self.columns.sorted().joined(separator: ", "))",
        path: "line 1")
    }
  }

  func products() throws(CatalogueError) -> [Product] {
    var products: [Product] = []
    for (index, row) in rows.enumerated() where !row.allSatisfy(\.trimmingSpace.isEmpty) {
      products.append(try product(row, path: "row \(index + 1) below the header"))
    }
    return products
  }

  private func product(_ row: [String], path: String) throws(CatalogueError) -> Product {
    guard row.count <= header.count else {
      throw CatalogueError(.invalid, "\(row.count) cells under \(header.count) columns", path: path)
    }
    func cell(_ name: String) -> String? {
      guard let index = header.firstIndex(of: name), index < row.count else { return nil }
      let text = row[index].trimmingSpace
      return text.isEmpty ? nil : text
    }
    func read<Value>(_ name: String, _ words: String, _ parse: (String) -> Value?) throws(CatalogueError) -> Value? {
      guard let text = cell(name) else { return nil }
      guard let value = parse(text) else {
        throw CatalogueError(.invalid, "\(name) \"\(text.prefix(40))\" is \(words)", path: path)
      }
      return value
    }
    guard let id = cell("product_id") else { throw CatalogueError(.missing, "a product has no id", path: path) }
    var product = Product(id: try CatalogueReader.checkedID(id, path: path))
    product.bundleID = cell("bundle_id")
    product.type = try read("type", "not one of \(ProductType.allCases.map(\.rawValue).joined(separator: ", "))") {
      ProductType($0)
    }
    product.names = cell("name").map { [Product.Name(locale: "", displayName: $0, description: "")] }
    product.referenceName = cell("reference_name")
    product.subscriptionGroupID = cell("group")
    product.subscriptionGroupName = cell("group_name")
    product.serviceLevel = try read("level", "not a whole number") { Int64($0) }
    product.period = try read("period", "not an ISO 8601 duration such as P1M") { Period($0) }
    product.isFamilyShareable = try read("family_shareable", "neither true nor false", CatalogueText.flag)
    if let amount = try read(
      "price", "not a price; write it like 4.99, with a dot and at most three decimals", { Milliunits($0) })
    {
      product.prices = [
        Product.Price(amount, currency: cell("currency"), storefront: cell("storefront"))
      ]
    }
    product.entitlements = cell("entitlements").map {
      $0.split { $0 == ";" || $0.isWhitespace }.map(String.init)
    }
    return product
  }
}
