internal import AppStore
package import GRDB

/// The number of a row of one table. Each table has a type of its own, so that no number can be passed for another.
package struct RowNumber<Table>: Hashable, Sendable {
  /// The number, as the file stores it.
  package let rawValue: Int64

  /// Creates the number of a row from what the file stores.
  package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of an `original_transaction`: what a customer has bought, with all its renewals.
package typealias OriginalTransactionKey = RowNumber<LedgerTable.OriginalTransaction>
/// The number of a transaction: the `transaction_info_id` of its first text.
package typealias TransactionKey = RowNumber<LedgerTable.Transaction>
/// The number of a `transaction_info`: a text of Apple's about a transaction.
package typealias TransactionInfoID = RowNumber<LedgerTable.TransactionInfo>
/// The number of a `transaction_version`: one time that Apple stated a transaction.
package typealias TransactionVersionID = RowNumber<LedgerTable.TransactionVersion>
/// The number of a `renewal_info`: a text of Apple's about the renewal of a subscription.
package typealias RenewalInfoID = RowNumber<LedgerTable.RenewalInfo>
/// The number of a `renewal_info_version`: one time that Apple stated a renewal info.
package typealias RenewalInfoVersionID = RowNumber<LedgerTable.RenewalInfoVersion>
/// The number of an `app_transaction_info`: a text of Apple's about an app that a customer downloaded.
package typealias AppTransactionInfoID = RowNumber<LedgerTable.AppTransactionInfo>
/// The number of a `payload`.
package typealias PayloadID = RowNumber<LedgerTable.Payload>
/// The number of a `customer`.
package typealias CustomerKey = RowNumber<LedgerTable.Customer>
/// The number of an `api_token`.
package typealias TokenKey = RowNumber<LedgerTable.APIToken>
/// The number of a `staff_user`.
package typealias StaffUserKey = RowNumber<LedgerTable.StaffUser>
/// The number of a `seat_claim`.
package typealias SeatClaimKey = RowNumber<LedgerTable.SeatClaim>

extension TransactionKey {
  /// Creates the key of a transaction from the number of its first text.
  init(first info: TransactionInfoID) { self.init(info.rawValue) }
}

/// The tables whose rows have numbers of their own type.
package enum LedgerTable {
  package enum OriginalTransaction {}
  package enum Transaction {}
  package enum TransactionInfo {}
  package enum TransactionVersion {}
  package enum RenewalInfo {}
  package enum RenewalInfoVersion {}
  package enum AppTransactionInfo {}
  package enum Payload {}
  package enum Customer {}
  package enum SeatClaim {}
  package enum APIToken {}
  package enum StaffUser {}
}

extension RowNumber: Comparable {
  package static func < (one: RowNumber, other: RowNumber) -> Bool { one.rawValue < other.rawValue }
}

extension RowNumber: DatabaseValueConvertible, StatementColumnConvertible {
  package var databaseValue: DatabaseValue { rawValue.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> RowNumber? {
    Int64.fromDatabaseValue(value).map(RowNumber.init)
  }

  package init?(sqliteStatement statement: SQLiteStatement, index: CInt) {
    self.init(Int64(sqliteStatement: statement, index: index))
  }
}

extension RowNumber: CustomStringConvertible {
  package var description: String { String(rawValue) }
}
