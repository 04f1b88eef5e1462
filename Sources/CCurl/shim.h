#ifndef IAP_CCURL_SHIM_H
#define IAP_CCURL_SHIM_H

#include <curl/curl.h>

#endif
