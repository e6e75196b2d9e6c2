"""DuckDB: counts subscriptions by state with the ledger's own views, over the same tables, loaded once from the ledger.

Arguments: the ledger; a DuckDB file to make; the script of `subledger schema --dialect duckdb`; SQL that sets the
parameters; the query. The script names the tables, and the query leads to those that are needed: nothing about the
ledger's tables is written here.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import duckdb

ledger, path, script, parameters, query = sys.argv[1:6]


def shell(sql, **options):
    return subprocess.run(["sqlite3", "-readonly", "-csv", ledger, sql], check=True, **options)


def rows(sql):
    text = shell(sql, capture_output=True, text=True).stdout
    return [line.split(",") for line in text.splitlines()]


def needed(db):
    """The tables that the query reads, through all views, and all words of the texts that it reads them by."""
    views = dict(db.execute("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal").fetchall())
    tables = {name for name, in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    words, texts = set(), [query]
    while texts:
        new = set(re.findall(r"\w+", texts.pop())) - words
        words |= new
        texts += [views[word] for word in new & views.keys()]
    return sorted(words & tables), words


def load(db):
    in_ledger = {name for name, in rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    tables, words = needed(db)
    # What is a table in the script and a view in the ledger is a parameter.
    for table in tables:
        if table not in in_ledger:
            continue
        types = dict(rows(f"SELECT name, type FROM pragma_table_info('{table}')"))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info('{table}')").fetchall()]
        # A column that no view names stays empty: the texts of payloads are gigabytes.
        columns = [column for column in columns if column in words]
        values = ", ".join(f"lower(hex({name}))" if types[name] == "BLOB" else name for name in columns)
        with tempfile.NamedTemporaryFile(suffix=".csv", dir=os.path.dirname(path)) as file:
            shell(f"SELECT {values} FROM {table}", stdout=file)
            db.execute(f"DELETE FROM {table}")
            if os.path.getsize(file.name) > 0:
                db.execute(
                    f"COPY {table} ({', '.join(columns)}) FROM '{file.name}' "
                    "(FORMAT csv, HEADER false, DELIMITER ',', NULLSTR '', QUOTE '\"', ESCAPE '\"', AUTO_DETECT false)")


# An import into the ledger makes the DuckDB file out of date.
if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(ledger):
    # Renamed when complete, so that an interrupted run leaves no half.
    making = path + ".making"
    if os.path.exists(making):
        os.remove(making)
    db = duckdb.connect(making)
    db.execute(open(script).read())
    load(db)
    db.execute("CHECKPOINT")
    db.close()
    os.replace(making, path)
# How many subscriptions DuckDB derives at once. The tables of steps of 400,000 need more than 19 GB of memory.
SLICE = 50_000


def count(db):
    """The number of subscriptions in each state, counted for some subscriptions after the other."""
    counts = {}
    last, = db.execute("SELECT MAX(original_transaction_key) FROM original_transaction").fetchone()
    for first in range(1, (last or 0) + 1, SLICE):
        db.execute(
            "CREATE OR REPLACE VIEW param_subscription AS SELECT original_transaction_key FROM original_transaction "
            f"WHERE original_transaction_key BETWEEN {first} AND {first + SLICE - 1}")
        for state, number in db.execute(query).fetchall():
            counts[state] = counts.get(state, 0) + number
    return counts


db = duckdb.connect(path)
db.execute(parameters)
# The first answer also reads the file. Unless it takes minutes, the second one is compared: the ledger is open and warm, too.
for _ in range(2):
    start = time.perf_counter()
    counts = count(db)
    seconds = time.perf_counter() - start
    if seconds > 60:
        break
print(json.dumps({"seconds": seconds} | counts))
