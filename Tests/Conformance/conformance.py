"""Compares every row of every portable view between the engines: see `run`."""
import argparse
import sys
import time
from collections import Counter
from random import Random

import parquet
from engines import DuckDB, Ledger, PostgreSQL, SQLite
from portfolio import Portfolio
from script import Script
from spark_engine import Spark

ENGINES = [SQLite, Ledger, DuckDB, PostgreSQL, Spark]

# Seconds after which an answer is worth a word.
SLOW = 5

# What a canary alters: refunds take no access away.
RULE = "WHEN is_upgraded = 0 AND revoked_at <= as_of THEN 'revoked'"
ALTERED = "WHEN is_upgraded = 0 AND revoked_at <= 0 THEN 'revoked'"


def altered(view, text):
    if view == "rule_decision":
        assert RULE in text, "the rule that the canary alters is not there"
        return text.replace(RULE, ALTERED)
    return text


def parameters(portfolio):
    """What is asked, for the relations that views read as parameters: questions, and a report of every metric by some of the
    dimensions, in weeks, converted into dollars."""
    random = Random(portfolio.seed)
    day, week = 86_400_000, 7 * 86_400_000
    # By product, duration, country, offer, offer_type, reason, detail and app.
    splits = [random.choice([0, 1]) for _ in range(8)]
    first = min(as_of for as_of, _ in portfolio.questions)
    first -= first % day + 10 * week
    return {
        "param_query": [(as_of, known_at, 0) for as_of, known_at in portfolio.questions],
        "param_clearance": [(600_000,)],
        "param_report": [("Production", None, None, *splits, "USD")],
        "param_reconciliation": [(1_709_251_200_000, 1_717_113_600_000, None)],  # March to May 2024
        "param_report_day": [(first + n * day, n // 7 + 1) for n in range(7 * 60)],
    }


class Difference:
    """Where two answers are not the same rows, each as often."""

    def __init__(self, view, engine, names, expected, found):
        self.view, self.engine, self.names = view, engine, names
        self.missing, self.added = expected - found, found - expected
        self.count = max(self.missing.total(), self.added.total())

    def tell(self):
        print(f"\n{self.view}: {self.engine} differs from sqlite in {self.count} rows")
        for words, rows in (("only sqlite", self.missing), ("only " + self.engine, self.added)):
            for row in list(rows)[:3]:
                said = {name: value for name, value in zip(self.names, row) if value is not None}
                print(f"  {words}: {said}")


def compare(engines, views):
    """Asks every engine for every view.
    :returns: rows compared by engine and view, and the differences."""
    compared, differences, seconds = {}, [], Counter()
    for view in views:
        expected = names = None
        for engine in engines:
            begun = time.monotonic()
            try:
                found_names, rows = engine.rows(view)
            except Exception as error:
                raise SystemExit(f"{view}: {engine.name} cannot: {str(error)[:2000]}") from error
            taken = time.monotonic() - begun
            seconds[engine.name] += taken
            if taken > SLOW:
                print(f"{view} took {engine.name} {taken:.0f} s", flush=True)
            found = Counter(rows)
            compared[engine.name, view] = len(rows)
            if expected is None:
                names, expected = found_names, found
                continue
            if [name.lower() for name in found_names] != [name.lower() for name in names]:
                raise SystemExit(f"{view}: {engine.name} has the columns {found_names}, sqlite {names}")
            difference = Difference(view, engine.name, names, expected, found)
            if difference.count:
                differences.append(difference)
    return compared, differences, seconds


def tell(engines, views, compared, differences):
    wrong = {(difference.engine, difference.view): difference.count for difference in differences}
    width = max(map(len, views))
    print(" ".join([" " * width, *(f"{engine.name:>17}" for engine in engines)]))
    for view in views:
        cells = []
        for engine in engines:
            count = wrong.get((engine.name, view), 0)
            rows = compared[engine.name, view]
            cells.append(f"{rows:,}" + (f" ({count:,} differ)" if count else ""))
        print(" ".join([f"{view:{width}}", *(f"{cell:>17}" for cell in cells)]))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--customers", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--questions", type=int, default=4)
    options.add_argument("--canary", choices=[engine.name for engine in ENGINES[1:]])
    options = options.parse_args()

    begun = time.monotonic()
    portfolio = Portfolio(options.program, options.work, options.customers, options.seed, options.questions)
    asked = parameters(portfolio)
    (payloads,), = portfolio.rows("SELECT COUNT(*) FROM payload")
    print(f"{payloads:,} payloads of {options.customers:,} customers, {len(portfolio.questions)} questions, "
          f"seed {options.seed} ({time.monotonic() - begun:.0f} s)", flush=True)
    engines = []
    try:
        for kind in ENGINES:
            begun = time.monotonic()
            arguments = [altered] if options.canary == kind.name else []
            engines.append(kind(portfolio, asked, *arguments))
            print(f"{kind.name} is loaded ({time.monotonic() - begun:.0f} s)", flush=True)
        views = list(Script(portfolio.script("duckdb")).views)
        compared, differences, seconds = compare(engines, views)
        tell(engines, views, compared, differences)
        print("seconds: " + ", ".join(f"{name} {count:.0f}" for name, count in seconds.items()))
        for difference in differences[:5]:
            difference.tell()
        seen = canary(portfolio, asked, engines[0])
        relations, rows, wrong = parquet.compare(portfolio)
    finally:
        for engine in engines:
            engine.close()
    total = sum(difference.count for difference in differences)
    print(f"canary: a rule altered in one engine is seen in {seen:,} rows")
    print(f"4 engines, {len(views)} views, {sum(compared.values()):,} rows compared: {total:,} differences")
    print(f"Parquet: {relations} relations, {rows:,} rows compared with NDJSON: {wrong:,} differences")
    return 0 if total == 0 and seen > 0 and wrong == 0 and rows > 0 else 1


def canary(portfolio, asked, reference):
    """How many rows differ where one engine has another rule: a comparison that sees nothing would prove nothing."""
    other = DuckDB(portfolio, asked, altered)
    _, differences, _ = compare([reference, other], ["entitlement_state"])
    return sum(difference.count for difference in differences)


sys.exit(main())
