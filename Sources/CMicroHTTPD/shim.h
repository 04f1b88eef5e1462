#ifndef IAP_CMICROHTTPD_SHIM_H
#define IAP_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
