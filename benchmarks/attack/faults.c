/* Preloaded into a process: the n-th call of a kind (FAULT_CALL, FAULT_AT) on a file below FAULT_BELOW fails, or does half
   of its work, as FAULT_HOW says: a number is the errno; "short" writes half of the bytes; "dies" ends the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int left = -2;
static const char *below, *call, *how;

static void set_up(void) {
    if (left != -2) return;
    below = getenv("FAULT_BELOW"), call = getenv("FAULT_CALL"), how = getenv("FAULT_HOW");
    left = below && call && how ? atoi(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0") : -1;
}

static int mine(const char *name, const char *path) {
    set_up();
    if (left < 0 || strcmp(name, call) || !path || strncmp(path, below, strlen(below))) return 0;
    if (__sync_sub_and_fetch(&left, 1) != -1) return 0;
    if (!strcmp(how, "dies")) kill(getpid(), SIGKILL);
    return 1;
}

static int mine_fd(const char *name, int fd) {
    char link[64], path[4096];
    set_up();
    if (left < 0 || strcmp(name, call)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return mine(name, path);
}

#define FAIL do { errno = atoi(how) ? atoi(how) : EIO; return -1; } while (0)
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) { if (mine_fd("fsync", fd)) FAIL; return REAL(fsync)(fd); }
int fdatasync(int fd) { if (mine_fd("fdatasync", fd)) FAIL; return REAL(fdatasync)(fd); }
int rename(const char *a, const char *b) { if (mine("rename", b)) FAIL; return REAL(rename)(a, b); }
int unlink(const char *a) { if (mine("unlink", a)) FAIL; return REAL(unlink)(a); }

ssize_t write(int fd, const void *data, size_t size) {
    if (mine_fd("write", fd)) {
        if (!strcmp(how, "short") && size > 1) return REAL(write)(fd, data, size / 2);
        FAIL;
    }
    return REAL(write)(fd, data, size);
}
