-- The query parameters: the instant (as_of), the limit of knowledge (known_at) and the evidence that counts. This view
-- selects now, everything that is known, and all evidence. For other parameters, define another relation with this name
-- and these columns. It may be a temporary table, a common table expression or literals.
--
-- Only this view of the derivation uses functions that other engines do not have.
--
-- minimum_trust is the same in all rows:
--   0  all evidence counts
--   1  only signed evidence counts
--   2  only evidence signed by Apple counts, and none that leads to an added root
CREATE VIEW param_query AS
SELECT
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS as_of,
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS known_at,
  0 AS minimum_trust;
