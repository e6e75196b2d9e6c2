"""Names the peers and their versions."""
import platform
import sqlite3
from importlib.metadata import version

print(
    f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version} in it,",
    f"app-store-server-library {version('app-store-server-library')}, DuckDB {version('duckdb')},",
    f"Flask {version('flask')}, gunicorn {version('gunicorn')}",
)
