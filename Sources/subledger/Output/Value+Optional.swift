import AppStore
import Ledger

extension Value {
  static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
  static func optional(_ number: Int64?) -> Value { number.map(Value.integer) ?? .null }
  static func optional(_ instant: Instant?) -> Value { instant.map(Value.instant) ?? .null }
}
