internal import AppStore
internal import LedgerSchema

extension Evidence {
  /// How much it is trusted: which questions it counts for.
  var trustLevel: LeastTrust {
    guard let root else { return trust == .verified ? .signed : .any }
    return root.isApple ? .apple : .signed
  }
}
