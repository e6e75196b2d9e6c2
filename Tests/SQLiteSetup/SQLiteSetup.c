// Tests run on every core at once, and must say so before SQLite is first used.
#include <SQLiteSettings.h>

__attribute__((constructor)) static void countNoMemory(void) { sqlite_settings_count_no_memory(); }
