import LedgerPresentation

/// A JSON value that is printed for people: one member per line, in the given order.
indirect enum JSONTree {
  case text(String)
  case flag(Bool)
  case number(Int)
  case null
  case list([JSONTree])
  case object([(name: String, value: JSONTree)])

  /// Returns the JSON text, with an indent for every line after the first.
  func text(depth: Int = 0) -> String {
    let (outer, inner) = (String(repeating: "  ", count: depth), String(repeating: "  ", count: depth + 1))
    switch self {
    case .text(let text): return JSONText.string(text)
    case .flag(let flag): return flag ? "true" : "false"
    case .number(let number): return String(number)
    case .null: return "null"
    case .list(let values):
      if values.isEmpty { return "[]" }
      return "[\n" + values.map { inner + $0.text(depth: depth + 1) }.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      let lines = members.map { inner + JSONText.string($0.name) + ": " + $0.value.text(depth: depth + 1) }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    }
  }
}
