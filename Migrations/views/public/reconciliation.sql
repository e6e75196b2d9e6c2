-- Apple's figures beside the ledger's, for each agreement, product, country, currency, price and Pacific day of
-- param_reconciliation. measure names what is counted where an agreement has several rows: the state of states, and the kind
-- of events. analytics_states and analytics_events are the same by the reports of analytics. states counts the subscriptions
-- at the end of the day; the others count what happened on the day. proceeds compares no purchases: its ledger_units are
-- those whose proceeds are what the terms give. finance counts the units sold and returned in a fiscal month; day_at is its
-- first day.
--
-- difference is Apple's units less the ledger's. It is the sum of the columns after it: each unit is explained by the first
-- class that fits, in this order.
--
--   report_missing  no report of the day is imported
--   not_mapped      the report's product number or country leads to no product id or code
--   day             Apple counts the unit on a day before or after, or by days in UTC. day_units is how many of the
--                   ledger's units these are, because those that come and go on one day cancel
--   settlement      Apple settled the unit in the fiscal month before or after: it is of the last 10 days of one
--   learned_later   Apple counted it as refunded then, and reversed the refund later
--   environment_difference
--                   Apple reports it, and the ledger has it in another environment
--   definition      both have an event on the day, and Apple counts it as another kind
--   price           both have it on the day, at different prices, or the ledger has no price
--   terms           Apple's proceeds are not those of the tax and the commission
--   not_received    Apple reports it, and the ledger has no such purchase
--   not_reported    the ledger has it, nothing signed states it, and Apple does not report it
--   unexplained     the rest
-- @integer difference, report_missing, not_mapped, day, day_units
-- @integer settlement, learned_later, environment_difference, definition, price, terms, not_received, not_reported, unexplained
CREATE VIEW reconciliation AS
-- Read once, and used twice: most rows agree, and only the others are taken apart.
WITH counted AS (SELECT * FROM int_reconciliation_rest),
mapped AS (
  SELECT
    z.*,
    CASE WHEN is_report_missing = 1 THEN zone_rest ELSE 0 END AS report_missing,
    CASE
      WHEN is_report_missing = 1 THEN 0
      WHEN zone_rest > 0 AND (product_id IS NULL OR country IS NULL) THEN zone_rest
      WHEN zone_rest < 0 AND unmapped_units > 0 AND product_id NOT IN (SELECT p.product_id FROM apple_product p)
      THEN zone_rest
      ELSE 0
    END AS not_mapped
  FROM counted z
  WHERE zone_rest <> 0
),
rest_of_days AS (
  SELECT m.*, zone_rest - report_missing - not_mapped AS rest
  FROM mapped m
),
-- Units that Apple counts a day later: a deficit of a day, and the surplus of the day after.
later AS (
  SELECT
    d.*,
    CASE
      WHEN agreement IN ('states', 'analytics_states') THEN 0
      WHEN rest < 0 AND next_rest > 0 AND next_day_at = day_at + 86400000
      THEN CASE WHEN -rest < next_rest THEN rest ELSE -next_rest END
      WHEN rest > 0 AND previous_rest < 0 AND previous_day_at = day_at - 86400000
      THEN CASE WHEN rest < -previous_rest THEN rest ELSE -previous_rest END
      ELSE 0
    END AS moved_later
  FROM (
    SELECT
      r.*, LAG(rest) OVER of_key AS previous_rest, LEAD(rest) OVER of_key AS next_rest,
      LAG(day_at) OVER of_key AS previous_day_at, LEAD(day_at) OVER of_key AS next_day_at
    FROM rest_of_days r
    WINDOW of_key AS (
      PARTITION BY as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits ORDER BY day_at
    )
  ) d
),
earlier AS (
  SELECT
    e.*,
    CASE
      WHEN agreement IN ('states', 'analytics_states') THEN 0
      WHEN left_later > 0 AND next_left < 0 AND next_day_at = day_at + 86400000
      THEN CASE WHEN left_later < -next_left THEN left_later ELSE -next_left END
      WHEN left_later < 0 AND previous_left > 0 AND previous_day_at = day_at - 86400000
      THEN CASE WHEN -left_later < previous_left THEN left_later ELSE -previous_left END
      ELSE 0
    END AS moved_earlier
  FROM (
    SELECT
      l.*, rest - moved_later AS left_later, LAG(rest - moved_later) OVER of_key AS previous_left,
      LEAD(rest - moved_later) OVER of_key AS next_left
    FROM later l
    WINDOW of_key AS (
      PARTITION BY as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits ORDER BY day_at
    )
  ) e
),
placed AS (
  SELECT
    e.*, zone_difference + moved_later + moved_earlier AS day,
    CASE
      WHEN agreement <> 'finance' THEN 0
      WHEN left_day > 0 THEN CASE WHEN left_day > early_units THEN early_units ELSE left_day END
      WHEN -left_day > later_units THEN -later_units
      ELSE left_day
    END AS settlement,
    CASE
      WHEN agreement = 'finance' OR left_day >= 0 THEN 0
      WHEN -left_day > reversed_units THEN -reversed_units
      ELSE left_day
    END AS learned_later
  FROM (
    SELECT
      l.*, left_later - moved_earlier AS left_day,
      CASE WHEN is_utc = 1 THEN utc_later_units ELSE later_units END AS reversed_units
    FROM earlier l
  ) e
),
environed AS (
  SELECT
    p.*, left_day - settlement - learned_later - environment_difference AS left_price
  FROM (
    SELECT
      p.*,
      CASE
        WHEN left_day - settlement > environment_units THEN environment_units
        WHEN left_day - settlement > 0 THEN left_day - settlement
        ELSE 0
      END AS environment_difference
    FROM placed p
  ) p
),
-- Units at other prices of the same day and country, and events of other kinds: as many as one side has too much and the
-- other too little. They are taken from the lowest price on.
priced AS (
  SELECT
    p.*, SUM(CASE WHEN left_price > 0 THEN left_price ELSE 0 END) OVER of_day AS surplus,
    SUM(CASE WHEN left_price < 0 THEN -left_price ELSE 0 END) OVER of_day AS deficit,
    SUM(CASE WHEN left_price > 0 THEN left_price ELSE 0 END) OVER so_far AS surplus_so_far,
    SUM(CASE WHEN left_price < 0 THEN -left_price ELSE 0 END) OVER so_far AS deficit_so_far
  FROM environed p
  WINDOW
    of_day AS (
      PARTITION BY
        as_of, known_at, agreement, CASE WHEN agreement NOT IN ('events', 'analytics_events') THEN measure END, product_id,
        country, currency, day_at
    ),
    so_far AS (
      PARTITION BY
        as_of, known_at, agreement, CASE WHEN agreement NOT IN ('events', 'analytics_events') THEN measure END, product_id,
        country, currency, day_at
      ORDER BY price_milliunits, measure ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
),
paired AS (
  SELECT
    p.*, left_price - price_of_country AS left_unpriced,
    SUM(CASE WHEN left_price > price_of_country THEN left_price - price_of_country ELSE 0 END) OVER of_product
      AS open_surplus,
    SUM(CASE WHEN country IS NULL AND left_price < price_of_country THEN price_of_country - left_price ELSE 0 END)
      OVER of_product AS open_deficit,
    SUM(CASE WHEN left_price > price_of_country THEN left_price - price_of_country ELSE 0 END) OVER so_far
      AS open_surplus_so_far,
    SUM(CASE WHEN country IS NULL AND left_price < price_of_country THEN price_of_country - left_price ELSE 0 END)
      OVER so_far AS open_deficit_so_far
  FROM (
    SELECT
      p.*,
      CASE
        WHEN left_price > 0 AND surplus_so_far - left_price < deficit
        THEN CASE WHEN surplus_so_far < deficit THEN left_price ELSE deficit - surplus_so_far + left_price END
        WHEN left_price < 0 AND deficit_so_far + left_price < surplus
        THEN CASE WHEN deficit_so_far < surplus THEN left_price ELSE deficit_so_far + left_price - surplus END
        ELSE 0
      END AS price_of_country
    FROM priced p
  ) p
  WINDOW
    of_product AS (PARTITION BY as_of, known_at, agreement, measure, product_id, day_at),
    so_far AS (
      PARTITION BY as_of, known_at, agreement, measure, product_id, day_at ORDER BY country, currency, price_milliunits
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
),
-- Units that the ledger has from receipts, which state neither price nor country.
unpriced AS (
  SELECT
    u.*, CASE
      WHEN left_unpriced > 0 AND open_surplus_so_far - left_unpriced < open_deficit
      THEN CASE
        WHEN open_surplus_so_far < open_deficit THEN left_unpriced
        ELSE open_deficit - open_surplus_so_far + left_unpriced
      END
      WHEN left_unpriced < 0 AND country IS NULL AND open_deficit_so_far + left_unpriced < open_surplus
      THEN CASE
        WHEN open_deficit_so_far < open_surplus THEN left_unpriced
        ELSE open_deficit_so_far + left_unpriced - open_surplus
      END
      ELSE 0
    END AS unpriced_units
  FROM paired u
)
SELECT
  agreement, measure, day_at, product_id, country, currency, price_milliunits, apple_units, ledger_units, difference,
  report_missing, not_mapped, day,
  CASE WHEN is_utc = 1 THEN zone_units ELSE 0 END
    + CASE WHEN moved_later < 0 THEN -moved_later ELSE 0 END
    + CASE WHEN moved_earlier < 0 THEN -moved_earlier ELSE 0 END AS day_units,
  settlement, learned_later, environment_difference,
  CASE WHEN agreement IN ('events', 'analytics_events') THEN price_of_country ELSE 0 END AS definition,
  CASE WHEN agreement IN ('events', 'analytics_events') THEN 0 ELSE price_of_country END + unpriced_units AS price, 0 AS terms,
  CASE WHEN left_over > other_units THEN left_over - other_units ELSE 0 END AS not_received,
  CASE WHEN left_over >= 0 THEN 0 WHEN -left_over > unsigned_units THEN -unsigned_units ELSE left_over END AS not_reported,
  CASE
    WHEN left_over > other_units THEN other_units
    WHEN left_over >= 0 THEN left_over
    WHEN -left_over > unsigned_units THEN left_over + unsigned_units
    ELSE 0
  END AS unexplained,
  apple_amount_milliunits, ledger_amount_milliunits, as_of, known_at
FROM (SELECT u.*, left_unpriced - unpriced_units AS left_over FROM unpriced u) u
WHERE is_in_period = 1
UNION ALL
SELECT
  agreement, measure, day_at, product_id, country, currency, price_milliunits, apple_units, ledger_units, difference, 0, 0,
  zone_difference, CASE WHEN is_utc = 1 THEN zone_units ELSE 0 END, 0, 0, 0, 0, 0, 0, 0, 0, 0, apple_amount_milliunits,
  ledger_amount_milliunits, as_of, known_at
FROM counted
WHERE is_in_period = 1 AND zone_rest = 0
UNION ALL
SELECT
  'proceeds', CAST(NULL AS VARCHAR(64)), day_at, product_id, country, currency, price_milliunits, units, agreed_units,
  units - agreed_units, 0, CASE WHEN country IS NULL THEN units - agreed_units ELSE 0 END, 0, 0, 0, 0, 0, 0, 0,
  CASE WHEN country IS NULL THEN 0 ELSE units - agreed_units END, 0, 0, 0, apple_amount_milliunits, terms_amount_milliunits,
  as_of, known_at
FROM (
  SELECT
    day_at, product_id, country, currency, price_milliunits, SUM(units) AS units,
    SUM(CASE WHEN is_agreed = 1 THEN units ELSE 0 END) AS agreed_units,
    SUM(CASE WHEN is_return = 1 THEN -units ELSE units END * proceeds_milliunits) AS apple_amount_milliunits,
    SUM(CASE WHEN is_return = 1 THEN -units ELSE units END * terms_proceeds_milliunits) AS terms_amount_milliunits,
    as_of, known_at
  FROM proceeds_comparison
  GROUP BY as_of, known_at, day_at, product_id, country, currency, price_milliunits
) proceeds;
