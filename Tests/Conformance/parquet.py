"""Compares an export in Parquet with the same export in NDJSON, row by row."""
import os
import sys

import duckdb


def compare(portfolio):
    """Exports the tables again, in Parquet.
    :returns: the number of relations, of rows, and of rows that differ."""
    folder = portfolio.export_parquet(os.path.dirname(sys.executable))
    session = duckdb.connect()

    def count(select):
        return session.execute(f"SELECT COUNT(*) FROM ({select})").fetchall()[0][0]

    relations = rows = differences = 0
    for name, relation in portfolio.relations.items():
        sources = portfolio.files(name, "ndjson")
        if not sources:
            continue
        columns = {column["name"]: "BIGINT" if column["type"] == "integer" else "VARCHAR" for column in relation["columns"]}
        expected = f"SELECT * FROM read_json({sources}, format = 'newline_delimited', columns = {columns})"
        found = f"SELECT * FROM read_parquet('{folder}/{name}/*.parquet')"
        types = session.execute(f"DESCRIBE {found}").fetchall()
        if [(column[0], column[1]) for column in types] != list(columns.items()):
            raise SystemExit(f"{name}: the columns of Parquet are {types}")
        missing = count(f"({expected}) EXCEPT ALL ({found})")
        added = count(f"({found}) EXCEPT ALL ({expected})")
        relations += 1
        rows += count(found)
        differences += max(missing, added)
    return relations, rows, differences
