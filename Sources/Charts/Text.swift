/// Returns a text in a form for drawings: one line, without three kinds of characters. XML forbids some characters.
/// Others turn the direction of the text. Piles of marks on one letter would cover the lines above.
func clean(_ text: String) -> String {
  var result = String.UnicodeScalarView()
  var marks = 0
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      marks = 0
      if !result.isEmpty && result.last != " " { result.append(" ") }
    case .format, .surrogate:
      // These two join emoji and letters of some scripts. All others of this kind are invisible, or turn the direction.
      if scalar == "\u{200D}" || scalar == "\u{200C}" { result.append(scalar) }
    case .nonspacingMark, .enclosingMark:
      marks += 1
      if marks <= 3 { result.append(scalar) }
    default:
      marks = 0
      if !scalar.properties.isNoncharacterCodePoint { result.append(scalar) }
    }
  }
  if result.last == " " { result.removeLast() }
  return String(result)
}

/// Returns a text with the characters of markup escaped, for elements and attributes.
package func escapedMarkup(_ text: String) -> String {
  guard text.utf8.contains(where: { #"&<>"'"#.utf8.contains($0) }) else { return text }
  var result = ""
  for character in text.unicodeScalars {
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    case "'": result += "&#39;"
    default: result.unicodeScalars.append(character)
    }
  }
  return result
}

/// The size and weight of a text, from which its width is estimated.
struct Font: Equatable {
  /// The size in pixels.
  let size: Double
  var isBold = false

  static let title = Font(size: 18, isBold: true)
  static let subtitle = Font(size: 13)
  static let legend = Font(size: 12)
  static let axis = Font(size: 11)
  static let cell = Font(size: 11)

  /// The height of a line, in pixels.
  var leading: Double { (size * 1.45).rounded(.up) }

  /// Returns at least the width of a text in pixels, in any usual sans-serif font. The widths are those of the widest
  /// usual fonts (DejaVu Sans, Verdana). They are generous where scripts differ.
  func width(_ text: String) -> Double {
    text.unicodeScalars.reduce(0) { $0 + Self.ems($1) } * size * (isBold ? 1.13 : 1)
  }

  /// Returns the text if it fits, or otherwise its beginning and an ellipsis.
  func shortened(_ text: String, to room: Double) -> String {
    if width(text) <= room { return text }
    var taken = width("…")
    var end = text.startIndex
    while end < text.endIndex {
      taken += width(String(text[end]))
      if taken > room { break }
      end = text.index(after: end)
    }
    while end > text.startIndex && text[text.index(before: end)] == " " { end = text.index(before: end) }
    return text[..<end] + "…"
  }

  /// Returns the text in lines that fit. The last allowed line may end in an ellipsis.
  func lines(_ text: String, in room: Double, atMost limit: Int) -> [String] {
    var lines = [String]()
    var rest = text.split(separator: " ")[...]
    while !rest.isEmpty {
      if lines.count == limit - 1 { return lines + [shortened(rest.joined(separator: " "), to: room)] }
      var line = String(rest.removeFirst())
      var taken = width(line)
      while let next = rest.first, taken + width(" " + next) <= room {
        taken += width(" " + next)
        line += " " + rest.removeFirst()
      }
      lines.append(shortened(line, to: room))
    }
    return lines
  }

  private static func ems(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", " ", ".", ",", ":", ";", "'", "|", "/", "\\", "·": 0.34
    case "f", "r", "t", "-", "(", ")", "[", "]", "!": 0.42
    case "a"..."z" where scalar != "m" && scalar != "w": 0.64
    case "0"..."9", "E", "F", "J", "L", "P", "S", "T", "Y", "Z", "?", "*", "_", "$", "{", "}", "\"", "–": 0.64
    case "M", "W", "m", "@", "%", "…", "—": 1
    case " "..."~", "\u{A0}"..."\u{24F}", "−", "\u{20A0}"..."\u{20CF}": 0.84
    case "\u{2C00}"..."\u{D7FF}", "\u{F900}"..."\u{FAFF}", "\u{FF00}"..."\u{FFDC}": 1.1
    // Each of these characters can be as wide as a sentence.
    case "\u{FB50}"..."\u{FDFF}", "\u{12000}"..."\u{1254F}", "\u{102A}"..."\u{102F}": 11
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: 0
      default: 1.4
      }
    }
  }
}
