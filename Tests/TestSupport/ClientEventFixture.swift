import AppStore

extension PayloadFixture {
  /// Returns a client event in the form in which an app sends it.
  package static func event(
    _ state: String?, at: Instant, id: String? = nil, originalID: String? = nil, product: String = "monthly",
    customer: String? = "user", device: String? = "phone", error: (String, Int)? = nil, event: String = "updated"
  ) -> String {
    var members = ["\"event\":\"\(event)\"", "\"product_id\":\"\(product)\"", "\"at\":\"\(at)\""]
    if let state { members.append("\"transaction_state\":\"\(state)\"") }
    if let id { members.append("\"transaction_id\":\"\(id)\"") }
    if let originalID { members.append("\"original_transaction_id\":\"\(originalID)\"") }
    if let customer { members.append("\"customer\":\"\(customer)\"") }
    if let device { members.append("\"device\":\"\(device)\"") }
    if let error { members.append("\"error\":{\"domain\":\"\(error.0)\",\"code\":\(error.1)}") }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// Returns the client event of a transaction that left the payment queue.
  package static func removed(
    _ state: String? = nil, at: Instant, id: String? = nil, product: String = "monthly", customer: String? = "user",
    device: String? = "phone"
  ) -> String {
    event(state, at: at, id: id, product: product, customer: customer, device: device, event: "removed")
  }
}
