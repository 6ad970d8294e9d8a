/* What a strategy that leaves the common path would cost in C: the same trades as the strategies of bench/cliffs.ts, in whole money units.
 *
 * Build: gcc -O2 -Wall -ffp-contract=off -o cliffs cliffs.c
 * Run:   ./cliffs bars.bin <kind> <passes>
 *
 * bars.bin: a uint64 row count, then all opens, highs, lows and closes as float64 whole units of 10^-6, little-endian. One lot of one coin,
 * fees of 400 ppm, cash of 10^14 units. Prints what reference.c prints. Each kind is a loop of its own to the compiler.
 */
#include "common.h"

enum { EVERY_BAR, LIMIT, CROSS, EQUITY, AGO, TRAILING, SIGNALS, KINDS };
static const char *const NAMES[KINDS] = {"everyBar", "limit", "cross", "equity", "ago", "trailing", "signals"};

#define FEE_PPM 400
#define CASH 1e14
#define FAST 10
#define SLOW 30
#define BACK 20
#define PAIRS 30
#define WARM (60 + 3 * (PAIRS - 1)) /* no decision before the longest average is known, and its value before */
#define DISTANCE 300e6

typedef struct {
  double equity, fees, drawdown, equitySum, seen;
  int64_t fills;
} Outcome;

typedef struct {
  int64_t rows;
  const double *open, *high, *low, *close;
  double *equity;
  Fill *log;
} Run;

static inline double feeOf(double price) { return (double)(((int64_t)price * FEE_PPM + 500000) / 1000000); }

static inline __attribute__((always_inline)) Outcome pass(const Run *run, const int kind) {
  const double *open = run->open, *high = run->high, *low = run->low, *close = run->close;
  double cash = CASH, held = 0, peak = CASH, drawdown = 0, fees = 0, total = 0, before = 0, seen = 0, limit = 0, best = 0;
  double fastSum = 0, slowSum = 0, sums[2 * PAIRS] = {0}, gaps[PAIRS] = {0};
  int64_t fills = 0;
  int waiting = 0;
#define FILL(at, sign, price)                          \
  do {                                                 \
    const double fee = feeOf(price);                   \
    cash -= (sign) * (price) + fee;                    \
    fees += fee;                                       \
    held += (sign);                                    \
    run->log[fills++] = (Fill){at, sign, price, fee};  \
  } while (0)
  for (int64_t row = 0; row < run->rows; row++) {
    if (waiting) {
      FILL(row, waiting, open[row]);
      best = open[row];
      waiting = 0;
    }
    if (kind == TRAILING && held > 0) {
      const double level = best - DISTANCE;
      if (open[row] <= level) FILL(row, -1, open[row]);
      else if (low[row] <= level) FILL(row + 1, -1, level); /* it has the time of the close, which is the next open */
      else if (high[row] > best) best = high[row];
    }
    if (kind == LIMIT && limit > 0 && low[row] <= limit) FILL(row + 1, 1, limit);
    const double price = close[row];
    const double worth = cash + held * price;
    run->equity[row] = worth;
    total += worth;
    if (worth > peak) peak = worth;
    else if (peak - worth > drawdown) drawdown = peak - worth;
    if (kind == EVERY_BAR) waiting = held == 0 ? 1 : -1;
    if (kind == LIMIT) limit = (double)((int64_t)(price * 0.9) / 10000 * 10000);
    if (kind == EQUITY && worth > seen) seen = worth;
    if (kind == AGO && row >= BACK) {
      double sum = 0;
      for (int back = 1; back <= BACK; back++) sum += close[row - back] / 1e6;
      const double mean = sum / BACK, now = price / 1e6;
      if (now > mean && held == 0) waiting = 1;
      else if (now < mean && held > 0) waiting = -1;
    }
    if (kind == CROSS || kind == EQUITY || kind == TRAILING) {
      fastSum += price;
      slowSum += price;
      if (row >= FAST) fastSum -= close[row - FAST];
      if (row >= SLOW) slowSum -= close[row - SLOW];
      if (row >= SLOW - 1) {
        const double gap = fastSum / FAST - slowSum / SLOW;
        if (row >= SLOW) {
          if (gap > 0 && before <= 0 && held == 0) waiting = 1;
          else if (kind != TRAILING && gap < 0 && before >= 0 && held > 0) waiting = -1;
        }
        before = gap;
      }
    }
    if (kind == SIGNALS) {
      int crossed[2] = {0, 0};
      for (int pair = 0; pair < PAIRS; pair++) {
        const int fast = 5 + pair, slow = 60 + 3 * pair;
        sums[2 * pair] += price;
        sums[2 * pair + 1] += price;
        if (row >= fast) sums[2 * pair] -= close[row - fast];
        if (row >= slow) sums[2 * pair + 1] -= close[row - slow];
        if (row < slow - 1) continue;
        const double gap = (sums[2 * pair] / fast - sums[2 * pair + 1] / slow) * (pair % 2 == 0 ? 1 : -1);
        if (row >= WARM && gap > 0 && gaps[pair] <= 0) {
          if (pair < 2) crossed[pair] = 1;
          else seen++;
        }
        gaps[pair] = gap;
      }
      if (crossed[0] && held == 0) waiting = 1;
      else if (crossed[1] && held > 0) waiting = -1;
    }
  }
  return (Outcome){run->equity[run->rows - 1], fees, drawdown, total, seen, fills};
}

#define PASS(name, kind) \
  __attribute__((noinline)) static Outcome name(const Run *run) { return pass(run, kind); }
PASS(everyBar, EVERY_BAR)
PASS(limitOrder, LIMIT)
PASS(cross, CROSS)
PASS(equityRead, EQUITY)
PASS(ago, AGO)
PASS(trailing, TRAILING)
PASS(signals, SIGNALS)
static Outcome (*const PASSES[KINDS])(const Run *) = {everyBar, limitOrder, cross, equityRead, ago, trailing, signals};

int main(int count, char **words) {
  if (count != 4) fail("usage: cliffs bars.bin kind passes");
  int kind = 0;
  while (kind < KINDS && strcmp(NAMES[kind], words[2]) != 0) kind++;
  if (kind == KINDS) fail("no such kind");
  FILE *file = fopen(words[1], "rb");
  uint64_t rows;
  if (!file || fread(&rows, 8, 1, file) != 1 || rows == 0) fail("cannot read the bars");
  double *columns[4];
  for (int at = 0; at < 4; at++) {
    columns[at] = touched(rows * 8);
    if (fread(columns[at], 8, rows, file) != rows) fail("the bars file is too short");
  }
  fclose(file);
  const Run run = {(int64_t)rows, columns[0], columns[1], columns[2], columns[3], touched(rows * 8), touched((rows + 1) * 2 * sizeof(Fill))};
  double best = 1e300;
  Outcome got = {0};
  for (int left = atoi(words[3]); left > 0; left--) {
    const double from = cpuNs();
    got = PASSES[kind](&run);
    const double ns = (cpuNs() - from) / (double)rows;
    if (ns < best) best = ns;
  }
  printf("{\"nsPerBar\":%.4f,\"equity\":%.17g,\"fees\":%.17g,\"fills\":%lld,\"maxDrawdown\":%.17g,\"equitySum\":%.17g,\"fillsHash\":\"%08x\",\"seen\":%.17g}\n",
         best, got.equity, got.fees, (long long)got.fills, got.drawdown, got.equitySum, hashOf(run.log, got.fills), got.seen);
}
