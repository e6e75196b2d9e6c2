"""The engines: each loads the export, runs its script, and answers with the rows of a view.

`rows` gives the names of the columns and tuples of int, str and None.
"""
import json
import re
import shutil
import sqlite3

import duckdb
import psycopg2

import postgresql_server
from script import Script


def plain(value):
    if value is None or type(value) in (int, str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if type(value).__name__ == "Decimal" and value == int(value):
        return int(value)
    # A real or a boolean is no value of ours: it differs from the integer that it should be.
    return repr(value)


class Engine:
    """What engines with a Python cursor have in common."""

    dialect = None

    def __init__(self, portfolio, parameters, alter=lambda view, text: text):
        self.portfolio = portfolio
        self.alter = alter
        self.script = Script(portfolio.script(self.dialect or "duckdb"))
        self.open()
        for name in self.script.tables:
            self.execute(self.script.tables[name])
        for other in self.script.others:
            self.execute(other)
        for name in self.script.evidence:
            self.load(name)
        for name, rows in parameters.items():
            for row in rows:
                self.execute(f"INSERT INTO {name} VALUES ({', '.join(literal(value) for value in row)})")
        self.loaded()
        for name, text in self.script.views.items():
            self.execute(self.alter(name, text))

    def loaded(self):
        pass

    def rows(self, view):
        cursor = self.execute(f"SELECT * FROM {view}")
        names = [column[0] for column in cursor.description]
        return names, [tuple(map(plain, row)) for row in cursor.fetchall()]

    def close(self):
        pass


def literal(value):
    return "NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


class Sharing(Engine):
    """An engine that would derive a view again for each view over it, and so derives these once."""

    shared = {"customer_original_transaction", "customer_access", "int_entitlement_period", "metric_delta_derived"}
    temporary = ""

    def rows(self, view):
        if view in self.shared:
            self.execute(f"CREATE {self.temporary} TABLE shared_{view} AS SELECT * FROM {view}")
            self.replace(view, f"SELECT * FROM shared_{view}")
        return super().rows(view)

    def replace(self, view, text):
        self.execute(f"DROP VIEW {view}")
        self.execute(f"CREATE {self.temporary} VIEW {view} AS {text}")


class SQLiteEngine(Sharing):
    """What the two of SQLite have in common."""

    # The views that read stored periods and stored metric deltas.
    stored = {"stg_entitlement_period", "metric_delta"}

    def execute(self, sql):
        return self.file.execute(sql)

    def texts(self):
        """The ledger's own texts of the views, except of those that read what only the ledger stores."""
        texts = dict(self.portfolio.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'view'"))
        return {name: texts[name] for name in self.script.views if name in texts and name not in self.stored}


class SQLite(SQLiteEngine):
    """The general text over the exported evidence: nothing is kept for speed."""

    name = "sqlite"

    def open(self):
        self.file = sqlite3.connect(f"{self.portfolio.work}/general.sqlite", isolation_level=None)
        self.execute("PRAGMA synchronous = OFF")
        # The views' own texts, as the ledger has them. What the ledger stores is derived here, as in other engines.
        self.script.views.update(self.texts())

    def load(self, table):
        self.execute("BEGIN")
        for path in self.portfolio.files(table, "ndjson"):
            with open(path, encoding="utf-8") as file:
                rows = [tuple(json.loads(line).values()) for line in file]
            places = ", ".join("?" * len(rows[0]))
            self.file.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
        self.execute("COMMIT")

    def loaded(self):
        # Without the ledger's indexes every join would read whole tables.
        wanted = self.portfolio.rows("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        keys = self.portfolio.rows(
            "SELECT m.name, group_concat(p.name, ', ') FROM sqlite_schema m, pragma_table_info(m.name) p "
            "WHERE m.type = 'table' AND p.pk > 0 GROUP BY m.name")
        for (sql,) in wanted:
            if re.search(r"\sON\s+(\w+)", sql)[1] in self.script.tables:
                self.execute(sql)
        for table, columns in keys:
            if table in self.script.tables:
                self.execute(f"CREATE UNIQUE INDEX key_of_{table} ON {table} ({columns})")
        self.execute("ANALYZE")


class Ledger(SQLiteEngine):
    """The ledger itself, as it answers with what the recorder keeps for speed."""

    name = "ledger"
    temporary = "TEMP"

    def open(self):
        # A copy: the original is asked about by others.
        copy = f"{self.portfolio.work}/kept.sqlite"
        shutil.copyfile(self.portfolio.ledger, copy)
        self.file = sqlite3.connect(copy, isolation_level=None)
        # Over the file's own views, so that they read these questions. The tables of its versions are its own. Its
        # periods are those of the present, so they are derived for these questions.
        texts = self.texts()
        self.script.views = {
            name: texts.get(name, text).replace("CREATE VIEW", "CREATE TEMP VIEW", 1)
            for name, text in self.script.views.items() if not name.startswith("projection_")}
        self.script.tables = {
            name: self.script.tables[name].replace("CREATE TABLE", "CREATE TEMP TABLE", 1)
            for name in self.script.parameters}
        self.script.others, self.script.evidence = [], []


class DuckDB(Sharing):
    name = dialect = "duckdb"

    def open(self):
        self.file = duckdb.connect()
        self.file.execute("SET threads = 2")

    def execute(self, sql):
        return self.file.execute(sql)

    def load(self, table):
        for path in self.portfolio.files(table, "csv"):
            self.execute(
                f"COPY {table} FROM '{path}' (FORMAT csv, HEADER, NULLSTR '', ALLOW_QUOTED_NULLS false, "
                "DELIMITER ',', QUOTE '\"', ESCAPE '\"', AUTO_DETECT false)")


class PostgreSQL(Sharing):
    name = dialect = "postgresql"

    def open(self):
        folder = postgresql_server.start(self.portfolio.work)
        self.connection = psycopg2.connect(host=folder, user=postgresql_server.user(), dbname="postgres")
        self.connection.autocommit = True
        # Of a view over views it expects one row, where there are thousands: row by row it would never end.
        self.execute("SET enable_nestloop = off")
        # With parallel workers, it still plans some of them row by row.
        self.execute("SET max_parallel_workers_per_gather = 0")

    def execute(self, sql):
        cursor = self.connection.cursor()
        cursor.execute(sql)
        return cursor

    def replace(self, view, text):
        # It drops no view that others read.
        self.execute(f"CREATE OR REPLACE VIEW {view} AS {text}")

    def load(self, table):
        for path in self.portfolio.files(table, "csv"):
            with open(path, encoding="utf-8", newline="") as file:
                self.connection.cursor().copy_expert(f"COPY {table} FROM STDIN (FORMAT csv, HEADER)", file)

    def loaded(self):
        self.execute("ANALYZE")

    def close(self):
        self.connection.close()
        postgresql_server.stop(self.portfolio.work)
