#include "spyglass_bench.h"

#include <linux/magic.h>
#include <sys/vfs.h>

bool sg_bench_is_in_memory(const char *folder) {
  struct statfs status;
  if (statfs(folder, &status) != 0) return false;
  // Signed on some systems; 32 bits are significant.
  uint32_t type = (uint32_t)status.f_type;
  return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}
