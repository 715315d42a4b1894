#ifndef SPYGLASS_CURL_H
#define SPYGLASS_CURL_H
#endif
