#include "spyglass_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 4 };

int sg_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(MAX_DESCRIPTORS * sizeof(int))];
} control_buffer;

ssize_t sg_socket_send(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    control_buffer control;
    if (descriptor_count > 0 && descriptor_count <= MAX_DESCRIPTORS) {
        size_t size = (size_t)descriptor_count * sizeof(int);
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t sg_receive_message(int socket, void *bytes, size_t capacity, int descriptors[4], int *descriptor_count) {
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    control_buffer control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *descriptor_count = 0;
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < found; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (*descriptor_count < MAX_DESCRIPTORS)
                descriptors[(*descriptor_count)++] = descriptor;
            else
                close(descriptor);
        }
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        while (*descriptor_count > 0) close(descriptors[--*descriptor_count]);
        errno = EMSGSIZE;
        return -1;
    }
    return count;
}

int sg_memory(void) { return memfd_create("spyglass", MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int sg_allocate(int memory, size_t bytes) { return fallocate(memory, 0, 0, (off_t)bytes); }

int sg_seal(int memory, bool is_writable) {
    return fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (is_writable ? 0 : F_SEAL_WRITE));
}
