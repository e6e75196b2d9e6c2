"""DuckDB: loads a year of daily reports with its CSV reader, and joins them with the ledger's exported transactions and
states: payments, sales and states at the end of each day, without an explanation of differences.

Arguments: the folder of reports; the folder with transaction_fact and state_history as CSV. Prints the seconds, and
for each agreement the units of Apple, of the ledger and of both.
"""
import json
import sys
import time

import duckdb

reports, exported = sys.argv[1:3]
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
for name in ("transaction_fact", "state_history"):
    db.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{exported}/*/{name}/*.csv*', header = true, sample_size = -1)")
# What a script needs beside: the codes of countries.
db.execute("CREATE TABLE country (alpha_2 VARCHAR, alpha_3 VARCHAR)")
codes = "US USA GB GBR DE DEU FR FRA JP JPN CA CAN AU AUS BR BRA KR KOR CH CHE SE SWE IN IND".split()
db.executemany("INSERT INTO country VALUES (?, ?)", list(zip(codes[::2], codes[1::2])))

start = time.perf_counter()


def load(table, pattern):
    db.execute(
        f"CREATE TABLE {table} AS SELECT *, strptime(regexp_extract(filename, '_(\\d{{8}})\\.', 1), '%Y%m%d')::DATE AS day "
        f"FROM read_csv('{reports}/{pattern}', delim = '\t', header = true, quote = '', filename = true, "
        "all_varchar = true, union_by_name = true)")


load("sales", "S_D_*.txt.gz")
load("subscriber", "Subscriber_*.txt.gz")
load("subscription", "Subscription_8*.txt.gz")
load("subscription_event", "Subscription_Event_*.txt.gz")

DAY = "(to_timestamp({} / 1000.0) AT TIME ZONE 'America/Los_Angeles')::DATE"
db.execute(f"""
CREATE TABLE product AS SELECT DISTINCT "Apple Identifier" AS number, SKU AS product FROM sales;
CREATE TABLE bought AS
  SELECT *, {DAY.format('start_at')} AS day, (purchase_price_in_purchased_currency_milliunits / 1000.0)::DECIMAL(18, 3) AS price
  FROM transaction_fact WHERE environment = 'Production' AND is_payment = 1;
CREATE TABLE apple AS
  SELECT 'payments' AS agreement, '' AS state, s."Event Date"::DATE AS day, p.product, c.alpha_3 AS country,
    s."Customer Price"::DECIMAL(18, 3) AS price, SUM(s.Units::BIGINT) AS units
  FROM subscriber s LEFT JOIN product p ON p.number = s."Subscription Apple ID" LEFT JOIN country c ON c.alpha_2 = s.Country
  WHERE TRIM(COALESCE(s.Refund, '')) <> 'Yes' GROUP BY ALL
  UNION ALL
  SELECT 'sales', '', s.day, s.SKU, c.alpha_3, s."Customer Price"::DECIMAL(18, 3), SUM(s.Units::BIGINT)
  FROM sales s LEFT JOIN country c ON c.alpha_2 = s."Country Code"
  WHERE s.Units::BIGINT > 0 AND s."Customer Price"::DECIMAL(18, 3) > 0 GROUP BY ALL
  UNION ALL
  -- The report has a column State, so the names of the columns with counts need another name.
  SELECT 'states', CASE u.counted WHEN 'Billing Retry' THEN 'billing_retry' WHEN 'Grace Period' THEN 'grace_period' ELSE 'active' END,
    u.day, p.product, c.alpha_3, NULL, SUM(u.units::BIGINT)
  FROM (
    UNPIVOT (SELECT * EXCLUDE (filename, Subscribers, "Marketing Opt-Ins") FROM subscription)
    ON COLUMNS('Subscriptions$|Offers$|^Billing Retry$|^Grace Period$') INTO NAME counted VALUE units
  ) u LEFT JOIN product p ON p.number = u."Subscription Apple ID" LEFT JOIN country c ON c.alpha_2 = u.Country
  WHERE u.units::BIGINT <> 0 GROUP BY ALL;
CREATE TABLE day AS SELECT DISTINCT day, (day + 1)::TIMESTAMP AT TIME ZONE 'America/Los_Angeles' AS ends FROM subscription;
CREATE TABLE ours AS
  SELECT 'payments' AS agreement, '' AS state, day, product_identifier AS product, country, price, COUNT(*) AS units
  FROM bought WHERE is_auto_renewable = 1 GROUP BY ALL
  UNION ALL
  SELECT 'sales', '', day, product_identifier, country, price, SUM(CASE WHEN is_auto_renewable = 1 THEN 1 ELSE COALESCE(quantity, 1) END)
  FROM bought WHERE price > 0 GROUP BY ALL
  UNION ALL
  SELECT 'states', h.state, d.day, h.product_id, f.country, NULL, COUNT(*)
  FROM state_history h
  JOIN transaction_fact f ON f.original_transaction_id = h.original_transaction_id AND f.environment = h.environment
    AND f.start_at = h.purchase_at AND f.is_addition = 0
  JOIN day d ON epoch_ms(d.ends) > h.begins_at AND (h.ends_at IS NULL OR epoch_ms(d.ends) <= h.ends_at)
  WHERE h.environment = 'Production' AND h.state IN ('active', 'grace_period', 'billing_retry')
    AND f.ownership_type = 'PURCHASED'
  GROUP BY ALL;
""")
rows = db.execute("""
  SELECT agreement, SUM(a), SUM(o), SUM(LEAST(a, o)) FROM (
    SELECT agreement, state, day, product, country, price, SUM(a) AS a, SUM(o) AS o FROM (
      SELECT agreement, state, day, product, country, price, units AS a, 0 AS o FROM apple
      UNION ALL SELECT agreement, state, day, product, country, price, 0, units FROM ours
    ) GROUP BY ALL
  ) WHERE day BETWEEN DATE '2025-01-01' AND DATE '2025-12-30' GROUP BY agreement
""").fetchall()
result = {"seconds": time.perf_counter() - start}
for agreement, apple, ledger, both in rows:
    result |= {f"{agreement} apple": float(apple), f"{agreement} ledger": float(ledger), f"{agreement} agreed": float(both)}
print(json.dumps(result))
