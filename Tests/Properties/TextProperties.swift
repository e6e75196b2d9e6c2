import AppStore
package import TextTemplates

/// Returns pieces of different sizes. Equal bytes give equal pieces, so that a failure can be repeated.
private func pieces(of bytes: [UInt8], upTo limit: Int) -> [[UInt8]] {
  var state = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  var pieces: [[UInt8]] = []
  var start = 0
  while start < bytes.count {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let end = min(bytes.count, start + 1 + Int(state >> 33) % limit)
    pieces.append(Array(bytes[start..<end]))
    start = end
  }
  return pieces
}

extension FuzzTargets {
  func checkSplitter(_ bytes: [UInt8]) throws {
    func outputs(_ pieces: [[UInt8]]) -> [PayloadSplitter.Output] {
      var splitter = PayloadSplitter()
      return pieces.flatMap { splitter.append($0) } + splitter.finish()
    }
    let whole = outputs([bytes])
    // Byte by byte is slow, and finds nothing more in long files.
    for limit in bytes.count < 1000 ? [1, 5, 64] : [500, 5000] {
      let cut = outputs(pieces(of: bytes, upTo: limit))
      try hold(cut == whole, "a file gives the same items however it is cut", "\(limit): \(cut) for \(whole)")
    }
    var last = 1
    var count = 0
    for output in whole {
      guard case .item(let item, let line) = output else {
        throw Violation(property: "a short file comes in whole items", detail: "\(output)")
      }
      try hold(!item.isEmpty, "an item has bytes")
      try hold(line >= last, "lines are counted forwards", "\(line) after \(last)")
      (last, count) = (line, count + item.count)
    }
    try hold(count <= bytes.count, "items hold no more than the file")
    try hold(last <= 1 + bytes.count(where: { $0 == 0x0A }), "no line is beyond the end", "\(last)")
  }

  func checkInstant(_ bytes: [UInt8]) async throws {
    if let instant = Instant(String(decoding: bytes, as: UTF8.self)) {
      try hold(Instant(instant.description) == instant, "an instant is read as it is written", "\(instant)")
    }
    // Every number makes an instant with a text. An instant with a year of four digits can be read again.
    let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let instant = Instant(milliseconds: Int64(bitPattern: number))
    let written = instant.description
    try hold(!written.isEmpty, "every instant is shown")
    if let again = Instant(written) { try hold(again == instant, "no instant is written as another", written) }
    // The library reads the dates of receipts by other code.
    let text = shown(bytes).filter { $0 != "\"" && $0 != "\\" && $0 >= " " }
    let receipt = "{\"transaction_id\":\"1\",\"product_id\":\"p\",\"purchase_date\":\"\(text)\"}"
    try await checkPayload(Array(receipt.utf8))
  }

  func checkRedactor(_ bytes: [UInt8]) throws {
    let clean = SecretRedactor.redacted(bytes)
    try hold(clean.count == bytes.count, "a text without its secret is as long")
    try hold(SecretRedactor.redacted(clean) == clean, "nothing is left to blank out", shown(clean))
    for limit in [1, 5] {
      var redactor = SecretRedactor()
      let joined = pieces(of: bytes, upTo: limit).flatMap { redactor.next($0[...]) }
      try hold(joined == clean, "pieces are blanked as the whole is", shown(joined))
    }
    for (before, after) in zip(bytes, clean) {
      let isDigit = (0x30...0x39).contains(before) && after == UInt8(ascii: "1")
      try hold(
        before == after || after == UInt8(ascii: "*") || isDigit, "nothing but a secret is changed", shown(clean))
    }
  }

  func checkTemplate(_ bytes: [UInt8]) throws {
    guard let parts = TextTemplate.split(bytes, columns: NoColumns()) else { return }
    let joined = TextTemplate.join(template: parts.template.text, values: parts.values) { _ in nil }
    try hold(joined == bytes, "a text taken apart is put together again", shown(joined))
    try hold(TextTemplate.split(bytes, columns: NoColumns())?.template == parts.template, "a text has one template")
    try hold(
      parts.template.text.count + parts.values.count <= 3 * bytes.count, "a template is not much longer than its text")
  }
}

/// The columns beside a text that has none.
package struct NoColumns: TemplateValues {
  package init() {}
  package func value(of column: TemplateColumn) -> TemplateValue? { nil }
}
