/// The id of an order, which a customer finds in Apple's receipt by mail.
struct OrderID: Equatable, CustomStringConvertible {
  /// The number in the id: the transactions' `webOrderLineItemId`, or the id of a one-time purchase.
  let number: Int64

  /// The order of a transaction.
  init(of transaction: Transaction) { number = transaction.webOrderLineItemID ?? transaction.id }

  /// Reads an id; `nil` for a text that is none.
  init?(_ text: String) {
    guard text.hasPrefix("M"), let number = Int64(text.dropFirst(), radix: 36), number > 0 else { return nil }
    self.number = number
  }

  /// The id, such as `MK5TTTVWJH`.
  var description: String { "M" + String(number, radix: 36, uppercase: true) }
}
