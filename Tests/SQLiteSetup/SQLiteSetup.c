// SQLite counts the memory that it uses under one lock for the whole process. Tests run on every core at once and wait
// for that lock a third of their time, so it counts nothing here. This must be said before SQLite is first used.
#include <sqlite3.h>

__attribute__((constructor)) static void countNoMemory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
