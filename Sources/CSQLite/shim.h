#ifndef IAP_CSQLITE_SHIM_H
#define IAP_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
