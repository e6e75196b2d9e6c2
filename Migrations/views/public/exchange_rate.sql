-- The value of one unit of a currency in another currency, from begins_at until ends_at. It is rate_numerator /
-- rate_denominator. The rates are those that were imported by known_at. metric_figure converts money with them. Each is valid until the next day that has a
-- rate, and the last one has no end.
CREATE VIEW exchange_rate AS
SELECT
  known_at, currency, into_currency, day_at AS begins_at,
  LEAD(day_at) OVER (PARTITION BY known_at, currency, into_currency ORDER BY day_at) AS ends_at,
  rate_numerator, rate_denominator
FROM (
  SELECT
    q.known_at, e.currency, e.into_currency, e.day_at, e.rate_numerator, e.rate_denominator,
    ROW_NUMBER() OVER (
      PARTITION BY q.known_at, e.currency, e.into_currency, e.day_at
        ORDER BY e.entered_at DESC, e.entry_id DESC, q.as_of
    ) AS row_rank
  FROM param_query q
  CROSS JOIN exchange_rate_entry e
  WHERE e.entered_at <= q.known_at
) entered
WHERE row_rank = 1;
