@testable import Charts

/// What must hold of every drawing; each check returns its complaints, so that it can be shown to have some.
enum Checks {
  static func complaints(about svg: String) throws -> [String] {
    let root = try read(svg)
    return unsafe(root) + numbers(root) + references(root) + outside(root) + overlaps(root)
  }

  /// Scripts, handlers, and anything from elsewhere.
  static func unsafe(_ root: Element) -> [String] {
    let forbidden: Set = ["script", "foreignObject", "image", "use", "a", "iframe", "link", "object", "animate", "set"]
    return root.all.flatMap { element -> [String] in
      let names = element.attributes.keys.filter {
        $0.hasPrefix("on") || $0 == "href" || $0 == "xlink:href" || $0 == "src"
      }
      let values = element.attributes.filter {
        $0.key != "xmlns" && $0.value.contains("url(") && !$0.value.hasPrefix("url(#")
      }
      let style = element.name == "style" && ["@import", "url(", "http"].contains(where: element.text.contains)
      let attributes = (names + values.keys).map { "attribute \($0)" }
      if style { return attributes + ["style from elsewhere"] }
      return forbidden.contains(element.name) ? attributes + ["element \(element.name)"] : attributes
    }
  }

  /// Attributes that are numbers must be numbers that SVG knows.
  static func numbers(_ root: Element) -> [String] {
    let lengths: Set = ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "width", "height"]
    let path = Set("MLHVZhv-. 0123456789".utf8)
    let digits = Set("-.0123456789".utf8)
    return root.all.flatMap { element -> [String] in
      element.attributes.compactMap { (name: String, value: String) -> String? in
        let isPlain = value.utf8.allSatisfy(digits.contains) && Double(value) != nil
        if lengths.contains(name) && !isPlain { return "\(element.name) \(name)=\(value)" }
        if ["width", "height", "r"].contains(name) && value.hasPrefix("-") { return "negative \(name)=\(value)" }
        if name == "d" && !value.utf8.allSatisfy(path.contains) { return "path \(value.prefix(80))" }
        return nil
      }
    }
  }

  /// Ids are unique, and what refers to one finds it.
  static func references(_ root: Element) -> [String] {
    let ids = root.all.compactMap { $0.attributes["id"] }
    let known = Set(ids)
    let used = root.all.flatMap { element -> [String] in
      let paints = element.attributes.values.filter { $0.hasPrefix("url(#") }.map { String($0.dropFirst(5).dropLast()) }
      return paints + (element.attributes["aria-labelledby"] ?? "").split(separator: " ").map(String.init)
    }
    return (known.count == ids.count ? [] : ["an id twice"]) + used.filter { !known.contains($0) }.map { "no \($0)" }
  }

  /// What is beyond the edges.
  static func outside(_ root: Element) -> [String] {
    let box = root.attributes["viewBox"]?.split(separator: " ").compactMap { Double($0) } ?? []
    guard box.count == 4 else { return ["no viewBox"] }
    let texts = root.all("text").map { (Box($0), "text \($0.text)") }
    let shapes = root.all.filter { ["rect", "circle", "line"].contains($0.name) }.map { (Box(shape: $0), $0.name) }
    return (texts + shapes).filter { found, _ in
      found.left < -0.01 || found.top < -0.01 || found.right > box[2] + 0.01 || found.bottom > box[3] + 0.01
    }.map { "outside: \($1)" }
  }

  /// Texts that run into each other.
  static func overlaps(_ root: Element) -> [String] {
    let texts = root.all("text").map { (box: Box($0), words: $0.text) }
    return texts.indices.flatMap { later -> [String] in
      texts[..<later].filter { $0.box.meets(texts[later].box) }.map { "overlap: \($0.words) and \(texts[later].words)" }
    }
  }
}

/// What an element covers, as far as the estimate of its text's width is right (`browser` measures it).
struct Box {
  let left: Double
  let right: Double
  let top: Double
  let bottom: Double

  init(_ text: Element) {
    let font: Font =
      text.has("title") ? .title : text.has("subtitle") ? .subtitle : text.has("legend") ? .legend : .axis
    let width = font.width(text.text)
    let x = text.number("x") ?? 0
    let anchor = text.attributes["text-anchor"] ?? "start"
    let before = anchor == "middle" ? width / 2 : anchor == "end" ? width : 0
    (left, right) = (x - before, x - before + width)
    top = (text.number("y") ?? 0) - font.size * 0.8
    bottom = (text.number("y") ?? 0) + font.size * 0.2
  }

  init(shape: Element) {
    let radius = shape.number("r") ?? 0
    let x = shape.number("x") ?? shape.number("x1") ?? shape.number("cx") ?? 0
    let y = shape.number("y") ?? shape.number("y1") ?? shape.number("cy") ?? 0
    (left, top) = (x - radius, y - radius)
    right = shape.number("width").map { x + $0 } ?? shape.number("x2") ?? x + radius
    bottom = shape.number("height").map { y + $0 } ?? shape.number("y2") ?? y + radius
  }

  func meets(_ other: Box) -> Bool {
    left < other.right && other.left < right && top < other.bottom && other.top < bottom
  }
}
