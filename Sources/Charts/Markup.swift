/// Elements of XML, one a line, written so that nothing can be left unescaped.
struct Markup {
  private(set) var text = ""

  /// An element with nothing inside.
  mutating func leaf(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += start(name, attributes) + "/>\n"
  }

  /// An element that is closed later.
  mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    text += start(name, attributes) + ">\n"
  }

  mutating func close(_ name: String) { text += "</\(name)>\n" }

  /// An element with words inside, and where they were shortened a tooltip with all of them.
  mutating func words(
    _ name: String, _ words: String, _ attributes: KeyValuePairs<String, String> = [:], tooltip: String? = nil
  ) {
    let title = tooltip.map { "<title>\(escaped($0))</title>" } ?? ""
    text += start(name, attributes) + ">" + title + escaped(words) + "</\(name)>\n"
  }

  /// Markup that was written apart.
  mutating func add(_ other: String) { text += other }

  private func start(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
    attributes.reduce("<" + name) { $0 + " \($1.key)=\"\(escaped($1.value))\"" }
  }
}

/// A coordinate or length as SVG has it: at most two decimals, no exponent.
func pixels(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
  let sign = hundredths < 0 ? "-" : ""
  if part == 0 { return "\(sign)\(whole)" }
  return part % 10 == 0 ? "\(sign)\(whole).\(part / 10)" : "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
}
