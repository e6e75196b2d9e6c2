"""The plain script that one would write to keep verifyReceipt responses: json, one table of transactions with one
index, a table of raw bodies, executemany, one commit a batch. It has no checks, no history of versions and no seals.

Arguments: a file of lines {"receivedAt": …, "payload": …}, the database to make.
"""
import json
import sqlite3
import sys
import time

path, database = sys.argv[1:3]
BATCH = 200

start = time.perf_counter()
db = sqlite3.connect(database, isolation_level=None)
# The durability of subledger: a batch is on disk when its commit returns.
db.executescript("""
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE body (body_id INTEGER PRIMARY KEY, received_at TEXT, body TEXT);
    CREATE TABLE purchase (
        transaction_id TEXT, original_transaction_id TEXT, product_id TEXT, purchase_ms INTEGER, expires_ms INTEGER,
        cancellation_ms INTEGER, is_trial INTEGER, body_id INTEGER);
    CREATE INDEX purchase_original ON purchase (original_transaction_id);
""")


def milliseconds(row, key):
    value = row.get(key)
    return int(value) if value else None


def write(bodies, rows):
    db.execute("BEGIN")
    db.executemany("INSERT INTO body VALUES (?, ?, ?)", bodies)
    db.executemany("INSERT INTO purchase VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.execute("COMMIT")


bodies, rows, transactions = [], [], 0
with open(path) as file:
    for number, text in enumerate(file, 1):
        item = json.loads(text)
        receipt = item["payload"]
        bodies.append((number, item["receivedAt"], text))
        # The same transactions stand in both lists; the script keeps each once.
        found = {row["transaction_id"]: row for row in receipt["receipt"]["in_app"]}
        found.update((row["transaction_id"], row) for row in receipt["latest_receipt_info"])
        for row in found.values():
            rows.append((
                row["transaction_id"], row["original_transaction_id"], row["product_id"],
                milliseconds(row, "purchase_date_ms"), milliseconds(row, "expires_date_ms"),
                milliseconds(row, "cancellation_date_ms"), row.get("is_trial_period") == "true", number))
        if number % BATCH == 0:
            transactions += len(rows)
            write(bodies, rows)
            bodies, rows = [], []
transactions += len(rows)
write(bodies, rows)
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
print(json.dumps({"seconds": time.perf_counter() - start, "payloads": number, "transactions": transactions}))
