/// Elements of XML, one per line. Texts and attributes are always escaped.
struct Markup {
  private(set) var text = ""

  /// Adds an element without content.
  mutating func leaf(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += start(name, attributes) + "/>\n"
  }

  /// Opens an element that a caller closes later.
  mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    text += start(name, attributes) + ">\n"
  }

  mutating func close(_ name: String) { text += "</\(name)>\n" }

  /// Adds an element with text. If the text was shortened, its tooltip contains all of it.
  mutating func text(
    _ name: String, _ words: String, _ attributes: KeyValuePairs<String, String> = [:], tooltip: String? = nil
  ) {
    let title = tooltip.map { "<title>\(escapedMarkup($0))</title>" } ?? ""
    text += start(name, attributes) + ">" + title + escapedMarkup(words) + "</\(name)>\n"
  }

  /// Adds complete markup that was written elsewhere.
  mutating func add(_ other: String) { text += other }

  private func start(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
    attributes.reduce("<" + name) { $0 + " \($1.key)=\"\(escapedMarkup($1.value))\"" }
  }
}

/// Returns a coordinate or length in the form of SVG: at most two decimals, no exponent.
func pixels(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
  let sign = hundredths < 0 ? "-" : ""
  if part == 0 { return "\(sign)\(whole)" }
  return part % 10 == 0 ? "\(sign)\(whole).\(part / 10)" : "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
}
