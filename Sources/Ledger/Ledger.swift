// One import for a program that uses a ledger: each of these libraries can also be imported by itself.
@_exported public import AppStore
@_exported public import LedgerMaintenance
@_exported public import LedgerQueries
@_exported public import LedgerReports
@_exported public import LedgerSchema
@_exported public import LedgerStore
