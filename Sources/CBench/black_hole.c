#include "spyglass_bench.h"

// In a file of its own, into which the compiler does not see when it compiles those who call it.
void sg_bench_black_hole(const void *value) { (void)value; }
