/// A version of one of Apple's objects, with the text of the object.
package protocol ObjectVersion {
  /// The exact text of the object.
  var object: ObjectText { get set }
}

extension TransactionVersion: ObjectVersion {}
extension RenewalVersion: ObjectVersion {}
extension AppTransactionVersion: ObjectVersion {}
