import AppStore
import Ledger

/// Writes compact JSON: keys in the given order, ids as text, instants in ISO 8601.
package enum JSONText {
  package static func object(_ names: [String], _ values: [Value]) -> String {
    "{" + zip(names, values).map { string($0) + ": " + value($1) }.joined(separator: ", ") + "}"
  }

  /// Returns an object whose values are already JSON.
  package static func nested(_ members: [(name: String, json: String)]) -> String {
    "{" + members.map { string($0.name) + ": " + $0.json }.joined(separator: ", ") + "}"
  }

  package static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ", ") + "]" }

  package static func value(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): String(number)
    case .real(let number): number.isFinite ? String(number) : "null"
    case .flag(let flag): flag ? "true" : "false"
    default: string(value.plainText)
    }
  }

  package static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where Printable.isDisturbing(scalar):
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension Value {
  /// The value as JSON and CSV write it: instants in ISO 8601, blobs in hexadecimal, `""` for no value.
  package var plainText: String {
    switch self {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .blob(let bytes): ContentDigest(bytes: bytes).hexadecimal
    case .instant(let instant): instant.description
    case .flag(let flag): flag ? "true" : "false"
    }
  }
}
