#pragma once

/// Lets SQLite count no memory in this process. It counts under one lock, which threads that work beside each other wait
/// for half of their time. To be called before SQLite is first used; limits of memory have no effect afterwards.
void sqlite_settings_count_no_memory(void);
