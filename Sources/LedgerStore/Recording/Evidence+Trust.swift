internal import AppStore
internal import LedgerSchema

extension Evidence {
  /// The greatest demand for trust that this evidence meets.
  var trustLevel: MinimumTrust {
    guard let root else { return trust == .verified ? .signed : .any }
    return root.isApple ? .apple : .signed
  }
}
