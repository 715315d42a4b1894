#ifndef FUZZER_H
#define FUZZER_H
#include <stddef.h>
#include <stdint.h>

/// Called by libFuzzer with each input; 0 keeps it.
typedef int (*fuzz_callback)(const uint8_t *_Nullable data, size_t size);

/// libFuzzer's own main loop (compiler-rt, FuzzerDriver.cpp).
int LLVMFuzzerRunDriver(int *_Nonnull argc, char *_Nullable *_Nullable *_Nonnull argv, fuzz_callback _Nonnull callback);

#endif
