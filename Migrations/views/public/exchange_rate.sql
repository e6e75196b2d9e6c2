-- What one unit of a currency was worth in another (rate_numerator by rate_denominator), from which instant until
-- which, as was known: the rates that were imported, each until the next day that has one (and the last for good).
CREATE VIEW exchange_rate AS
SELECT
  known_at, currency, into_currency, day_at AS begins_at,
  COALESCE(
    LEAD(day_at) OVER (PARTITION BY known_at, currency, into_currency ORDER BY day_at), 9223372036854775807
  ) AS ends_at,
  rate_numerator, rate_denominator
FROM (
  SELECT
    q.known_at, e.currency, e.into_currency, e.day_at, e.rate_numerator, e.rate_denominator,
    ROW_NUMBER() OVER (
      PARTITION BY q.known_at, e.currency, e.into_currency, e.day_at
        ORDER BY e.recorded_at DESC, e.entry_id DESC, q.as_of
    ) AS row_rank
  FROM param_query q
  CROSS JOIN exchange_rate_entry e
  WHERE e.recorded_at <= q.known_at
) entered
WHERE row_rank = 1;
