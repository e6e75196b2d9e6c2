import AppStore
import Ledger

/// Writes compact JSON: keys in the given order, ids as text, instants in ISO 8601.
package enum JSONText {
  /// The members of an object, in their order. Each value is JSON.
  package typealias Members = [(name: String, json: String)]

  /// Returns an object with these members, in their order.
  package static func object(_ members: KeyValuePairs<String, Value>) -> String { nested(self.members(members)) }

  /// Returns an object with the fields of a row.
  package static func object<Row: AnswerRow>(_ row: Row) -> String {
    nested(Row.fields.map { ($0.name, value($0.value(row))) })
  }

  /// Returns an object with the values of a row whose columns are known only at run time, as those of a query are.
  package static func object(columns: [String], row values: [Value]) -> String {
    precondition(columns.count == values.count, "A row has one value for each column.")
    return nested(columns.indices.map { (columns[$0], value(values[$0])) })
  }

  /// Returns members whose values are JSON, for an object that has others as well.
  package static func members(_ members: KeyValuePairs<String, Value>) -> Members {
    members.map { ($0.key, value($0.value)) }
  }

  /// Returns an object whose values are already JSON.
  package static func nested(_ members: Members) -> String {
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
