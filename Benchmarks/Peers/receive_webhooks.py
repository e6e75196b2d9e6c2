"""A webhook handler as a team writes it: each notification is inserted and committed before the answer."""
import os
import sqlite3

from flask import Flask, request

app = Flask(__name__)
database = sqlite3.connect(os.environ["DATABASE"], timeout=30, isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = FULL")
database.execute("CREATE TABLE IF NOT EXISTS notification (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")


@app.post("/apple/v2")
def receive():
    body = request.get_data(as_text=True)
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO notification (body) VALUES (?)", (body,))
    database.execute("COMMIT")
    return "", 200
