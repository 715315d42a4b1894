#include "send.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

bool sg_send(int descriptor, const char *bytes, size_t count, int attempts) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN && attempts-- > 0) {
            poll(NULL, 0, SG_PAUSE);
        } else if (!(written < 0 && errno == EINTR)) {
            break;
        }
    }
    return count == 0;
}
