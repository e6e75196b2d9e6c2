-- The instants asked about. This view asks *now, with all that is known*; another question is another relation of the
-- same name and columns before it (a temporary table, a common table expression, literals). It is the only place in
-- the derivation that speaks SQLite's own dialect.
CREATE VIEW question AS
SELECT
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS as_of,
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS known_at;
