#include "spyglass_hash.h"

#include <string.h>

// FIPS 180-4 section 4.2.2.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t value, int count) { return value >> count | value << (32 - count); }

static void add_block(uint32_t state[8], const uint8_t *bytes) {
  uint32_t words[64];
  for (int i = 0; i < 16; i++) {
    uint32_t word;
    memcpy(&word, bytes + 4 * i, 4);
    words[i] = __builtin_bswap32(word);
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; i++) {
    uint32_t first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i];
    uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

static int ask_processor(void) {
  unsigned eax, ebx, ecx, edx;
  // CPUID leaf 7: SHA; leaf 1: SSSE3 and SSE4.1.
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ebx & 1u << 29)) return 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & 1u << 9) && (ecx & 1u << 19);
}

// Asks once: in a virtual machine each CPUID leaves the guest and takes as long as hashing tens of kilobytes.
static int has_instructions(void) {
  static _Atomic int known;  // 0 until asked, then 1 or -1
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    answer = ask_processor() ? 1 : -1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer > 0;
}

// The order of the state's words is that of the instructions: ABEF and CDGH.
__attribute__((target("sha,ssse3,sse4.1"))) static void add_fast(uint32_t state[8], const uint8_t *bytes, size_t block_count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  for (; block_count > 0; block_count--, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 16; i++) {
      if (i < 4) {
        words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), swap);
      } else {
        __m128i *oldest = &words[i & 3];
        const __m128i last = words[(i + 3) & 3];
        const __m128i sum =
            _mm_add_epi32(_mm_sha256msg1_epu32(*oldest, words[(i + 1) & 3]), _mm_alignr_epi8(last, words[(i + 2) & 3], 4));
        *oldest = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i round = _mm_add_epi32(words[i & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, round);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(round, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32(abef, 0x1B);
  high = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

void sg_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t block_count) {
#ifdef __x86_64__
  if (has_instructions()) {
    add_fast(state, bytes, block_count);
    return;
  }
#endif
  for (; block_count > 0; block_count--, bytes += 64) add_block(state, bytes);
}
