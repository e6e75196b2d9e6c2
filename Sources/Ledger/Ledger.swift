// A program that uses a ledger needs one import. Each of these libraries can also be imported alone.
@_exported public import AppStore
@_exported public import LedgerMaintenance
@_exported public import LedgerQueries
@_exported public import LedgerReports
@_exported public import LedgerSchema
@_exported public import LedgerStore
