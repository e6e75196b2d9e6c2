#pragma once

/// Stops SQLite from counting its memory in this process. It counts under one lock, and parallel threads wait for that
/// lock half of their time. Call this before SQLite is first used. SQLite's memory limits have no effect afterwards.
void sqlite_settings_count_no_memory(void);
