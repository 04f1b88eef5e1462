#ifndef IAP_CCURL_SHIM_H
#define IAP_CCURL_SHIM_H

#include <curl/curl.h>

/* curl_easy_setopt and its relatives are variadic, which Swift cannot call. */

static inline CURLcode iap_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode iap_curl_set_number(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode iap_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode iap_curl_set_bytes(CURL *easy, CURLoption option, const void *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode iap_curl_set_headers(CURL *easy, struct curl_slist *list) {
  return (curl_easy_setopt)(easy, CURLOPT_HTTPHEADER, list);
}

static inline CURLcode iap_curl_set_addresses(CURL *easy, struct curl_slist *list) {
  return (curl_easy_setopt)(easy, CURLOPT_RESOLVE, list);
}

typedef size_t (*iap_curl_receiver)(char *data, size_t size, size_t count, void *context);

static inline CURLcode iap_curl_set_body_receiver(
    CURL *easy, iap_curl_receiver receiver, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, receiver);
  return code != CURLE_OK ? code : (curl_easy_setopt)(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode iap_curl_set_header_receiver(
    CURL *easy, iap_curl_receiver receiver, void *context) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, receiver);
  return code != CURLE_OK ? code : (curl_easy_setopt)(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode iap_curl_get_status(CURL *easy, long *status) {
  return (curl_easy_getinfo)(easy, CURLINFO_RESPONSE_CODE, status);
}

static inline CURLMcode iap_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

#endif
