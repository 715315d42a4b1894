// Fetches every address of a file with libcurl and nothing else, and discards the bodies: what transfers cost at least.
//
//     bare-all ADDRESSES [CONNECTIONS=16]
//
// One thread, epoll, easy handles that are set up once, each body whole in memory until its transfer has ended.
// Prints how many answers and bytes came; anything but status 200 is exit status 1.
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { MAX_EVENTS = 64, RECEIVE_BUFFER = 64 << 10, MIN_CAPACITY = 64 << 10 };

typedef struct {
    CURL *easy;
    char *body;
    size_t length, capacity;
} transfer;

typedef struct {
    CURLM *multi;
    FILE *addresses;
    int poll, running;
    long timeout;
    long asked, answers;
    long long bytes;
} client;

static void *need(void *memory) {
    if (!memory) abort();
    return memory;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    (void)size;
    transfer *to = context;
    if (to->length + count > to->capacity) {
        curl_off_t announced = -1;
        curl_easy_getinfo(to->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
        size_t least = announced > 0 ? (size_t)announced : MIN_CAPACITY;
        size_t twice = 2 * to->capacity > least ? 2 * to->capacity : least;
        to->capacity = twice > to->length + count ? twice : to->length + count;
        to->body = need(realloc(to->body, to->capacity));
    }
    memcpy(to->body + to->length, bytes, count);
    to->length += count;
    return count;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy;
    client *all = context;
    struct epoll_event event = {.data.fd = socket};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(all->poll, what == CURL_POLL_REMOVE ? EPOLL_CTL_DEL : known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    curl_multi_assign(all->multi, socket, what == CURL_POLL_REMOVE ? NULL : all);
    return 0;
}

static int set_timeout(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    ((client *)context)->timeout = milliseconds;
    return 0;
}

// Whether there was another address to fetch.
static bool start(client *all, transfer *next) {
    char address[8194];
    if (!fgets(address, sizeof address, all->addresses)) return false;
    address[strcspn(address, "\n")] = 0;
    all->asked += 1;
    next->body = NULL;
    next->length = next->capacity = 0;
    curl_easy_setopt(next->easy, CURLOPT_URL, address);
    return curl_multi_add_handle(all->multi, next->easy) == CURLM_OK;
}

static void set_up(transfer *one) {
    one->easy = need(curl_easy_init());
    curl_easy_setopt(one->easy, CURLOPT_PRIVATE, one);
    curl_easy_setopt(one->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(one->easy, CURLOPT_WRITEDATA, one);
    curl_easy_setopt(one->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(one->easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
    curl_easy_setopt(one->easy, CURLOPT_PROXY, "");
    // With TLS: the streams of one HTTP/2 connection.
    curl_easy_setopt(one->easy, CURLOPT_PIPEWAIT, 1L);
    const char *authorities = getenv("CURL_CA_BUNDLE");
    if (authorities) curl_easy_setopt(one->easy, CURLOPT_CAINFO, authorities);
}

// Returns how many transfers are left.
static int finish(client *all, int active) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(all->multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        bool succeeded = message->data.result == CURLE_OK;
        transfer *ended;
        long status = 0;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &ended);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (succeeded && status == 200) {
            all->answers += 1;
            all->bytes += (long long)ended->length;
        }
        free(ended->body);
        curl_multi_remove_handle(all->multi, easy);
        if (!start(all, ended)) active -= 1;
    }
    return active;
}

int main(int argc, char **argv) {
    client all = {.timeout = -1, .poll = epoll_create1(EPOLL_CLOEXEC)};
    int connections = argc > 2 ? atoi(argv[2]) : 16, active = 0;
    if (argc < 2 || connections < 1 || !(all.addresses = fopen(argv[1], "r"))) {
        puts("usage: bare-all ADDRESSES [CONNECTIONS=16]");
        return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    all.multi = need(curl_multi_init());
    curl_multi_setopt(all.multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(all.multi, CURLMOPT_SOCKETDATA, &all);
    curl_multi_setopt(all.multi, CURLMOPT_TIMERFUNCTION, set_timeout);
    curl_multi_setopt(all.multi, CURLMOPT_TIMERDATA, &all);
    curl_multi_setopt(all.multi, CURLMOPT_MAXCONNECTS, (long)connections);
    transfer *transfers = need(calloc((size_t)connections, sizeof *transfers));
    for (int index = 0; index < connections; index++) {
        set_up(&transfers[index]);
        active += start(&all, &transfers[index]);
    }
    struct epoll_event events[MAX_EVENTS];
    while (active > 0) {
        int count = epoll_wait(all.poll, events, MAX_EVENTS, (int)all.timeout);
        if (count == 0) {
            all.timeout = -1;
            curl_multi_socket_action(all.multi, CURL_SOCKET_TIMEOUT, 0, &all.running);
        }
        for (int index = 0; index < count; index++) {
            int what = 0;
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) what |= CURL_CSELECT_IN;
            if (events[index].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
            curl_multi_socket_action(all.multi, events[index].data.fd, what, &all.running);
        }
        active = finish(&all, active);
    }
    printf("%ld of %ld, %lld bytes\n", all.answers, all.asked, all.bytes);
    return all.answers == all.asked ? 0 : 1;
}
