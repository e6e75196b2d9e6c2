import AppStore
import Ledger

extension Value {
  package static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
  package static func optional(_ number: Int64?) -> Value { number.map(Value.integer) ?? .null }
  package static func optional(_ number: Int?) -> Value { .optional(number.map(Int64.init)) }
  package static func optional(_ instant: Instant?) -> Value { instant.map(Value.instant) ?? .null }
}
