#pragma once

// Only the types and constants of curl's header are used. libcurl is not linked: calls go through function pointers that are
// found at run time.
#define CURL_DISABLE_DEPRECATION 1
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
// Missing from Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#pragma clang assume_nonnull begin

// The numbers of options newer than the headers of 7.68. libcurl never changes them. An older library returns
// CURLE_UNKNOWN_OPTION.
/// `CURLOPT_PREREQFUNCTION`, since 7.80.
static const CURLoption SG_OPT_PREREQFUNCTION = (CURLoption)(CURLOPTTYPE_FUNCTIONPOINT + 312);
/// `CURLOPT_PREREQDATA`, since 7.80.
static const CURLoption SG_OPT_PREREQDATA = (CURLoption)(CURLOPTTYPE_OBJECTPOINT + 313);
/// `CURLOPT_QUICK_EXIT`, since 7.87.
static const CURLoption SG_OPT_QUICK_EXIT = (CURLoption)(CURLOPTTYPE_LONG + 322);
/// `CURL_PREREQFUNC_OK` and `CURL_PREREQFUNC_ABORT`.
enum { SG_PREREQ_OK = 0, SG_PREREQ_ABORT = 1 };

/// The functions of libcurl, found in the opened library. Immutable, never freed.
typedef struct sg_curl sg_curl;
/// One transfer: a `CURL *`.
typedef struct sg_easy sg_easy;
/// Many transfers on one thread: a `CURLM *`.
typedef struct sg_multi sg_multi;

/// Opens the library (`dlopen`) and finds its functions (`dlsym`), or returns `NULL` with the reason in `message`. Calls `curl_global_init`.
const sg_curl *_Nullable sg_curl_open(const char *name, char *message, size_t message_size);
const char *sg_curl_version(const sg_curl *curl);
sg_easy *_Nullable sg_easy_create(const sg_curl *curl);
void sg_easy_destroy(const sg_curl *curl, sg_easy *easy);
CURLcode sg_easy_set_long(const sg_curl *curl, sg_easy *easy, CURLoption option, long value);
/// Sets a pointer, a list, or a text, which libcurl copies.
CURLcode sg_easy_set_pointer(const sg_curl *curl, sg_easy *easy, CURLoption option, const void *_Nullable value);
const char *sg_easy_error(const sg_curl *curl, CURLcode code);
/// Whether the last transfer needed no new connection.
bool sg_easy_reused_connection(const sg_curl *curl, sg_easy *easy);

/// For `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`; `size` is always 1.
typedef size_t (*sg_receive)(char *_Nullable bytes, size_t size, size_t count, void *context);
/// Called before a socket is created (`CURLOPT_OPENSOCKETFUNCTION`). Returns 0 to forbid the address.
typedef int (*sg_may_connect)(void *context, const void *socket_address, size_t size);
/// For `CURLOPT_PREREQFUNCTION`: called before each request, on a new or reused connection.
typedef int (*sg_before_request)(
    void *context, char *_Nullable remote_ip, char *_Nullable local_ip, int remote_port, int local_port);
CURLcode sg_easy_set_receive(const sg_curl *curl, sg_easy *easy, CURLoption option, sg_receive function);
CURLcode sg_easy_set_before_request(const sg_curl *curl, sg_easy *easy, sg_before_request function);

/// Decides which addresses a transfer may connect to. Owned by the caller; must outlive the transfer.
typedef struct {
    sg_may_connect may_connect;
    void *context;
} sg_connect_filter;
/// Maximum time for which sent data may stay unacknowledged (`TCP_USER_TIMEOUT`, tcp(7)). Less than the stall timeout of 20 s,
/// so that a retry gets a new connection.
enum { SG_UNACKNOWLEDGED_MILLISECONDS = 15000 };
/// Creates sockets with `SOCK_CLOEXEC` and that limit.
CURLcode sg_easy_set_connect_filter(const sg_curl *curl, sg_easy *easy, sg_connect_filter *judge);
/// `CURL_WRITEFUNC_PAUSE`: returned by a receiver to get the same bytes again later.
enum { SG_WRITE_PAUSE = CURL_WRITEFUNC_PAUSE };
/// `curl_easy_pause` with `CURLPAUSE_CONT`. May call the receiver before it returns.
CURLcode sg_easy_unpause(const sg_curl *curl, sg_easy *easy);
struct curl_slist *_Nullable sg_list_append(const sg_curl *curl, struct curl_slist *_Nullable list, const char *text);
void sg_list_free(const sg_curl *curl, struct curl_slist *_Nullable list);
sg_multi *_Nullable sg_multi_create(const sg_curl *curl);
void sg_multi_destroy(const sg_curl *curl, sg_multi *multi);
CURLMcode sg_multi_set_long(const sg_curl *curl, sg_multi *multi, CURLMoption option, long value);
CURLMcode sg_multi_add(const sg_curl *curl, sg_multi *multi, sg_easy *easy);
CURLMcode sg_multi_remove(const sg_curl *curl, sg_multi *multi, sg_easy *easy);

/// For `CURLMOPT_SOCKETFUNCTION`: what to watch a socket for (`CURL_POLL_...`).
typedef int (*sg_socket_changed)(
    void *_Nullable easy, int socket, int what, void *context, void *_Nullable socket_context);
/// For `CURLMOPT_TIMERFUNCTION`: the time until the next action; negative stops the timer.
typedef int (*sg_timer_changed)(void *_Nullable multi, long milliseconds, void *context);
CURLMcode sg_multi_set_callbacks(
    const sg_curl *curl, sg_multi *multi, sg_socket_changed socket_changed, sg_timer_changed timer_changed,
    void *context);
enum { SG_SOCKET_TIMEOUT = CURL_SOCKET_TIMEOUT };
/// `curl_multi_socket_action`, for a socket's events (`CURL_CSELECT_...`) or the timer (`SG_SOCKET_TIMEOUT`).
CURLMcode sg_multi_socket_action(const sg_curl *curl, sg_multi *multi, int socket, int events);
const char *sg_multi_error(const sg_curl *curl, CURLMcode code);
/// The `CURLOPT_PRIVATE` of the next completed transfer and its result, or `NULL`.
void *_Nullable sg_multi_next_done(const sg_curl *curl, sg_multi *multi, CURLcode *result);

/// Names the calling thread (`pthread_setname_np`); at most 15 bytes.
void sg_name_thread(const char *name);

#pragma clang assume_nonnull end
