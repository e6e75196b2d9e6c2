"""What one would write in an afternoon: json, sha256 and sqlite3.executemany, in one transaction, into subledger's own
tables for the same rows with the same indexes, but without its triggers, projections and checks.

Arguments: a file of lines {"receivedAt": …, "payload": …}, the database to make, the folder of migrations.
"""
import hashlib
import json
import sqlite3
import sys
import time
from datetime import datetime

path, database, migrations = sys.argv[1:4]
start = time.perf_counter()
db = sqlite3.connect(database)
db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
for name in ("0001_create_payloads", "0002_create_statements", "0010_create_identifiers"):
    text = open(f"{migrations}/{name}.sql").read()
    if name.startswith("0010"):
        text = text[: text.index("CREATE INDEX notification_of_uuid")]
    db.executescript(text)

TYPED = [row[1] for row in db.execute("PRAGMA table_info(transaction_statement)")]
RENEWAL = [row[1] for row in db.execute("PRAGMA table_info(renewal_statement)")]
TABLES = {
    "payload": 14, "delivery": 5, "line": 3, "store_transaction": 3, "statement": 5, "transaction_version": 8,
    "renewal_version": 7, "line_identifier": 3, "transaction_statement": len(TYPED), "renewal_statement": len(RENEWAL),
}
pending = {table: [] for table in TABLES}
lines, transactions, statements, identifiers, payloads = {}, {}, {}, set(), {}
versions = renewals = 0


def number(row, key):
    value = row.get(key)
    return int(value) if value else None


def flag(row, key):
    return {"true": 1, "1": 1, "false": 0, "0": 0}.get(row.get(key))


def statement(row):
    text = json.dumps(row, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).digest()
    known = statements.get(digest)
    if known:
        return known, False
    statements[digest] = len(statements) + 1
    pending["statement"].append((len(statements), digest, text, None, None))
    return len(statements), True


def line_of(original, environment):
    key = (original, environment)
    if key not in lines:
        lines[key] = len(lines) + 1
        pending["line"].append((lines[key], environment, original))
    return lines[key]


def typed(columns, values):
    return tuple(values.get(column) for column in columns)


def transaction(row, rank, payload, environment):
    global versions
    line = line_of(row["original_transaction_id"], environment)
    key = (row["transaction_id"], line)
    if key not in transactions:
        transactions[key] = len(transactions) + 1
        pending["store_transaction"].append((transactions[key], line, row["transaction_id"]))
    found, is_new = statement(row)
    if is_new:
        pending["transaction_statement"].append(typed(TYPED, {
            "statement_id": found, "product_id": row.get("product_id"),
            "purchase_at": number(row, "purchase_date_ms"), "expires_at": number(row, "expires_date_ms"),
            "revoked_at": number(row, "cancellation_date_ms"), "is_upgraded": flag(row, "is_upgraded") or 0,
            "original_purchase_at": number(row, "original_purchase_date_ms"),
            "web_order_line_item_id": row.get("web_order_line_item_id"),
            "subscription_group_identifier": row.get("subscription_group_identifier"),
            "in_app_ownership_type": row.get("in_app_ownership_type"), "quantity": number(row, "quantity"),
            "is_trial_period": flag(row, "is_trial_period"),
            "is_in_intro_offer_period": flag(row, "is_in_intro_offer_period"),
            "app_account_token": row.get("app_account_token"),
        }))
        for kind in ("web_order_line_item_id", "app_account_token"):
            if row.get(kind) and (row[kind], kind, line) not in identifiers:
                identifiers.add((row[kind], kind, line))
                pending["line_identifier"].append((row[kind], kind, line))
    versions += 1
    pending["transaction_version"].append((versions, payload, line, transactions[key], found, rank, None, None))


def renewal(row, payload, environment):
    global renewals
    found, is_new = statement(row)
    if is_new:
        pending["renewal_statement"].append(typed(RENEWAL, {
            "statement_id": found, "product_id": row.get("product_id"),
            "auto_renew_product_id": row.get("auto_renew_product_id"),
            "auto_renew_status": flag(row, "auto_renew_status"), "expiration_intent": number(row, "expiration_intent"),
            "is_in_billing_retry_period": flag(row, "is_in_billing_retry_period"),
            "grace_period_expires_at": number(row, "grace_period_expires_date_ms"),
        }))
    renewals += 1
    line = line_of(row["original_transaction_id"], environment)
    pending["renewal_version"].append((renewals, payload, line, found, 2, None, None))


def write():
    for table, width in TABLES.items():
        db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * width)})", pending[table])
        pending[table].clear()


db.execute("BEGIN")
db.execute("INSERT INTO origin VALUES (1, ?)", (path,))
with open(path) as file:
    for place, text in enumerate(file, 1):
        item = json.loads(text)
        receipt = item["payload"]
        source = json.dumps(receipt, separators=(",", ":"))
        digest = hashlib.sha256(source.encode()).digest()
        if digest in payloads:
            continue
        payloads[digest] = payload = len(payloads) + 1
        environment = receipt["environment"]
        stated = number(receipt["receipt"], "request_date_ms")
        # As subledger does: what is kept elsewhere, or not at all, is not kept here.
        frame = json.dumps({**receipt, "latest_receipt": None, "latest_receipt_info": None, "pending_renewal_info": None,
                            "receipt": {**receipt["receipt"], "in_app": None}}, separators=(",", ":"))
        pending["payload"].append((payload, digest, "verify_receipt", "unsigned", environment,
                                   receipt["receipt"]["bundle_id"], None, stated, None, None, None, frame, None, None))
        received = int(datetime.fromisoformat(item["receivedAt"].replace("Z", "+00:00")).timestamp() * 1000)
        pending["delivery"].append((payload, received, 1, 1, place))
        for row in receipt["latest_receipt_info"]:
            transaction(row, 2, payload, environment)
        for row in receipt["receipt"]["in_app"]:
            transaction(row, 3, payload, environment)
        for row in receipt.get("pending_renewal_info", []):
            renewal(row, payload, environment)
        if place % 200 == 0:
            write()
write()
db.commit()
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
print(json.dumps({
    "seconds": time.perf_counter() - start, "payloads": len(payloads), "versions": versions,
    "statements": len(statements)}))
