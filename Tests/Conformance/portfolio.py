"""A simulated portfolio: imported, with a catalogue and customers, and exported."""
import json
import os
import random
import sqlite3
import subprocess
import time

FORMATS = (
    "v2,v1,receipt,receipt-exclude-old,receipt-ios6,statuses,history,transaction,refunds,notification-history,client-events"
)
DELIVERY = "shuffled,late=0.1,repeated=0.05,lost=0.03"
DAY = 86_400_000


class Portfolio:
    """The ledger, its export, and the questions."""

    def __init__(self, program, work, customers, seed, questions):
        self.program, self.work = program, work
        self.seed, self.random = seed, random.Random(seed)
        self.ledger = f"{work}/ledger.sqlite"
        world = f"{work}/world"
        self._run(
            "simulate", "--seed", str(seed), "--customers", str(customers), "--payload-format", FORMATS, "--deliver", DELIVERY,
            "--rate", "seats=0.5", "--reports", "--out", world)
        self._record("import", f"{world}/payloads", "--trust", f"{world}/authority/root.pem")
        self._record("products", "import", f"{world}/products.json")
        self._record("reports", "import", f"{world}/reports")
        self._add_people()
        self._add_rates(f"{work}/rates.csv")
        # So that the ledger has postings to keep.
        self._record("report", "mrr")
        self.questions = self._questions(questions)
        folder = f"{work}/export"
        # Other engines must load every text as it is.
        self._record("export", folder, "--tables-only", "--raw-csv")
        self.folder = f"{folder}/000001"
        with open(f"{self.folder}/schema.json") as file:
            self.relations = {relation["name"]: relation for relation in json.load(file)["relations"]}

    def export_parquet(self, programs):
        """Exports the tables in Parquet, with the duckdb of a folder of programs.
        :returns: the folder of the export."""
        self._record("export", f"{self.work}/parquet", "--tables-only", "--format", "parquet", programs=programs)
        return f"{self.work}/parquet/000001"

    def _run(self, *arguments, programs=None):
        path = os.pathsep.join([programs, os.environ["PATH"]] if programs else [os.environ["PATH"]])
        told = subprocess.run(
            [self.program, *arguments], capture_output=True, text=True, env={**os.environ, "PATH": path})
        if told.returncode != 0:
            raise SystemExit(f"subledger {' '.join(arguments)} ended with {told.returncode}: {told.stderr}")
        return told.stdout

    def _record(self, *arguments, programs=None):
        return self._run(*arguments, "--database", self.ledger, programs=programs)

    def script(self, dialect):
        return self._run("schema", "--dialect", dialect)

    def files(self, table, format):
        files = self.relations[table]["files"] if table in self.relations else []
        return [f"{self.folder}/{file['path']}" for file in files if file["format"] == format]

    def rows(self, sql):
        with sqlite3.connect(self.ledger) as file:
            return file.execute(sql).fetchall()

    def _add_people(self):
        """Staff's entries: links, handed over and taken back, and access that was given."""
        lines = [row[0] for row in self.rows("SELECT original_transaction_id FROM original_transaction ORDER BY 1")]
        tokens = [row[0] for row in self.rows(
            "SELECT DISTINCT identifier FROM original_transaction_identifier WHERE kind = 'app_account_token' ORDER BY 1")]
        signed = ["--author", "anna", "--reason", "said \"so\", twice,\nin two lines"]
        for number, line in enumerate(self.random.sample(lines, min(12, len(lines)))):
            self._record("customers", "link", f"customer {number % 5}", line, *signed)
            if number % 4 == 3:
                self._record("customers", "unlink", f"customer {number % 5}", line, *signed)
        for number, token in enumerate(self.random.sample(tokens, min(3, len(tokens)))):
            self._record("customers", "link", f"customer {number}", token, *signed)
        for number in range(4):
            until = "forever" if number % 2 else "2025-06-01"
            self._record(
                "grant", f"customer {number}", "pro", "--from", f"2024-0{number + 3}-01", "--until", until, *signed)

        self._add_seats(signed)

    def _add_seats(self, signed):
        """Seats that the app gave, in the middle of each period of such subscriptions, and some of them taken back."""
        periods = self.rows(
            "SELECT o.original_transaction_id, h.begins_at, MIN(h.seats) FROM state_history h JOIN original_transaction o "
            "USING (original_transaction_key) WHERE h.seats > 1 AND EXISTS (SELECT 1 FROM transaction_seat_info x "
            "WHERE x.original_transaction_key = h.original_transaction_key AND x.invitation_management = 'DEVELOPER') "
            "GROUP BY 1, 2 ORDER BY 1, 2")
        # No more than two for each subscription: a claim without a seat is refused.
        firsts = [row for row in periods if sum(other < row for other in periods if other[0] == row[0]) < 2]
        for number, (line, begins_at, _) in enumerate(firsts[:6]):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(begins_at / 1000 + 3600))
            self._record("seats", "claim", f"member {number}", line, "--at", at, "--seat-claim-id", f"claim {number}", *signed)
            if number % 2:
                self._record("seats", "unclaim", f"member {number}", line, "--at", at[:4] + "-12-31", *signed)

    def _add_rates(self, path):
        """Rates into dollars, above and below one, of some days; some currencies have none."""
        with open(path, "w") as file:
            file.write("date,currency,into,rate\n")
            for currency, rate in (("EUR", 1.0837), ("JPY", 0.00664), ("KRW", 0.000738), ("GBP", 1.27)):
                for month in range(1, 13, 2):
                    file.write(f"2024-{month:02}-03,{currency},USD,{rate * (1 + month / 97):.9f}\n")
        self._record("rates", "import", path)

    def _questions(self, count):
        """Instants among those that matter, their neighbours, and any; knowledge of then, of now, and of any time."""
        (first, last), = self.rows("SELECT MIN(received_at), MAX(received_at) FROM delivery")
        edges = [row[0] for row in self.rows(
            "SELECT expires_at FROM transaction_info WHERE expires_at IS NOT NULL ORDER BY random() LIMIT 100")]
        now = int(time.time() * 1000) + DAY
        asked = {(now, now)}
        while len(asked) < count:
            as_of = self.random.choice([self.random.randint(first, last + 60 * DAY), self.random.choice(edges)])
            known_at = self.random.choice([now, as_of, self.random.randint(first, last)])
            asked.add((as_of, known_at))
        return sorted(asked)


def size(path):
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)
