import Ledger

extension Error {
  /// The error in a log: a stable code of the ledger, else the name of its type. It has no value and no path.
  var logCode: String { (self as? LedgerError)?.code.rawValue ?? "\(type(of: self))" }
}
