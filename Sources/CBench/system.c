#include "spyglass_bench.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>

// MARK: Counters

// glibc has no wrapper (perf_event_open(2)).
static int open_counter(uint64_t what) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = what;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int sg_bench_counters_open(sg_bench_counters *counters) {
  counters->cycles = -1;
  counters->instructions = open_counter(PERF_COUNT_HW_INSTRUCTIONS);
  if (counters->instructions < 0) return errno;
  counters->cycles = open_counter(PERF_COUNT_HW_CPU_CYCLES);
  if (counters->cycles >= 0) return 0;
  int code = errno;
  sg_bench_counters_close(counters);
  return code;
}

static bool read_counter(int descriptor, sg_bench_count *count) {
  // The order of PERF_FORMAT_TOTAL_TIME_ENABLED and PERF_FORMAT_TOTAL_TIME_RUNNING (perf_event_open(2)).
  uint64_t values[3];
  if (read(descriptor, values, sizeof values) != (ssize_t)sizeof values) return false;
  *count = (sg_bench_count){.value = values[0], .enabled = values[1], .running = values[2]};
  return true;
}

bool sg_bench_counters_read(const sg_bench_counters *counters, sg_bench_counts *counts) {
  return read_counter(counters->instructions, &counts->instructions) && read_counter(counters->cycles, &counts->cycles);
}

void sg_bench_counters_close(sg_bench_counters *counters) {
  if (counters->instructions >= 0) close(counters->instructions);
  if (counters->cycles >= 0) close(counters->cycles);
  counters->instructions = -1;
  counters->cycles = -1;
}
