#ifndef IAP_CSQLITE_SHIM_H
#define IAP_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_config is variadic, which Swift cannot call. */
static inline int iap_sqlite_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
