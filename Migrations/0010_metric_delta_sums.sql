-- Metric deltas added up, so that a report reads as many rows as there are days and dimensions, and not as many as
-- there are payments.

-- The sum of the metric deltas of all original transactions for each measure with its dimensions, each day, and each
-- day on which deltas became effective. effective_day counts days since 1970. The program keeps it with
-- projection_metric_delta in one transaction.
CREATE TABLE projection_metric_delta_sum (
  dimensions_id INTEGER NOT NULL,
  day_at INTEGER NOT NULL,
  effective_day INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (dimensions_id, day_at, effective_day)
) STRICT, WITHOUT ROWID;
INSERT INTO projection_metric_delta_sum
SELECT dimensions_id, day_at, effective_at / 86400000, SUM(amount)
FROM projection_metric_delta
GROUP BY 1, 2, 3;

-- A report reads single deltas of one day only: of the day of as_of.
DROP INDEX projection_metric_delta_of_day;
CREATE INDEX projection_metric_delta_of_effective_day ON projection_metric_delta ((effective_at / 86400000));
