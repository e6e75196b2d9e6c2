"""DuckDB: the same views over the same tables, loaded once from the ledger; counts lines by state.

Arguments: the ledger, a DuckDB file to make, the folder of migrations, as_of, known_at, how many runs, and `evidence`
(the general text alone) or `projections` (with what the recorder keeps, too).
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import duckdb

ledger, path, migrations, as_of, known_at, runs, extent = sys.argv[1:8]

COLUMNS = {
    "line": "line_id, environment, original_transaction_id",
    "store_transaction": "transaction_key, line_id, transaction_id",
    "payload": "payload_id, hex(digest) AS digest, trust, bundle_id, stated_at, inferred_at",
    "delivery": "payload_id, received_at, is_told",
    "statement": "statement_id, hex(digest) AS digest",
    "transaction_statement": "*",
    "renewal_statement": "*",
    "transaction_version": "*",
    "renewal_version": "*",
    "status_claim": "*",
    "projection_line": "*",
    "projection_transaction": "*",
    "projection_renewal": "*",
}
TEXT = {
    "environment", "original_transaction_id", "transaction_id", "digest", "trust", "bundle_id", "product_id",
    "web_order_line_item_id", "subscription_group_identifier", "type", "in_app_ownership_type", "transaction_reason",
    "revocation_type", "offer_identifier", "offer_discount_type", "offer_period", "storefront", "storefront_id",
    "currency", "app_account_token", "app_transaction_id", "billing_plan_type", "previous_original_transaction_id",
    "auto_renew_product_id", "eligible_win_back_offer_ids", "renewal_billing_plan_type",
    "commitment_auto_renew_product_id", "commitment_renewal_billing_plan_type",
}


def shell(sql, **options):
    return subprocess.run(["sqlite3", "-readonly", "-csv", ledger, sql], check=True, **options)


def load(db):
    for table, columns in COLUMNS.items():
        names = [name.split(" AS ")[-1].strip() for name in columns.split(",")]
        if columns == "*":
            told = shell(f"SELECT name FROM pragma_table_info('{table}')", capture_output=True, text=True).stdout
            names = told.split()
        typed = ", ".join(f"{name} {'VARCHAR' if name in TEXT else 'BIGINT'}" for name in names)
        db.execute(f"CREATE TABLE {table} ({typed})")
        with tempfile.NamedTemporaryFile(suffix=".csv", dir=os.path.dirname(path)) as file:
            shell(f"SELECT {columns} FROM {table}", stdout=file)
            if os.path.getsize(file.name) > 0:
                db.execute(f"""COPY {table} FROM '{file.name}' (HEADER false, DELIMITER ',', NULLSTR '', QUOTE '"')""")


is_new = not os.path.exists(path)
db = duckdb.connect(path)
if is_new:
    load(db)
    db.execute("CHECKPOINT")
if extent == "evidence":
    for table in ("projection_line", "projection_transaction", "projection_renewal"):
        db.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM main.{table} WHERE false")
db.execute(f"CREATE TEMP TABLE question AS SELECT {as_of}::BIGINT AS as_of, {known_at}::BIGINT AS known_at, 0 AS least_trust")
made = {"question"}


def make(view):
    """A view after those that it reads."""
    if view in made or not os.path.exists(f"{migrations}/views/{view}.sql"):
        return
    made.add(view)
    text = open(f"{migrations}/views/{view}.sql").read()
    for word in re.findall("[a-z_]+", re.sub("--.*", "", text)):
        make(word)
    db.execute(text.replace(f"CREATE VIEW {view} ", f"CREATE OR REPLACE TEMP VIEW {view} "))


make("entitlement_state")

taken = []
for _ in range(int(runs)):
    start = time.perf_counter()
    counts = db.execute("SELECT state, COUNT(*) FROM entitlement_state GROUP BY state ORDER BY state").fetchall()
    taken.append(time.perf_counter() - start)
print(json.dumps({"seconds": sorted(taken)[len(taken) // 2]} | {state: count for state, count in counts}))
