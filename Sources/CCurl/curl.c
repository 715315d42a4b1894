#include "spyglass_curl.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <spyglass_library.h>
#include <stdio.h>
#include <sys/socket.h>

struct sg_curl {
    CURLcode (*global_init)(long);
    char *(*version)(void);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    CURLcode (*easy_pause)(CURL *, int);
    const char *(*easy_strerror)(CURLcode);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_socket_action)(CURLM *, curl_socket_t, int, int *);
    const char *(*multi_strerror)(CURLMcode);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
};

static CURL *easy_handle(sg_easy *easy) { return (CURL *)easy; }
static CURLM *multi_handle(sg_multi *multi) { return (CURLM *)multi; }

#define FUNCTION(member) SG_FUNCTION(sg_curl, "curl_", member)
static const sg_function functions[] = {
    FUNCTION(global_init), FUNCTION(version), FUNCTION(easy_init), FUNCTION(easy_cleanup), FUNCTION(easy_setopt),
    FUNCTION(easy_getinfo), FUNCTION(easy_pause), FUNCTION(easy_strerror), FUNCTION(slist_append),
    FUNCTION(slist_free_all), FUNCTION(multi_init), FUNCTION(multi_cleanup), FUNCTION(multi_setopt),
    FUNCTION(multi_add_handle), FUNCTION(multi_remove_handle), FUNCTION(multi_socket_action),
    FUNCTION(multi_strerror), FUNCTION(multi_info_read),
};

const sg_curl *sg_curl_open(const char *name, char *message, size_t message_size) {
    const sg_curl *curl = sg_library_open(name, functions, SG_COUNT(functions), sizeof *curl, message, message_size);
    if (!curl) return NULL;
    CURLcode code = curl->global_init(CURL_GLOBAL_DEFAULT);
    if (code == CURLE_OK) return curl;
    snprintf(message, message_size, "%s: %s", name, curl->easy_strerror(code));
    return NULL;
}

const char *sg_curl_version(const sg_curl *curl) { return curl->version(); }

sg_easy *sg_easy_create(const sg_curl *curl) { return (sg_easy *)curl->easy_init(); }
void sg_easy_destroy(const sg_curl *curl, sg_easy *easy) { curl->easy_cleanup(easy_handle(easy)); }

CURLcode sg_easy_set_long(const sg_curl *curl, sg_easy *easy, CURLoption option, long value) {
    return curl->easy_setopt(easy_handle(easy), option, value);
}
CURLcode sg_easy_set_pointer(const sg_curl *curl, sg_easy *easy, CURLoption option, const void *value) {
    return curl->easy_setopt(easy_handle(easy), option, value);
}
const char *sg_easy_error(const sg_curl *curl, CURLcode code) { return curl->easy_strerror(code); }

bool sg_easy_reused_connection(const sg_curl *curl, sg_easy *easy) {
    long opened = 1, request_size = 0;
    curl->easy_getinfo(easy_handle(easy), CURLINFO_NUM_CONNECTS, &opened);
    curl->easy_getinfo(easy_handle(easy), CURLINFO_REQUEST_SIZE, &request_size);
    return opened == 0 && request_size > 0;
}

CURLcode sg_easy_set_receive(const sg_curl *curl, sg_easy *easy, CURLoption option, sg_receive function) {
    return curl->easy_setopt(easy_handle(easy), option, function);
}
CURLcode sg_easy_set_before_request(const sg_curl *curl, sg_easy *easy, sg_before_request function) {
    return curl->easy_setopt(easy_handle(easy), SG_OPT_PREREQFUNCTION, function);
}

CURLcode sg_easy_unpause(const sg_curl *curl, sg_easy *easy) {
    return curl->easy_pause(easy_handle(easy), CURLPAUSE_CONT);
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    sg_connect_filter *filter = context;
    if (purpose != CURLSOCKTYPE_IPCXN || !filter->may_connect(filter->context, &address->addr, address->addrlen))
        return CURL_SOCKET_BAD;
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    // Otherwise libcurl reuses a dead HTTP/2 connection for a quarter of an hour, and every request on it stalls.
    unsigned int milliseconds = SG_UNACKNOWLEDGED_MILLISECONDS;
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    return descriptor;
}

CURLcode sg_easy_set_connect_filter(const sg_curl *curl, sg_easy *easy, sg_connect_filter *filter) {
    CURLcode code = curl->easy_setopt(easy_handle(easy), CURLOPT_OPENSOCKETDATA, (void *)filter);
    return code != CURLE_OK ? code : curl->easy_setopt(easy_handle(easy), CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

struct curl_slist *sg_list_append(const sg_curl *curl, struct curl_slist *list, const char *text) {
    return curl->slist_append(list, text);
}
void sg_list_free(const sg_curl *curl, struct curl_slist *list) { curl->slist_free_all(list); }

sg_multi *sg_multi_create(const sg_curl *curl) { return (sg_multi *)curl->multi_init(); }
void sg_multi_destroy(const sg_curl *curl, sg_multi *multi) { curl->multi_cleanup(multi_handle(multi)); }
CURLMcode sg_multi_set_long(const sg_curl *curl, sg_multi *multi, CURLMoption option, long value) {
    return curl->multi_setopt(multi_handle(multi), option, value);
}
CURLMcode sg_multi_add(const sg_curl *curl, sg_multi *multi, sg_easy *easy) {
    return curl->multi_add_handle(multi_handle(multi), easy_handle(easy));
}
CURLMcode sg_multi_remove(const sg_curl *curl, sg_multi *multi, sg_easy *easy) {
    return curl->multi_remove_handle(multi_handle(multi), easy_handle(easy));
}
CURLMcode sg_multi_set_callbacks(
    const sg_curl *curl, sg_multi *multi, sg_socket_changed socket_changed, sg_timer_changed timer_changed,
    void *context) {
    CURLM *handle = multi_handle(multi);
    CURLMcode code = curl->multi_setopt(handle, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl->multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, socket_changed);
    if (code == CURLM_OK) code = curl->multi_setopt(handle, CURLMOPT_TIMERDATA, context);
    return code != CURLM_OK ? code : curl->multi_setopt(handle, CURLMOPT_TIMERFUNCTION, timer_changed);
}
CURLMcode sg_multi_socket_action(const sg_curl *curl, sg_multi *multi, int socket, int events) {
    int running = 0;
    return curl->multi_socket_action(multi_handle(multi), socket, events, &running);
}
const char *sg_multi_error(const sg_curl *curl, CURLMcode code) { return curl->multi_strerror(code); }

void *sg_multi_next_done(const sg_curl *curl, sg_multi *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl->multi_info_read(multi_handle(multi), &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        void *context = NULL;
        curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
        return context;
    }
    return NULL;
}

void sg_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
