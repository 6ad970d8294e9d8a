/* Shared code of the benchmark's C programs: fills, memory without page faults, process CPU time, and the hash of the fills. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A fill: the row of its bar, the side (above 0: a buy), the price and the fee. */
typedef struct {
  int64_t row;
  double side, price, fee;
} Fill;

/* Ends the program with a message. */
static void fail(const char *why) {
  fprintf(stderr, "bench: %s\n", why);
  exit(1);
}

/* CPU time of this process so far, in ns. */
static double cpuNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Allocates memory and writes to each of its pages, so that no pass pays for page faults. */
static void *allocateTouched(size_t bytes) {
  char *memory = malloc(bytes);
  if (!memory) fail("out of memory");
  for (size_t offset = 0; offset < bytes; offset += 512) ((volatile char *)memory)[offset] = 0;
  return memory;
}

/* Returns the FNV-1a hash over (row as uint32, side as uint8, price and fee as float64) of each fill. */
__attribute__((unused)) static uint32_t hashOf(const Fill *log, int64_t fills) {
  uint32_t hash = 2166136261u;
  for (int64_t index = 0; index < fills; index++) {
    uint8_t bytes[21];
    const uint32_t row = (uint32_t)log[index].row;
    memcpy(bytes, &row, 4);
    bytes[4] = log[index].side > 0;
    memcpy(bytes + 5, &log[index].price, 8);
    memcpy(bytes + 13, &log[index].fee, 8);
    for (int byte = 0; byte < 21; byte++) hash = (hash ^ bytes[byte]) * 16777619u;
  }
  return hash;
}
