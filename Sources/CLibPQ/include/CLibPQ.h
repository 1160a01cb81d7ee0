/// The part of libpq that herald uses: PostgreSQL's client library, version 14 or newer, as its documentation describes
/// it ("libpq - C Library"). Its types and functions have been binary compatible since PostgreSQL 8.2 (libpq.so.5).
///
/// herald does not link libpq. It loads it when a state in PostgreSQL is opened (`libpq_load`), because libpq brings
/// twenty other libraries, which every start of herald would have to wait for. Scripts/check-libpq.sh holds this file
/// against the libpq of the machine.
#pragma once
#include <stddef.h>

/// Loads libpq, unless that has been done. Call it from one thread at a time, and before any other function.
///
/// Returns NULL, or why libpq cannot be used.
const char *libpq_load(void);

#define LIBPQ_CONNECTION(C) C(CONNECTION_OK, 0)
#define LIBPQ_TRANSACTION(C) C(PQTRANS_IDLE, 0)
#define LIBPQ_RESULT(C) \
    C(PGRES_COMMAND_OK, 1) C(PGRES_TUPLES_OK, 2) C(PGRES_COPY_OUT, 3) C(PGRES_COPY_IN, 4) C(PGRES_PIPELINE_SYNC, 10) \
    C(PGRES_PIPELINE_ABORTED, 11)

#ifdef LIBPQ_FE_H
// PostgreSQL's own header was read before this one: the check.
#define LIBPQ_SAME(name, number) _Static_assert(name == number, #name);
LIBPQ_CONNECTION(LIBPQ_SAME)
LIBPQ_TRANSACTION(LIBPQ_SAME)
LIBPQ_RESULT(LIBPQ_SAME)
#define LIBPQ_FUNCTION(type, name, parameters, arguments) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), type(*) parameters), #name);
#else
typedef unsigned int Oid;
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef void (*PQnoticeProcessor)(void *argument, const char *message);

#define LIBPQ_CASE(name, number) name = number,
typedef enum { LIBPQ_CONNECTION(LIBPQ_CASE) } ConnStatusType;
typedef enum { LIBPQ_TRANSACTION(LIBPQ_CASE) } PGTransactionStatusType;
typedef enum { LIBPQ_RESULT(LIBPQ_CASE) } ExecStatusType;

typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} PQconninfoOption;

#define LIBPQ_FUNCTION(type, name, parameters, arguments) type name parameters;
#endif

_Static_assert(offsetof(PQconninfoOption, keyword) == 0, "keyword");
_Static_assert(offsetof(PQconninfoOption, val) == 3 * sizeof(char *), "val");
_Static_assert(sizeof(PQconninfoOption) == 7 * sizeof(char *), "PQconninfoOption");

/// Every function: what it returns, its name, its parameters, and their names.
#define LIBPQ_FUNCTIONS(F) \
    F(PQconninfoOption *, PQconninfoParse, (const char *text, char **problem), (text, problem)) \
    F(PQconninfoOption *, PQconninfo, (PGconn * connection), (connection)) \
    F(void, PQconninfoFree, (PQconninfoOption * options), (options)) \
    F(void, PQfreemem, (void *memory), (memory)) \
    F(PGconn *, PQconnectStartParams, (const char *const *names, const char *const *values, int expands), \
      (names, values, expands)) \
    F(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expands), \
      (names, values, expands)) \
    F(void, PQfinish, (PGconn * connection), (connection)) \
    F(ConnStatusType, PQstatus, (const PGconn *connection), (connection)) \
    F(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection)) \
    F(char *, PQerrorMessage, (const PGconn *connection), (connection)) \
    F(int, PQserverVersion, (const PGconn *connection), (connection)) \
    F(int, PQbackendPID, (const PGconn *connection), (connection)) \
    F(int, PQsocket, (const PGconn *connection), (connection)) \
    F(int, PQsetnonblocking, (PGconn * connection, int isNonblocking), (connection, isNonblocking)) \
    F(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn * connection, PQnoticeProcessor processor, void *argument), \
      (connection, processor, argument)) \
    F(int, PQenterPipelineMode, (PGconn * connection), (connection)) \
    F(int, PQexitPipelineMode, (PGconn * connection), (connection)) \
    F(int, PQpipelineSync, (PGconn * connection), (connection)) \
    F(int, PQsendQuery, (PGconn * connection, const char *text), (connection, text)) \
    F(int, PQsendQueryParams, \
      (PGconn * connection, const char *text, int count, const Oid *types, const char *const *values, \
       const int *lengths, const int *formats, int resultFormat), \
      (connection, text, count, types, values, lengths, formats, resultFormat)) \
    F(int, PQsendPrepare, \
      (PGconn * connection, const char *name, const char *text, int count, const Oid *types), \
      (connection, name, text, count, types)) \
    F(int, PQsendDescribePrepared, (PGconn * connection, const char *name), (connection, name)) \
    F(int, PQgetCopyData, (PGconn * connection, char **bytes, int isAsync), (connection, bytes, isAsync)) \
    F(int, PQputCopyData, (PGconn * connection, const char *bytes, int count), (connection, bytes, count)) \
    F(int, PQputCopyEnd, (PGconn * connection, const char *problem), (connection, problem)) \
    F(int, PQflush, (PGconn * connection), (connection)) \
    F(int, PQconsumeInput, (PGconn * connection), (connection)) \
    F(int, PQisBusy, (PGconn * connection), (connection)) \
    F(PGresult *, PQgetResult, (PGconn * connection), (connection)) \
    F(ExecStatusType, PQresultStatus, (const PGresult *result), (result)) \
    F(char *, PQresultErrorField, (const PGresult *result, int code), (result, code)) \
    F(int, PQntuples, (const PGresult *result), (result)) \
    F(int, PQnfields, (const PGresult *result), (result)) \
    F(char *, PQfname, (const PGresult *result, int column), (result, column)) \
    F(Oid, PQftype, (const PGresult *result, int column), (result, column)) \
    F(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column)) \
    F(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column)) \
    F(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column)) \
    F(void, PQclear, (PGresult * result), (result))

LIBPQ_FUNCTIONS(LIBPQ_FUNCTION)
