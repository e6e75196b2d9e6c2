import AppStore

extension FuzzTargets {
  func checkCatalogue(_ bytes: [UInt8]) throws {
    func read() -> Result<ProductCatalogue, CatalogueError> {
      do throws(CatalogueError) { return .success(try ProductCatalogue(bytes)) } catch { return .failure(error) }
    }
    let first = read()
    try hold(first == read(), "a catalogue read twice says the same", "\(first)")
    switch first {
    case .failure(let refusal):
      let isWhole = !refusal.detail.isEmpty && !refusal.path.isEmpty && !refusal.advice.isEmpty
      try hold(isWhole, "a refused catalogue says where and why", "\(refusal)")
    case .success(let catalogue):
      let ids = catalogue.products.map(\.id)
      try hold(Set(ids).count == ids.count, "no product stands twice")
      for product in catalogue.products { try checkProduct(product) }
    }
  }

  private func checkProduct(_ product: Product) throws {
    try hold((1...255).contains(product.id.utf8.count), "a product's id is neither empty nor long", product.id)
    let periods = [product.period] + (product.offers ?? []).map(\.period)
    for case let period? in periods {
      try hold(period.months + period.days > 0, "a period lasts", "\(period)")
      try hold(Period(period.description) == period, "a period is read as it is written", "\(period)")
    }
    for price in product.prices ?? [] {
      try hold(price.amount >= 0, "a price is no debt", "\(price)")
    }
    for entitlement in product.entitlements ?? [] {
      try hold(!entitlement.isEmpty, "an entitlement has a name", product.id)
    }
  }
}
