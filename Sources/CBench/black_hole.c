#include "spyglass_bench.h"

// In a file of its own, so that the compiler cannot inline it into its callers.
void sg_bench_black_hole(const void *value) { (void)value; }
