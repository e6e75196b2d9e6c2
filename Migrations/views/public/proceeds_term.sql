-- The tax and the commission from which proceeds are estimated, from begins_at until ends_at: the rows that come with the
-- program, and those that were imported by known_at instead of them.
--
--   tax                 what a price includes, as a part of the price without it
--   commission          what Apple takes of the price without tax
--   reduced_commission  the same after a year of paid service, and in a program
--   program             100000 from the day on which the account or the app is in a program with the reduced commission
--                       (Small Business, Video Partner, News Partner, Mini Apps), 0 from the day on which it is not
-- @integer begins_at, ends_at, is_default
CREATE VIEW proceeds_term AS
SELECT
  known_at, term, country, bundle_id, begins_at,
  LEAD(begins_at) OVER (PARTITION BY known_at, term, country, bundle_id ORDER BY begins_at) AS ends_at, rate, source,
  is_default
FROM (
  SELECT
    s.known_at, s.term, s.country, s.bundle_id, s.begins_at, s.rate, s.source, s.is_default,
    ROW_NUMBER() OVER (
      PARTITION BY s.known_at, s.term, s.country, s.bundle_id, s.begins_at
      ORDER BY s.is_default, s.entered_at DESC, s.entry_id DESC
    ) AS row_rank
  FROM (
    SELECT
      q.known_at, e.term, e.country, e.bundle_id, e.day_at AS begins_at, e.rate, e.source, 0 AS is_default,
      e.entered_at, e.entry_id
    FROM param_query q
    CROSS JOIN proceeds_term_entry e
    WHERE e.entered_at <= q.known_at
    UNION ALL
    SELECT q.known_at, d.term, d.country, NULL, d.begins_at, d.rate, d.source, 1, 0, 0
    FROM param_query q
    CROSS JOIN int_default_proceeds_term d
  ) s
) stated
WHERE row_rank = 1 AND rate IS NOT NULL;
