#ifndef SPYGLASS_CURL_H
#define SPYGLASS_CURL_H

// curl's header is here for its types and constants alone: nothing of libcurl is linked, every call goes through a table
// of functions that is filled at run time.
#define CURL_DISABLE_DEPRECATION 1
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stddef.h>
// Swift's Glibc module leaves these two out.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#pragma clang assume_nonnull begin

// Options that headers of 7.68 do not name yet, by their numbers, which libcurl never changes. An older library answers
// CURLE_UNKNOWN_OPTION.
/// `CURLOPT_PREREQFUNCTION`, since 7.80.
static const CURLoption SG_OPT_PREREQFUNCTION = (CURLoption)(CURLOPTTYPE_FUNCTIONPOINT + 312);
/// `CURLOPT_PREREQDATA`, since 7.80.
static const CURLoption SG_OPT_PREREQDATA = (CURLoption)(CURLOPTTYPE_OBJECTPOINT + 313);
/// `CURLOPT_QUICK_EXIT`, since 7.87.
static const CURLoption SG_OPT_QUICK_EXIT = (CURLoption)(CURLOPTTYPE_LONG + 322);
/// `CURL_PREREQFUNC_OK` and `CURL_PREREQFUNC_ABORT`.
enum { SG_PREREQ_OK = 0, SG_PREREQ_ABORT = 1 };

/// libcurl's functions, found in the library that was opened. Never changed once made, never freed.
typedef struct sg_curl sg_curl;
/// One transfer: a `CURL *`.
typedef struct sg_easy sg_easy;
/// Many transfers on one thread: a `CURLM *`.
typedef struct sg_multi sg_multi;

/// Opens the library of that name (`dlopen`) and finds what is needed in it (`dlsym`), or returns `NULL` with the reason in
/// `message`. Calls `curl_global_init`.
const sg_curl *_Nullable sg_curl_open(const char *name, char *message, size_t message_size);
const char *sg_curl_version(const sg_curl *curl);

sg_easy *_Nullable sg_easy_create(const sg_curl *curl);
void sg_easy_destroy(const sg_curl *curl, sg_easy *easy);
CURLcode sg_easy_set_long(const sg_curl *curl, sg_easy *easy, CURLoption option, long value);
CURLcode sg_easy_set_text(const sg_curl *curl, sg_easy *easy, CURLoption option, const char *_Nullable value);
CURLcode sg_easy_set_pointer(const sg_curl *curl, sg_easy *easy, CURLoption option, void *_Nullable value);
CURLcode sg_easy_set_list(const sg_curl *curl, sg_easy *easy, CURLoption option, struct curl_slist *_Nullable value);
const char *sg_easy_error(const sg_curl *curl, CURLcode code);

/// What `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION` call; `size` is always 1.
typedef size_t (*sg_receive)(char *_Nullable bytes, size_t size, size_t count, void *context);
/// What `CURLOPT_OPENSOCKETFUNCTION` calls: judges an address before a socket is made for it; zero forbids.
typedef int (*sg_may_connect)(void *context, const void *socket_address, size_t size);
/// What `CURLOPT_PREREQFUNCTION` calls before a request goes out on a connection, new or kept.
typedef int (*sg_before_request)(
    void *context, char *_Nullable remote_ip, char *_Nullable local_ip, int remote_port, int local_port);

CURLcode sg_easy_set_receive(const sg_curl *curl, sg_easy *easy, CURLoption option, sg_receive function);
CURLcode sg_easy_set_before_request(const sg_curl *curl, sg_easy *easy, sg_before_request function);

/// A judge with what it judges by. Stays the caller's, and must outlive the transfer.
typedef struct {
    sg_may_connect may_connect;
    void *context;
} sg_judge;
/// How long what was sent may go unacknowledged before the system gives a connection up (`TCP_USER_TIMEOUT`, tcp(7)): less
/// than the 20 s for which a transfer may stand still, so that the next try gets a new connection.
enum { SG_UNACKNOWLEDGED_MILLISECONDS = 15000 };
/// Sockets are made with `SOCK_CLOEXEC` and that limit.
CURLcode sg_easy_set_judge(const sg_curl *curl, sg_easy *easy, sg_judge *judge);

/// `CURL_WRITEFUNC_PAUSE`, which a body's receiver returns to have the same bytes again later.
enum { SG_WRITE_PAUSE = CURL_WRITEFUNC_PAUSE };
/// `curl_easy_pause` with `CURLPAUSE_CONT`: the receiver is called again, also before this returns.
CURLcode sg_easy_go_on(const sg_curl *curl, sg_easy *easy);

struct curl_slist *_Nullable sg_list_append(
    const sg_curl *curl, struct curl_slist *_Nullable list, const char *text);
void sg_list_free(const sg_curl *curl, struct curl_slist *_Nullable list);

sg_multi *_Nullable sg_multi_create(const sg_curl *curl);
void sg_multi_destroy(const sg_curl *curl, sg_multi *multi);
CURLMcode sg_multi_set_long(const sg_curl *curl, sg_multi *multi, CURLMoption option, long value);
CURLMcode sg_multi_add(const sg_curl *curl, sg_multi *multi, sg_easy *easy);
CURLMcode sg_multi_remove(const sg_curl *curl, sg_multi *multi, sg_easy *easy);

/// What `CURLMOPT_SOCKETFUNCTION` calls: what a socket is to be watched for is `CURL_POLL_...`.
typedef int (*sg_socket_changed)(
    void *_Nullable easy, int socket, int what, void *context, void *_Nullable socket_context);
/// What `CURLMOPT_TIMERFUNCTION` calls: when to act next, in milliseconds from now; negative is never.
typedef int (*sg_timer_changed)(void *_Nullable multi, long milliseconds, void *context);
CURLMcode sg_multi_set_watch(
    const sg_curl *curl, sg_multi *multi, sg_socket_changed socket_changed, sg_timer_changed timer_changed,
    void *context);
/// `CURL_SOCKET_TIMEOUT`, whose macro is a cast.
enum { SG_SOCKET_TIMEOUT = -1 };
/// `curl_multi_socket_action`: lets libcurl act on a socket's events (`CURL_CSELECT_...`), or on the timer.
CURLMcode sg_multi_act(const sg_curl *curl, sg_multi *multi, int socket, int events);
const char *sg_multi_error(const sg_curl *curl, CURLMcode code);
/// The next transfer that ended, with its result; `NULL` when there is none.
sg_easy *_Nullable sg_multi_next_done(const sg_curl *curl, sg_multi *multi, CURLcode *result);

/// Names the calling thread (`pthread_setname_np`); at most 15 bytes.
void sg_name_thread(const char *name);

#pragma clang assume_nonnull end

#endif
