-- The agreements for which a report is imported.
-- @key agreement, known_at
CREATE VIEW int_reconciliation_report AS
SELECT DISTINCT known_at, agreement FROM int_reconciliation_report_day;
