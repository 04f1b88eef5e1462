#ifndef IAP_CMICROHTTPD_SHIM_H
#define IAP_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/* MHD_start_daemon and MHD_get_connection_info are variadic, which Swift cannot call. */

static inline struct MHD_Daemon *iap_microhttpd_start(
    int listen_socket, size_t memory_bytes, unsigned int connections,
    unsigned int connections_per_address, unsigned int idle_seconds,
    void *(*on_target)(void *, const char *, struct MHD_Connection *),
    MHD_AccessHandlerCallback on_request, MHD_RequestCompletedCallback on_completed,
    MHD_NotifyConnectionCallback on_connection, void *context) {
  return MHD_start_daemon(
      MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, context,
      MHD_OPTION_LISTEN_SOCKET, listen_socket,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_bytes,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, connections_per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_URI_LOG_CALLBACK, on_target, context,
      MHD_OPTION_NOTIFY_COMPLETED, on_completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, context,
      MHD_OPTION_END);
}

static inline int iap_microhttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

static inline size_t iap_microhttpd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

static inline const struct sockaddr *iap_microhttpd_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

#endif
