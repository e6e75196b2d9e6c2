-- The question: at which instant, as known at which, and what evidence counts. This view asks *now, with all that is
-- known, of all evidence*; another question is another relation of the same name and columns before it (a temporary
-- table, a common table expression, literals). It is the only place in the derivation that speaks SQLite's own dialect.
--
-- least_trust: 0 all evidence counts; 1 only what is signed; 2 only what is signed by Apple, and by no root that was
-- added. All rows ask for the same.
CREATE VIEW param_query AS
SELECT
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS as_of,
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS known_at,
  0 AS least_trust;
