#ifndef IAP_CPOSTGRESQL_SHIM_H
#define IAP_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

/* The names of the parts of an error message are characters in macros, which Swift cannot import. */

static inline const char *iap_postgres_error_state(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *iap_postgres_error_text(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline const char *iap_postgres_error_constraint(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}

#endif
